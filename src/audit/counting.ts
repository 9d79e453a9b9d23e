import type { Store } from '../store/contract.ts'
import { newEntryId, type AuditEntry, type PendingEntry } from './entry.ts'

/** Milliseconds for which equal acts are counted after the first of them. */
const COUNT_MS = 60_000

/**
 * Milliseconds after which any process writes the count of another process, which has probably stopped. Until then the
 * entries that the stopped process left in records and pending revocations are counted too.
 */
const GRACE_MS = 120_000

/** Minutes end at multiples of this time, so that their counts are written together. */
const STEP_MS = 5000

/** The maximum number of different acts that this process watches at the same time. Beyond it the oldest minutes end early. */
const MAX_DIFFERENT = 10_000

/** The number of entries of one account in an hour from which on acts of the whole account are counted. */
const MAX_PER_HOUR = 600
const HOUR_MS = 3_600_000

/** The number of accounts whose entries this process counts. */
const MAX_ACCOUNTS = 10_000

/** The index of the entries that wait to be counted: `<end>:<id of the count>:<time>:<id of the entry>:<pending entry>`. */
const INDEX = 'audit:counted'
const MEMBER = /^(\d{13}):([\w-]{1,64}):(\d{13}):[\w-]{1,64}:(.*)$/s

/** Seconds for which a waiting entry is kept if no process counts it. */
const KEPT_SECONDS = 30 * 86_400

const PAGE_SIZE = 1000
const BATCH_SIZE = 100

/** A minute in which equal acts are counted. */
interface Minute {
  /** Its end, in milliseconds since the epoch. */
  readonly until: number
  /** The id of the entry with the count; undefined after the first act, which is an entry of its own. */
  id?: string | undefined
  isOver: boolean
  /** The acts that began, and of which this process does not know yet that they are counted. */
  readonly open: Set<string>
}

/**
 * Counts equal acts, so that no client can push the entries of others out of the trail. The first act is an entry at
 * once. Equal acts of the next minute become one entry with a count, when the minute is over: an entry in the trail
 * never changes. Until then they wait in the store, so that another process can count them if this process stops.
 *
 * Each process counts for itself. So with several processes there is one such entry of each.
 *
 * @param parts.write adds entries to the trail; an entry that is in the trail already is not added again
 * @param parts.inBackground runs work that nothing waits for
 */
