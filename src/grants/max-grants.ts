import { coalesce } from '../async/coalesce.ts'
import type { EntryFields } from '../audit/entry.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Person } from '../host/subject.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { createClaim } from '../store/slot-counters.ts'

export const MAX_GRANTS_OF_PAIR = 100

/** Each grant may leave a revocation, which every process keeps in memory. */
const GRANTS_AN_HOUR = { slotSeconds: 360, slots: 10, max: 60 }

export interface GrantPair extends Person {
  readonly clientId: string
}

/**
 * Revokes the oldest of more than 100 grants of a person for an application, in the background. If that fails, the next
 * call for the same person and application tries again.
 */
export function createLimitGrants(parts: {
  listOverLimit(pair: GrantPair): Promise<string[]>
  revokeGrant(grantId: string, entry: EntryFields): Promise<void>
  readonly events: EventSink
  readonly logger: Logger
}): (pair: GrantPair) => void {
  const due = new Map<string, GrantPair>()

  async function revokeSurplus(pair: GrantPair): Promise<void> {
    for (const grantId of await parts.listOverLimit(pair)) {
      const details = { grantId, ...pair }
      await parts.revokeGrant(grantId, { name: 'grant.revoked', ...details, reason: 'too-many-grants' })
      parts.events.emit('grant.revoked', details)
    }
  }

  const revokeDue = coalesce(async () => {
    const pairs = [...due.values()]
    due.clear()
    for (const pair of pairs) {
      await revokeSurplus(pair).catch((error: unknown) => {
        parts.logger.debug(
          { err: error, ...pair },
          'the oldest grants could not be revoked; the next authorization tries again',
        )
      })
    }
  })

  return function limitGrants({ accountId, userId, clientId }) {
    const pair = { accountId, ...(userId !== undefined && { userId }), clientId }
    due.set(JSON.stringify(pair), pair)
    void revokeDue()
  }
}

/** Counts the new grants of each person for each application, in all processes together. */
export function createCountNewGrant(store: Pick<Store, 'count'>): (pair: GrantPair) => Promise<boolean> {
  const claim = createClaim(store, GRANTS_AN_HOUR)
  return ({ accountId, userId, clientId }) =>
    claim(`grants:new:${digest(JSON.stringify([accountId, userId ?? null, clientId]))}`)
}
