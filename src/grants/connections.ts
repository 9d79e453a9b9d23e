import type { Logger } from '../host/logger.ts'
import type { Person } from '../host/subject.ts'
import type { GrantLifecycle } from './grant-lifecycle.ts'
import { toGrant, type Grant } from './grant.ts'

/** An application that a person has authorized, with all scopes of the person's grants for the application. */
export interface Connection {
  readonly clientId: string
  /** The authorized scopes of all grants, by the address of their resource. */
  readonly scopes: ReadonlyMap<string, readonly string[]>
  /** The first authorization that still exists, in epoch seconds. */
  readonly connectedAt: number
  /** Epoch seconds of the last known use of any grant, updated at most once a day; undefined if none was used. */
  readonly lastUsedAt?: number | undefined
}

/**
 * Groups the grants of people by application. It reads all grants of the account, because a page may have only some of
 * those of an application, and their records, because an index entry names neither the application nor the user.
 */
export function createConnections(parts: {
  readonly index: Pick<GrantLifecycle['index'], 'all'>
  readonly logger: Logger
  readonly audience: string
}) {
  const { index, logger, audience } = parts
  return {
    /** The newest comes first. A grant with a corrupt record is left out and logged. */
    async list({ accountId, userId }: Person): Promise<readonly Connection[]> {
      const { items, corrupt } = await index.all(accountId)
      for (const { key, error } of corrupt) {
        logger.error({ err: error, key }, 'a list omits a grant whose record is corrupt')
      }
      const grants = new Map<string, Grant[]>()
      for (const item of items) {
        const { clientId, userId: user } = item.record
        if (userId !== undefined && userId !== user) continue
        const known = grants.get(clientId)
        if (known) known.push(toGrant(item, audience))
        else grants.set(clientId, [toGrant(item, audience)])
      }
      return [...grants].map(([clientId, each]) => toConnection(clientId, each)).toSorted(newestFirst)
    },
  }
}

function toConnection(clientId: string, grants: readonly Grant[]): Connection {
  const uses = grants.flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
  const scopes = new Map<string, string[]>()
  for (const grant of grants) {
    scopes.set(grant.resource, [...new Set([...(scopes.get(grant.resource) ?? []), ...grant.scopes])])
  }
  return {
    clientId,
    scopes,
    connectedAt: Math.min(...grants.map(({ authorizedAt }) => authorizedAt)),
    ...(uses.length > 0 && { lastUsedAt: Math.max(...uses) }),
  }
}

/** In the order of the client ids within a second, so that no connection is on two pages. */
function newestFirst(one: Connection, other: Connection): number {
  return other.connectedAt - one.connectedAt || (one.clientId < other.clientId ? -1 : 1)
}
