import { periodically } from '../async/periodically.ts'
import type { AuditWriter } from '../audit/audit.ts'
import type { EntryFields } from '../audit/entry.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { isStoreUnavailable } from '../errors.ts'
import { readMember, timedMember, timeOfMember } from '../store/time-index.ts'
import { clientRecords, type ClientChanged, type ClientRecord } from './client-record.ts'
import type { Client } from './client.ts'

/** A member is the time of the next notice and the client id. */
const EXPIRIES = 'clients:expiry'

const DAY_SECONDS = 86_400

/** Days before the expiry. 0 is the expiry itself. */
const NOTICE_DAYS = [0, 1, 7, 30] as const

type NoticeDays = (typeof NOTICE_DAYS)[number]

/** If several notices were missed, only the last of them is due. @param now milliseconds */
function dueNotice(expiresAt: number, now: number): NoticeDays | undefined {
  return NOTICE_DAYS.find((days) => noticeTime(expiresAt, days) <= now)
}

/** In milliseconds; undefined after the last notice. */
function nextNoticeTime(expiresAt: number, now: number): number | undefined {
  return NOTICE_DAYS.map((days) => noticeTime(expiresAt, days)).findLast((time) => time > now)
}

function noticeTime(expiresAt: number, days: NoticeDays): number {
  return (expiresAt - days * DAY_SECONDS) * 1000
}

const INTERVAL_MS = 15_000

const PAGE_SIZE = 100

export function expiryEntriesOf(
  { clientId, expiresAt }: Pick<Client, 'clientId' | 'expiresAt'>,
  now = Date.now(),
): [index: string, member: string][] {
  const next = expiresAt === undefined ? undefined : nextNoticeTime(expiresAt, now)
  return next === undefined ? [] : [[EXPIRIES, timedMember(next, clientId)]]
}

/**
 * Call it before the record is written, so that no notice is missed, and again afterwards: another process
 * may have removed an entry without a record. An old entry is removed when it is due.
 */
export async function listExpiry(
  store: Pick<Store, 'add'>,
  client: Pick<Client, 'clientId' | 'expiresAt'>,
): Promise<void> {
  await Promise.all(expiryEntriesOf(client).map((entry) => store.add(...entry)))
}

/** Notices whose time has passed already are not given. */
export function withNewExpiry<C extends Client>(record: ClientRecord<C>): ClientRecord<C> {
  const { noticed: _, ...others } = record
  const { expiresAt } = record.client
  const noticed = expiresAt === undefined ? undefined : dueNotice(expiresAt, Date.now())
  return { ...others, ...(noticed !== undefined && { noticed }) }
}

/** Gives a notice before a client expires and when it has expired: an entry and an event, by one process. */
export function createExpiryNotices(parts: {
  readonly store: Store
  readonly audit: Pick<AuditWriter, 'change'>
  readonly events: EventSink
  readonly clientChanged: ClientChanged
  readonly logger: Logger
  /** The same in all processes, in milliseconds. */
  readonly storeClock: { now(): number }
}) {
  const { store, audit, events, clientChanged, logger, storeClock } = parts
  const records = clientRecords(store, clientChanged)

  async function notify(clientId: string): Promise<Client | undefined> {
    return audit.change(records.key(clientId), async (outbox) => {
      let given: NoticeDays | undefined
      const record = await records.update(clientId, (stored) => {
        given = noticeOf(stored, storeClock.now())
        if (given === undefined) return outbox.put<ClientRecord>(undefined)
        return outbox.put({ ...stored, noticed: given }, entryOf(stored.client, given))
      })
      if (record && given !== undefined) emitNotice(events, record.client, given)
      return record?.client
    })
  }

  async function handle(member: string): Promise<void> {
    const clientId = readMember(store, EXPIRIES, member)
    const client = clientId === '' ? undefined : await notify(clientId)
    const entries = client ? expiryEntriesOf(client, storeClock.now()) : []
    for (const entry of entries) await store.add(...entry)
    if (!entries.some(([, next]) => next === member)) await store.remove(EXPIRIES, member)
  }

  async function giveDue(): Promise<void> {
    const now = storeClock.now()
    let due: string[] = []
    do {
      const page = await store.range(EXPIRIES, { after: due.at(-1), limit: PAGE_SIZE })
      due = page.filter((member) => !(timeOfMember(member) > now))
      for (const member of due) {
        await handle(member).catch((error: unknown) => {
          if (isStoreUnavailable(error)) throw error
          logger.debug({ err: error }, 'the expiry of a client could not be notified')
        })
      }
    } while (due.length === PAGE_SIZE)
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

function noticeOf(
  { client: { expiresAt }, noticed = Infinity }: ClientRecord,
  now: number,
): NoticeDays | undefined {
  const due = expiresAt === undefined ? undefined : dueNotice(expiresAt, now)
  return due !== undefined && due < noticed ? due : undefined
}

function entryOf(client: Client, days: NoticeDays): EntryFields {
  const { kind, clientId, name: clientName, accountId, userId, expiresAt = 0 } = client
  const name = days === 0 ? 'client.expired' : 'client.expiring'
  return { name, kind, clientId, clientName, accountId, userId, target: timeText(expiresAt) }
}

/** ISO 8601 in UTC. @param seconds epoch seconds */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

function emitNotice(events: EventSink, client: Client, days: NoticeDays): void {
  const { kind, clientId, accountId, userId, expiresAt = 0 } = client
  const details = { kind, clientId, accountId, userId, expiresAt }
  if (days === 0) events.emit('client.expired', details)
  else events.emit('client.expiring', { ...details, days })
}
