import { coalesce } from '../async/coalesce.ts'
import type { EntryFields } from '../audit/entry.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Person } from '../host/subject.ts'

/** Maximum number of grants in use that one person may have for one application. */
export const MAX_GRANTS_OF_PAIR = 100

/** A person, and an application that the person authorizes. */
export interface GrantPair extends Person {
  readonly clientId: string
}

/**
 * Creates the function that revokes the oldest grants of a person for an application if there are too many. The
 * revocation happens in the background, so no request waits for it. If it fails, the next call for the same person and
 * application tries again.
 *
 * @param parts.listOverLimit returns the ids of the grants of a pair that exceed the limit
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
