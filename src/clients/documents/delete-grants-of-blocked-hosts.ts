import type { Begun, Commits } from '../../commit/commit.ts'
import type { Logger } from '../../host/logger.ts'
import { personOf, type Person } from '../../host/subject.ts'
import type { RemovalOptions } from '../../host/change-options.ts'
import type { hostRecords, HostRecord } from './blocked-hosts.ts'
import type { StoredDocuments } from './stored-documents.ts'

/** Deletes the grants of blocked hosts. People stay listed until then, so that another process can continue. */
export function createClearing(parts: {
  readonly hosts: Pick<ReturnType<typeof hostRecords>, 'get' | 'update'>
  readonly documents: Pick<StoredDocuments, 'allOfOrigin' | 'users' | 'removeUser'>
  readonly commits: Pick<Commits, 'end'>
  readonly revokeGrants: (
    person: Person,
    clientId: string,
    options: RemovalOptions,
  ) => Promise<{ readonly errors: readonly Error[] }>
  readonly logger: Logger
}) {
  const { hosts, documents, commits, revokeGrants, logger } = parts

  /** May be called again, also by several processes. The host may be blocked again, or imported, meanwhile. */
  async function clear(origin: string): Promise<void> {
    for (let host = await hosts.get(origin); host?.isClearing; host = await hosts.get(origin)) {
      const { epoch } = host
      if (await deleteGrants(host))
        await hosts.update(origin, (stored) =>
          stored.epoch === epoch ? { ...stored, isClearing: false } : undefined,
        )
    }
  }

  /** False if another process has completed this block. People may have approved clients since then. */
  async function deleteGrants({ origin, epoch, blockedBy: actor }: HostRecord): Promise<boolean> {
    for (const clientId of await documents.allOfOrigin(origin)) {
      for (let users = await documents.users(clientId); users.length > 0;) {
        for (const subject of users) {
          const current = await hosts.get(origin)
          if (current?.epoch !== epoch || !current.isClearing) return false
          const { errors } = await revokeGrants(personOf(subject), clientId, {
            actor,
            reason: 'host-blocked',
          })
          for (const error of errors) logger.error({ err: error }, 'a grant of a blocked host is corrupt')
          await documents.removeUser(clientId, subject)
        }
        users = await documents.users(clientId)
      }
    }
    return true
  }

  const running = new Map<string, Promise<void>>()

  /** Does not wait for the end. */
  function begin(origin: string, begun?: Begun): void {
    const cleared = running.get(origin) ?? clear(origin).finally(() => running.delete(origin))
    running.set(origin, cleared)
    cleared
      .then(() => begun && commits.end(begun))
      .catch((error: unknown) => {
        logger.warn(
          { err: error },
          'the grants of a blocked host could not be deleted; trying again within a minute',
        )
      })
  }

  return {
    begin,
    /** Undefined until nothing is left to delete. */
    async finish(origin: string): Promise<[] | undefined> {
      if (!(await hosts.get(origin))?.isClearing) return []
      begin(origin)
      return undefined
    },
  }
}