export function createCounting(parts: {
  readonly store: Store
  readonly write: (entries: readonly PendingEntry[]) => Promise<void>
  readonly inBackground: (work: Promise<void>) => void
  readonly now: () => number
}) {
  const { store, write, inBackground, now } = parts
  /** By what is equal. The minute that ends first comes first. */
  const minutes = new Map<string, Minute>()
  /** The minutes with a count that is not written yet, by its id. */
  const unwritten = new Map<string, Minute>()
  const accounts = new Map<string, { readonly until: number; entries: number }>()
  let timer: NodeJS.Timeout | undefined

  function isBusy(accountId: string | undefined): boolean {
    const hour = accountId === undefined ? undefined : accounts.get(accountId)
    return hour !== undefined && hour.until > now() && hour.entries >= MAX_PER_HOUR
  }

  /** Notes that an account gets one more entry. */
  function note(accountId: string | undefined): void {
    if (accountId === undefined) return
    const known = accounts.get(accountId)
    if (known && known.until > now()) known.entries += 1
    else {
      accounts.delete(accountId)
      accounts.set(accountId, { until: now() + HOUR_MS, entries: 1 })
      const [oldest] = accounts.keys()
      if (accounts.size > MAX_ACCOUNTS && oldest !== undefined) accounts.delete(oldest)
    }
  }

  function schedule(): void {
    const [next] = minutes.values()
    if (!next) return
    timer ??= setTimeout(
      () => {
        timer = undefined
        close(now())
        // The acts that never settled are counted by `resume`.
        for (const [id, { until }] of unwritten) if (until + GRACE_MS < now()) unwritten.delete(id)
        schedule()
      },
      Math.min(COUNT_MS, Math.max(0, next.until - now())),
    ).unref()
  }

  /** Ends the minutes that end at this time or before, or exceed the bound, and writes their counts. */
  function close(last: number): void {
    const ready = new Set<string>()
    for (const [key, minute] of minutes) {
      // If the clock was set back, the minute ends at once.
      const isRunning = minute.until > last && minute.until <= last + COUNT_MS
      if (isRunning && minutes.size <= MAX_DIFFERENT) break
      minutes.delete(key)
      minute.isOver = true
      if (minute.id !== undefined && minute.open.size === 0) ready.add(minute.id)
    }
    finish(ready)
  }

  /** Writes counts whose acts are all settled. */
  function finish(ids: ReadonlySet<string>): void {
    const last = Math.max(...[...ids].map((id) => unwritten.get(id)?.until ?? 0))
    for (const id of ids) unwritten.delete(id)
    if (ids.size > 0) inBackground(writeCounts(last, (id) => ids.has(id)))
  }

  /**
   * Writes the counts of the waiting entries, and removes these entries.
   *
   * @param last reads the minutes that end at this time or before
   * @param isReady selects counts by their id
   */
  async function writeCounts(last: number, isReady: (id: string) => boolean): Promise<void> {
    let group: string[] = []
    for (let page: string[] | undefined, after: string | undefined; page === undefined || page.length > 0;) {
      page = await store.range(INDEX, { after, limit: PAGE_SIZE })
      after = page.at(-1)
      for (const member of page) {
        const [, until, id = ''] = MEMBER.exec(member) ?? []
        if (Number(until) > last) page = []
        if (Number(until) > last || !isReady(id)) continue
        const isOfLast = MEMBER.exec(group.at(-1) ?? '')?.[2] === id
        if (!isOfLast && group.length >= PAGE_SIZE) group = await writeAll(group)
        group.push(member)
      }
    }
    await writeAll(group)
  }

  /** Writes the counts of these members. @returns no members */
  async function writeAll(members: readonly string[]): Promise<string[]> {
    const counts = new Map<string, { readonly text: string; count: number; until: number }>()
    for (const member of members) {
      const [, , id = '', at, text = ''] = MEMBER.exec(member) ?? []
      const known = counts.get(id) ?? { text, count: 0, until: 0 }
      counts.set(id, { ...known, count: known.count + 1, until: Number(at) })
    }
    const entries = [...counts].map(([id, { text, count, until }]) => {
      const { entry, after } = JSON.parse(text) as PendingEntry
      return { entry: { ...entry, id, count, until }, after }
    })
    if (entries.length > 0) await write(entries)
    for (let at = 0; at < members.length; at += BATCH_SIZE) {
      await Promise.all(members.slice(at, at + BATCH_SIZE).map((member) => store.remove(INDEX, member)))
    }
    return []
  }

  /** Settles acts: they are counted in the store, or did not happen. */
  function settle(entries: readonly PendingEntry[]): void {
    for (const { entry, into } of entries) {
      const minute = into && unwritten.get(into.id)
      if (!minute) continue
      minute.open.delete(entry.id)
      if (minute.isOver && minute.open.size === 0) finish(new Set([into.id]))
    }
  }

  return {
    /** Decides whether an act is an entry of its own, or is counted. Does no I/O. */
    mark(pending: PendingEntry): PendingEntry {
      const { entry, after } = pending
      const act = isBusy(entry.accountId) ? actOfAccount(entry) : entry.clientId && actOf(entry)
      const key = act && JSON.stringify(act)
      close(now())
      const minute = key && minutes.get(key)
      if (!minute) {
        if (key) {
          const until = Math.floor((now() + COUNT_MS) / STEP_MS) * STEP_MS
          minutes.set(key, { until, isOver: false, open: new Set() })
          if (minutes.size > MAX_DIFFERENT) close(now())
          schedule()
        }
        note(entry.accountId)
        return pending
      }
      const { id, at, address, userAgent } = entry
      if (minute.id === undefined) {
        minute.id = newEntryId()
        unwritten.set(minute.id, minute)
        note(entry.accountId)
      }
      minute.open.add(id)
      const origin = {
        ...(address !== undefined && { address }),
        ...(userAgent !== undefined && { userAgent }),
      }
      const into = { id: minute.id, until: minute.until }
      return { entry: { ...(JSON.parse(key) as AuditEntry), id, at, ...origin }, after, into }
    },

    settle,

    /**
     * Stores marked entries until they are counted. May be repeated.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    async add(entries: readonly PendingEntry[]): Promise<void> {
      await Promise.all(entries.map((each) => store.add(INDEX, memberOf(each), KEPT_SECONDS)))
      settle(entries)
    },

    /**
     * Writes the counts that other processes left behind.
     *
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    resume: () => writeCounts(now() - GRACE_MS, () => true),

    /** Ends all minutes, and writes their counts in the background. */
    end(): void {
      clearTimeout(timer)
      timer = undefined
      close(Infinity)
    },
  }
}

/** When and from where acts were made. */
const ORIGIN = ['id', 'at', 'address', 'userAgent']

/** What equal acts of one client have in common. What a client revokes by itself is one act for all its tokens. */
function actOf(entry: AuditEntry): object {
  const others = entry.reason === 'client-revoked-token' ? [...ORIGIN, 'tokenId', 'grantId'] : ORIGIN
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !others.includes(name)))
}

/** What acts of one account have in common that count as equal when the account has too many entries. */
function actOfAccount(entry: AuditEntry): object {
  const { name, outcome, kind, accountId, userId, actor, change, reason } = entry
  return { name, outcome, kind, accountId, userId, actor, change, reason }
}

function memberOf(pending: PendingEntry): string {
  const { entry, after, into } = pending
  const { id, until } = into ?? { id: entry.id, until: entry.at }
  return `${pad(until)}:${id}:${pad(entry.at)}:${entry.id}:${JSON.stringify({ entry, after })}`
}

function pad(milliseconds: number): string {
  return String(milliseconds).padStart(13, '0')
}
