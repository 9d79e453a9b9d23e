import { coalesce } from '../../async/coalesce.ts'
import { periodically } from '../../async/periodically.ts'
import type { Logger } from '../../host/logger.ts'
import { personOf, type Person } from '../../host/subject.ts'
import type { RemovalOptions } from '../../host/change-options.ts'
import type { hostRecords, HostRecord } from './blocked-hosts.ts'
import type { StoredDocuments } from './stored-documents.ts'

const INTERVAL_MS = 60_000
/** More hosts than an operator blocks by hand. */
const MAX_HOSTS = 1000

/**
 * Deletes the grants of blocked hosts in the background. The tokens are revoked already. If a process stops, another process
 * continues: people whose grants were deleted are removed from the list of users, and the rest is found again.
 *
 * @param parts.revokeGrants revokes what a person has authorized a client to do
 */
export function createClearing(parts: {
  readonly hosts: Pick<ReturnType<typeof hostRecords>, 'list' | 'update'>
  readonly documents: Pick<StoredDocuments, 'ofOrigin' | 'users' | 'removeUser'>
  readonly revokeGrants: (person: Person, clientId: string, options: RemovalOptions) => Promise<unknown>
  readonly logger: Logger
}) {
  const { hosts, documents, revokeGrants, logger } = parts

  async function clear({ origin, blockedBy: actor }: HostRecord): Promise<void> {
    for (const clientId of await documents.ofOrigin(origin)) {
      for (let users = await documents.users(clientId); users.length > 0;) {
        for (const subject of users) {
          await revokeGrants(personOf(subject), clientId, { actor, reason: 'host-blocked' })
          await documents.removeUser(clientId, subject)
        }
        users = await documents.users(clientId)
      }
    }
    await hosts.update(origin, (record) => ({ ...record, isClearing: false }))
  }

  const run = coalesce(async () => {
    for (const record of await hosts.list(undefined, MAX_HOSTS)) if (record.isClearing) await clear(record)
  })

  const runOrWarn = () =>
    run().catch((error: unknown) => {
      logger.warn(
        { err: error },
        'the grants of a blocked host could not be deleted; trying again within a minute',
      )
    })

  return {
    /** Begins now, without waiting for the end. */
    begin: () => void runOrWarn(),
    /** Begins now, and then every minute. @returns a function that stops this */
    start(): () => void {
      void runOrWarn()
      return periodically(runOrWarn, INTERVAL_MS)
    },
  }
}
