import { coalesce } from '../../async/coalesce.ts'
import { periodically } from '../../async/periodically.ts'
import type { Logger } from '../../host/logger.ts'
import { personOf, type Person } from '../../host/subject.ts'
import type { RemovalOptions } from '../../host/change-options.ts'
import type { hostRecords, HostRecord } from './blocked-hosts.ts'
import type { StoredDocuments } from './stored-documents.ts'

const INTERVAL_MS = 60_000

/** Deletes the grants of blocked hosts. People stay listed until then, so that another process can continue. */
export function createClearing(parts: {
  readonly hosts: Pick<ReturnType<typeof hostRecords>, 'get' | 'pages' | 'update'>
  readonly documents: Pick<StoredDocuments, 'allOfOrigin' | 'users' | 'removeUser'>
  readonly revokeGrants: (
    person: Person,
    clientId: string,
    options: RemovalOptions,
  ) => Promise<{ readonly errors: readonly Error[] }>
  readonly logger: Logger
}) {
  const { hosts, documents, revokeGrants, logger } = parts

  async function clear({ origin, epoch, blockedBy: actor }: HostRecord): Promise<void> {
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
    await hosts.update(origin, (record) =>
      record.epoch === epoch ? { ...record, isClearing: false } : undefined,
    )
  }

  const run = coalesce(async () => {
    for await (const { items } of hosts.pages()) {
      for (const { record } of items) if (record.isClearing) await clear(record)
    }
  })

  const runOrWarn = () =>
    run().catch((error: unknown) => {
      logger.warn(
        { err: error },
        'the grants of a blocked host could not be deleted; trying again within a minute',
      )
    })

  return {
    /** Does not wait for the end. */
    begin: () => void runOrWarn(),
    /** Now, and then every minute. @returns a function that stops this */
    start(): () => void {
      void runOrWarn()
      return periodically(runOrWarn, INTERVAL_MS)
    },
  }
}
