import { personOf, subjectOf } from '../../../host/subject.ts'
import { Provider, type Adapter, type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import type { GrantLifecycle } from '../../../grants/grant-lifecycle.ts'
import { isActive, type GrantRecord } from '../../../grants/grant-record.ts'
import { requestState } from '../request-state.ts'
import { modelAdapter } from './adapter.ts'

/** What accounts authorized applications to do, as oidc-provider and its neighbours here see it. */
export interface Grants {
  readonly adapter: Adapter
  /** Begins to read the grant that a request will ask for next, while something else is looked up. */
  prefetch(ctx: KoaContextWithOIDC, grantId: string): void
  /**
   * Lets a grant come into use with the first refresh token, which is issued next.
   *
   * @returns false if the grant is deleted or revoked. A revoked grant never becomes active again
   */
  activate(grantId: string): Promise<boolean>
  /** Lets a grant live on with a refresh token that is issued now; false as above. */
  extend(grantId: string): Promise<boolean>
  delete(grantId: string): Promise<boolean>
}

/** Seconds for which a grant lives while its code is on the way, besides what people and codes may take. */
const ON_THE_WAY = 60

/**
 * How long a grant lives at first, in seconds: until a decision has become a code, and the code is exchanged.
 *
 * @param lifetimes in seconds
 */
export function initialGrantLifetime(lifetimes: {
  readonly interaction: number
  readonly authorizationCode: number
}): number {
  return lifetimes.interaction + lifetimes.authorizationCode + ON_THE_WAY
}

export function createGrants(lifecycle: GrantLifecycle): Grants {
  const { records } = lifecycle

  /** What this request has read already is not read again. */
  function knownOf(grantId: string) {
    const state = Provider.ctx && requestState(Provider.ctx)
    return {
      known: state?.grant?.grantId === grantId ? state.grant.stored : undefined,
      listing: state?.listing?.grantId === grantId ? state.listing : undefined,
    }
  }

  /** What was read ahead of a grant, for the first who asks. */
  function takeLookedUp(grantId: string) {
    const state = Provider.ctx && requestState(Provider.ctx)
    if (state?.grantLookUp?.grantId !== grantId) return undefined
    const { stored } = state.grantLookUp
    state.grantLookUp = undefined
    return stored
  }

  /**
   * Lists the grant of a code that is being exchanged while the grant is still looked up, which saves a round trip.
   * What does not come into use then is skipped by readers, and gone with the grant.
   *
   * Relies on: the grant is looked up when the code was found to be this client's.
   */
  async function listAhead(grantId: string): Promise<void> {
    const state = Provider.ctx && requestState(Provider.ctx)
    const code = await state?.code?.found
    if (!state || code?.grantId !== grantId) return
    const { accountId: subject = '', clientId = '', iat = 0 } = code
    state.listing = await lifecycle.list({ ...personOf(subject), clientId, grantId, listedAt: iat * 1000 })
  }

  return {
    adapter: modelAdapter('Grant', {
      async upsert(grantId, payload, ttl) {
        if (await records.create(grantId, asRecord(payload), ttl)) return
        throw new TypeError('a grant is saved once; afterwards it is only kept alive or deleted')
      },
      async find(grantId) {
        const [stored] = await Promise.all([
          takeLookedUp(grantId) ?? records.read(grantId),
          listAhead(grantId),
        ])
        if (!isActive(stored?.record)) return undefined
        if (Provider.ctx) requestState(Provider.ctx).grant = stored && { grantId, stored }
        return stored && asPayload(stored.record)
      },
      async destroy(grantId) {
        await lifecycle.delete(grantId)
      },
    }),

    prefetch(ctx, grantId) {
      const stored = records.read(grantId)
      // Whoever needs the grant is told that it failed; if nobody does, nothing is lost.
      stored.catch(() => {})
      requestState(ctx).grantLookUp = { grantId, stored }
    },

    activate(grantId) {
      const { known, listing } = knownOf(grantId)
      return lifecycle.activate(grantId, known, listing)
    },
    extend: (grantId) => lifecycle.extend(grantId, knownOf(grantId).known),
    delete: (grantId) => lifecycle.delete(grantId),
  }
}

/**
 * Relies on: a payload of oidc-provider's names account and client, when it was issued, and scopes by resource; those
 * that were rejected stand apart.
 */
function asRecord(payload: AdapterPayload): GrantRecord {
  return { ...payload, ...personOf(payload.accountId ?? '') } as unknown as GrantRecord
}

/** What oidc-provider knows as the account id is the subject. */
function asPayload(record: GrantRecord): AdapterPayload {
  return { ...record, accountId: subjectOf(record) }
}
