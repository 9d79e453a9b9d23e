import { CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'
import { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { RevocationSet } from './is-revoked.ts'
import type { LongestLifetime } from './longest-token-lifetime.ts'
import { asRevocation, type Revocation } from './revocation.ts'
import type { RevocationLog } from './revocation-log.ts'

/**
 * A revocation whose `until` may be omitted. If `until` is omitted, it is computed from the longest token
 * lifetime.
 */
export type RevocationSpec = Revocation extends infer Each
  ? Each extends Revocation
    ? Omit<Each, 'until'> & { readonly until?: number | undefined }
    : never
  : never

/**
 * A computed `until` is rounded up to a full hour. So a repeated revocation usually equals the first
 * revocation, and the log stores it only once.
 */
const HOUR_SECONDS = 3600

/** What storing revocations needs. */
export interface StoreRevocationsParts {
  readonly log: Pick<RevocationLog, 'add'>
  readonly set: Pick<RevocationSet, 'add'>
  readonly longestLifetime: LongestLifetime
  /** Receives each revocation that this process stored. */
  readonly events?: Pick<EventSink, 'emit'> | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Revokes tokens at once, without a pending entry. */
export function createStoreRevocations(parts: StoreRevocationsParts) {
  const { log, set, longestLifetime, events, now } = parts

  async function storeRevocations(specs: readonly RevocationSpec[]): Promise<readonly Revocation[]> {
    if (specs.length === 0) return []
    const withEnds = (lifetime: number) => specs.map((spec) => withUntil(spec, now() / 1000 + lifetime))
    // This process rejects the tokens immediately, even while the store is unavailable.
    set.add(withEnds(longestLifetime.secondsKnown))
    const isOpen = specs.some(({ until }) => until === undefined)
    const revocations = withEnds(isOpen ? await longestLifetime.seconds() : 0)
    set.add(revocations)
    await log.add(revocations)
    return revocations
  }

  /** Like `revoke`; the events name `actor`. */
  async function revokeAs(actor: string | undefined, ...specs: readonly RevocationSpec[]) {
    const revocations = await storeRevocations(specs)
    for (const { of, id } of revocations) {
      events?.emit('token.revoked', { of, id, ...(actor !== undefined && { actor }) })
    }
    return revocations
  }

  return {
    /**
     * Revokes tokens. This process rejects the tokens immediately, and all other processes reject them within
     * moments. Resolves with the revocations when they are stored. May be repeated.
     *
     * @param specs without `until`, a revocation is kept for the longest lifetime of access tokens
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`: this process rejects the tokens, but other processes
     *   may not, so call the method again; `ERR_INVALID_ARGUMENT` for an invalid spec, before anything is
     *   revoked
     */
    revoke: (...specs: readonly RevocationSpec[]) => revokeAs(undefined, ...specs),
    revokeAs,
    /**
     * Like `revoke`, but without events. For many clients whose epochs will be raised one after the other: their tokens
     * are rejected before the first epoch is raised. If this process stops before it raises the epoch of a client, the
     * next token request of the client raises it; see `withRepairedEpochs`.
     *
     * @throws {GatehouseError} as `revoke`
     */
    async revokeFirst(specs: readonly RevocationSpec[]): Promise<void> {
      await storeRevocations(specs)
    },
  }
}

/** @param byDefault the `until` of a spec without `until`, in epoch seconds, before it is rounded up */
export function withUntil(spec: RevocationSpec, byDefault: number): Revocation {
  const until =
    spec.until === undefined
      ? Math.ceil((byDefault + CLOCK_SKEW_SECONDS) / HOUR_SECONDS) * HOUR_SECONDS
      : spec.until + CLOCK_SKEW_SECONDS
  const revocation = asRevocation({ ...spec, until })
  if (revocation) return revocation
  throw new GatehouseError(
    'ERR_INVALID_ARGUMENT',
    'this cannot be revoked: a revocation needs an `id`, an operation needs `below`, and all numbers must be whole',
  )
}
