// Model: test/proof/models/revocation-feed.pml
import type { EventSink } from '../host/events.ts'
import type { RevocationSet } from './is-revoked.ts'
import { withUntil, type RevocationSpec } from './kept-until.ts'
import type { LongestLifetime } from './longest-token-lifetime.ts'
import type { Revocation } from './revocation.ts'
import type { RevocationLog } from './revocation-log.ts'

/** Stores revocations. `commit/` lists them before, so that another process can complete them. */
export function createRevocations(parts: {
  readonly log: Pick<RevocationLog, 'add'>
  readonly set: Pick<RevocationSet, 'add'>
  readonly longestLifetime: LongestLifetime
  /** The longest lifetime of the tokens of grants. @default `longestLifetime` */
  readonly longestDelegatedLifetime?: LongestLifetime | undefined
  readonly events?: Pick<EventSink, 'emit'> | undefined
  /** Milliseconds since the epoch. @default the clock of this process */
  readonly now?: (() => number) | undefined
}) {
  const { log, set, longestLifetime, longestDelegatedLifetime = longestLifetime, events } = parts
  const { now = () => Date.now() } = parts
  const lifetimeOf = ({ of }: RevocationSpec) => (of === 'grant' ? longestDelegatedLifetime : longestLifetime)
  const withEnd = (spec: RevocationSpec) => withUntil(spec, now() / 1000 + lifetimeOf(spec).secondsKnown)

  async function storeRevocations(specs: readonly RevocationSpec[]): Promise<readonly Revocation[]> {
    if (specs.length === 0) return []
    // This process rejects the tokens immediately, even while the store is unavailable.
    set.add(specs.map(withEnd))
    const lifetimes = specs.filter(({ until }) => until === undefined).map(lifetimeOf)
    await Promise.all([...new Set(lifetimes)].map((each) => each.seconds()))
    const revocations = specs.map(withEnd)
    set.add(revocations)
    await log.add(revocations)
    return revocations
  }

  async function revokeAs(actor: string | undefined, ...specs: readonly RevocationSpec[]) {
    const revocations = await storeRevocations(specs)
    for (const { of, id } of revocations) {
      events?.emit('token.revoked', { of, id, ...(actor !== undefined && { actor }) })
    }
    return revocations
  }

  return {
    /**
     * This process rejects the tokens immediately, and all other processes within moments. Resolves with the
     * revocations when they are stored. Without `until`, a revocation is kept for the longest lifetime of the
     * tokens that it may cover. After `ERR_STORE_UNAVAILABLE` call the method again, because other processes
     * may still accept the tokens. `ERR_INVALID_ARGUMENT` comes before anything is revoked.
     */
    revoke: (...specs: readonly RevocationSpec[]) => revokeAs(undefined, ...specs),
    revokeAs,
    /**
     * Like `revoke`, but without events: for many clients before their epochs are raised one after the other. If this
     * process stops before, `withRepairedEpochs` raises the epoch with the next token request of a client.
     */
    async revokeFirst(specs: readonly RevocationSpec[]): Promise<void> {
      await storeRevocations(specs)
    },
  }
}

export type Revocations = ReturnType<typeof createRevocations>
