import { periodically } from '../async/periodically.ts'
import type { EntryFields } from '../audit/entry.ts'
import type { Commits } from '../commit/commit.ts'
import type { EventOf } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { isStoreUnavailable } from '../errors.ts'
import { pagesOf } from '../store/pages-of-index.ts'
import { readMember, timeOfMember } from '../store/time-index.ts'
import { EXPIRIES, expiryEntriesOf } from './index-entries.ts'
import { clientRecords, type ClientChanged, type ClientRecord } from './client-record.ts'
import type { Client } from './client.ts'
import { dueNotice, type NoticeDays, timeText } from './expiry-policy.ts'

const INTERVAL_MS = 15_000

const PAGE_SIZE = 100

/** A client that is being created or changed has its entry before its record, but for a shorter time. */
const STALE_AFTER_MS = 60_000

/** Gives notices before a client expires, and when it has expired: an entry and an event, by one process. */
export function createExpiryNotices(parts: {
  readonly store: Store
  readonly commits: Pick<Commits, 'commit'>
  readonly clientChanged: ClientChanged
  readonly logger: Logger
  /** The same in all processes, in milliseconds. */
  readonly storeClock: { now(): number }
}) {
  const { store, commits, clientChanged, logger, storeClock } = parts
  const records = clientRecords(store, clientChanged)

  async function notify(clientId: string) {
    const now = storeClock.now()
    const due = (found: ClientRecord | undefined) => found && noticeOf(found, now)
    const { stored, isChanged } = await commits.commit({
      record: records.changeable(clientId),
      write(found) {
        const noticed = due(found)
        return found && noticed !== undefined ? { ...found, noticed } : undefined
      },
      entry: (found) => entryOf(found.client, due(found)),
      event: (found) => eventOf(found.client, due(found)),
    })
    return { client: stored?.client, isGiven: isChanged }
  }

  async function handle(member: string): Promise<void> {
    const clientId = readMember(store, EXPIRIES, member)
    const found = clientId === '' ? undefined : await notify(clientId)
    const now = storeClock.now()
    const entries = found?.client ? expiryEntriesOf(found.client, now) : []
    for (const entry of entries) await store.add(...entry)
    if (entries.some(([, next]) => next === member)) return
    if (found?.isGiven || !(timeOfMember(member) > now - STALE_AFTER_MS)) await store.remove(EXPIRIES, member)
  }

  async function giveDue(): Promise<void> {
    const now = storeClock.now()
    for await (const page of pagesOf(store, EXPIRIES, { limit: PAGE_SIZE })) {
      const due = page.filter((member) => !(timeOfMember(member) > now))
      for (const member of due) {
        await handle(member).catch((error: unknown) => {
          if (isStoreUnavailable(error)) throw error
          logger.debug({ err: error }, 'the expiry of a client could not be notified')
        })
      }
      if (due.length < page.length) return
    }
  }

  return {
    giveDue,

    /** Gives the due notices now, and later each within 15 seconds. @returns a function that stops this */
    start(): () => void {
      const giveOrLog = () =>
        giveDue().catch((error: unknown) => {
          logger.debug({ err: error }, 'the notices of clients that expire will be given later')
        })
      void giveOrLog()
      return periodically(giveOrLog, INTERVAL_MS)
    },
  }
}

function noticeOf({ client: { expiresAt }, noticed = Infinity }: ClientRecord, now: number) {
  const due = expiresAt === undefined ? undefined : dueNotice(expiresAt, now)
  return due !== undefined && due < noticed ? due : undefined
}

function entryOf(client: Client, days: NoticeDays | undefined): EntryFields {
  const { kind, clientId, name: clientName, accountId, userId, expiresAt = 0 } = client
  const name = days ? 'client.expiring' : 'client.expired'
  return { name, kind, clientId, clientName, accountId, userId, target: timeText(expiresAt) }
}

function eventOf(client: Client, days: NoticeDays | undefined): EventOf {
  const { kind, clientId, accountId, userId, expiresAt = 0 } = client
  const details = { kind, clientId, accountId, userId, expiresAt }
  return days ? ['client.expiring', { ...details, days }] : ['client.expired', details]
}
