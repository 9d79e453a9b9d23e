import type { Begun, Commits } from '../../commit/commit.ts'
import type { Logger } from '../../host/logger.ts'
import { personOf, type Person } from '../../host/subject.ts'
import type { RemovalOptions } from '../../host/change-options.ts'
import type { hostRecords } from './blocked-hosts.ts'
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

  /** May be called again, and by several processes. */
  async function clear(origin: string): Promise<void> {
    const record = await hosts.get(origin)
    if (!record?.isClearing) return
    const { epoch, blockedBy: actor } = record
    for (const clientId of await documents.allOfOrigin(origin)) {
      for (let users = await documents.users(clientId); users.length > 0;) {
        for (const subject of users) {
          // Another process may have completed this block, and people may have approved clients since then.
          const current = await hosts.get(origin)
          if (current?.epoch !== epoch || !current.isClearing) return
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
    await hosts.update(origin, (stored) =>
      stored.epoch === epoch ? { ...stored, isClearing: false } : undefined,
    )
  }

  return {
    clear,
    /** Does not wait for the end. */
    begin(origin: string, begun: Begun): void {
      const cleared = clear(origin).then(() => commits.end(begun))
      cleared.catch((error: unknown) => {
        logger.warn(
          { err: error },
          'the grants of a blocked host could not be deleted; trying again within a minute',
        )
      })
    },
  }
}
