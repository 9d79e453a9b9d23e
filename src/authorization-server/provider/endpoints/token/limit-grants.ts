import { coalesce } from '../../../../async/coalesce.ts'
import type { GrantPair } from '../../../../grants/grant-index.ts'
import type { ProviderParts } from '../../dependencies.ts'

/**
 * Creates the function that revokes the oldest grants of a person for an application if there are too many.
 */
export function createLimitGrants({
  grantLifecycle,
  revokeGrant,
  events,
  logger,
}: Pick<
  ProviderParts,
  'grantLifecycle' | 'revokeGrant' | 'events' | 'logger'
>): ProviderParts['limitGrants'] {
  const due = new Map<string, GrantPair>()

  async function revokeSurplus(pair: GrantPair): Promise<void> {
    for (const grantId of await grantLifecycle.index.listOverLimit(pair)) {
      const details = { grantId, ...pair }
      await revokeGrant(grantId, { name: 'grant.revoked', ...details, reason: 'too-many-grants' })
      events.emit('grant.revoked', details)
    }
  }

  const revokeDue = coalesce(async () => {
    const pairs = [...due.values()]
    due.clear()
    for (const pair of pairs) {
      await revokeSurplus(pair).catch((error: unknown) => {
        logger.debug(
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
