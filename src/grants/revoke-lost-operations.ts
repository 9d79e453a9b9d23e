import { limitToPerson } from '../catalog/resolve-scopes.ts'
import { changeOptionsOf, type RemovalOptions } from '../host/change-options.ts'
import type { Account } from '../host/accounts.ts'
import type { EventSink } from '../host/events.ts'
import type { LongestLifetime } from '../revocation/longest-token-lifetime.ts'
import type { Commits } from '../commit/commit.ts'
import type { GrantLifecycle } from './grant-lifecycle.ts'
import type { ListedGrant } from './grant-index.ts'
import { toGrant } from './grant.ts'
import type { RevokedGrants } from './revoke-grants.ts'

const CONCURRENCY = 20

/** Revokes the tokens of grants that carry an operation that their user may no longer use. */
export function createRevokeLostOperations(parts: {
  readonly index: Pick<GrantLifecycle['index'], 'pages'>
  readonly commits: Pick<Commits, 'revoke'>
  readonly longestDelegatedLifetime: Pick<LongestLifetime, 'seconds'>
  /** Scopes that are no operations. */
  readonly openIdScopes: readonly string[]
  readonly audience: string
  readonly events: EventSink
}) {
  const { events, index, commits, longestDelegatedLifetime, openIdScopes, audience } = parts

  /**
   * The grants stay in use, and still contain the operation. If the user may use it again, new tokens carry it after
   * `longestDelegatedLifetime`. `users` are those with limited operations, by id.
   */
  return async function revokeLostOperations(
    accountId: string,
    users: ReadonlyMap<string | undefined, Account>,
    options: RemovalOptions,
  ): Promise<RevokedGrants> {
    if (users.size === 0) return { count: 0, errors: [] }
    const until = Math.ceil(Date.now() / 1000) + (await longestDelegatedLifetime.seconds())

    async function limit(item: ListedGrant): Promise<boolean> {
      const { grantId, clientId, userId, scopes: granted } = toGrant(item, audience)
      const user = users.get(userId)
      const kept = new Set(user ? limitToPerson(user, granted) : granted)
      const scopes = granted.filter((scope) => !kept.has(scope) && !openIdScopes.includes(scope))
      if (scopes.length === 0) return false
      const details = { grantId, accountId, userId, clientId, scopes }
      const { actor, reason } = options
      await commits.revoke(
        { of: 'grant', id: grantId, scopes, until },
        { name: 'grant.limited', ...details, reason, ...changeOptionsOf(options) },
      )
      events.emit('grant.limited', { ...details, actor })
      return true
    }

    let count = 0
    const errors: RevokedGrants['errors'][number][] = []
    for await (const { items, corrupt } of index.pages(accountId, CONCURRENCY)) {
      const limited = await Promise.all(items.map(limit))
      count += limited.filter(Boolean).length
      errors.push(...corrupt.map(({ error }) => error))
    }
    return { count, errors }
  }
}

export type RevokeLostOperations = ReturnType<typeof createRevokeLostOperations>
