import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { createCollection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { requestState } from '../request-state.ts'
import { modelAdapter } from './adapter.ts'

/**
 * What accounts authorized applications to do. A grant id is no credential: tokens carry it in the clear.
 *
 * A grant is short-lived at first, for most are never used: an application that asks silently whether somebody is
 * signed in gets a code each time. With its first refresh token it begins to live as long as its tokens.
 */
export interface Grants {
  readonly adapter: Adapter
  /**
   * Lets a grant live on with a refresh token that is issued now.
   *
   * @returns false if it is gone: what was taken back never comes to life again
   */
  keepAlive(grantId: string): Promise<boolean>
  delete(grantId: string): Promise<boolean>
}

/** Seconds by which a grant outlives its refresh token, so that it is prolonged once a day, not each time. */
const SLACK = 86_400

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

/** @param lifetimes.refreshToken seconds for which a refresh token can be used */
export function createGrants(store: Store, lifetimes: { readonly refreshToken: number }): Grants {
  const grants = createCollection<AdapterPayload>(store, { name: 'grant', version: 1 })
  return {
    adapter: modelAdapter('Grant', {
      async upsert(grantId, payload, ttl) {
        if (await grants.create(grantId, payload, ttl)) return
        throw new TypeError('a grant is saved once; afterwards it is only kept alive or deleted')
      },
      async find(grantId) {
        const stored = await grants.read(grantId)
        if (Provider.ctx) requestState(Provider.ctx).grant = stored && { grantId, stored }
        return stored?.record
      },
      async destroy(grantId) {
        await grants.delete(grantId)
      },
    }),

    async keepAlive(grantId) {
      const now = Math.floor(Date.now() / 1000)
      const atLeast = now + lifetimes.refreshToken
      const exp = atLeast + SLACK
      const prolong = (payload: AdapterPayload) =>
        (payload.exp ?? 0) < atLeast ? { ...payload, exp } : undefined
      // What this request has read already is not read again, unless somebody changed it since.
      const known = Provider.ctx && requestState(Provider.ctx).grant
      if (known?.grantId === grantId) {
        const prolonged = prolong(known.stored.record)
        if (!prolonged) return true
        if (await grants.replace(grantId, known.stored, prolonged, exp - now)) return true
      }
      return (await grants.update(grantId, prolong, exp - now)) !== undefined
    },

    delete: (grantId) => grants.delete(grantId),
  }
}
