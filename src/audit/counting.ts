import { createRateLimit } from '../async/rate-limit.ts'
import { newEntryId, type AuditEntry, type PendingEntry } from './entry.ts'
import type { ErasedPeople } from './erase-entry.ts'
import { eraseWaiting, storeUncounted, writeCounts, type CountsParts } from './waiting-counts.ts'

/** For this many milliseconds after an act, equal acts are only counted. */
const COUNT_MS = 60_000

/** After this, any process writes the count: its process has probably stopped, and what it left was found. */
const GRACE_MS = 120_000

/** Each minute of counting ends at a multiple of this time, so that several counts are written together. */
const STEP_MS = 5000

/** If more different acts are watched, the counting of the oldest ends early. */
const MAX_DIFFERENT = 10_000

/** After so many entries within an hour, further acts of an account are counted across all its clients. */
const MAX_PER_HOUR = 600

interface Minute {
  /** The id of the first act. */
  readonly first: string
  /** The end of the minute, in milliseconds since the epoch. */
  readonly until: number
  /** The id of the entry with the count; undefined until a second equal act happens. */
  id?: string | undefined
  isOver: boolean
  /** The ids of acts that are not settled: this process does not know yet whether they are counted. */
  readonly open: Set<string>
}

interface CountingParts extends CountsParts {
  readonly inBackground: (work: Promise<void>) => void
  readonly now: () => number
}

/**
 * Merges equal acts in the trail `changes`, so that no client pushes the entries of others out. The first act becomes
 * an entry at once. Equal acts within the next minute become one more entry with a count. It is written at the end of
 * the minute, because an entry never changes. Until then, these acts wait in the store, so that another process can
 * count them if this process stops. Each process counts only its own acts, and writes its own entry.
 */
export function createCounting(parts: CountingParts) {
  const { inBackground, now } = parts
  const accounts = createRateLimit({ windowSeconds: 3600, now: () => now() / 1000 })
  /** The running minutes, by the fields that are equal in their acts. The minute that ends first comes first. */
  const minutes = new Map<string, Minute>()
  const unwritten = new Map<string, Minute>()
  let timer: NodeJS.Timeout | undefined

  /** All acts of the counts must be settled. */
  function finish(ids: ReadonlySet<string>): void {
    const last = Math.max(...[...ids].map((id) => unwritten.get(id)?.until ?? 0))
    for (const id of ids) unwritten.delete(id)
    if (ids.size > 0) inBackground(writeCounts(parts, last, (id) => ids.has(id)))
  }

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

  function schedule(): void {
    const [next] = minutes.values()
    if (!next) return
    const closeLater = () => {
      timer = undefined
      close(now())
      // `resume` counts the acts that never settled.
      for (const [id, { until }] of unwritten) if (until + GRACE_MS < now()) unwritten.delete(id)
      schedule()
    }
    timer ??= setTimeout(closeLater, Math.min(COUNT_MS, Math.max(0, next.until - now()))).unref()
  }

  function settle(entries: readonly PendingEntry[]): void {
    for (const { entry, into } of entries) {
      const minute = into && unwritten.get(into.id)
      if (!minute) continue
      minute.open.delete(entry.id)
      if (minute.isOver && minute.open.size === 0) finish(new Set([into.id]))
    }
  }

  return {
    settle,

    /** Decides whether an act is an entry of its own, or is counted. Does no I/O. */
    mark(pending: PendingEntry): PendingEntry {
      const { entry, after } = pending
      const { id, at, accountId, clientId, address, userAgent } = entry
      const hourly = accountId === undefined ? [] : [{ key: accountId, max: MAX_PER_HOUR }]
      const isBusy = accounts.waitSeconds(hourly) > 0
      const act = isBusy ? actOfAccount(entry) : clientId && actOf(entry)
      const key = act && JSON.stringify(act)
      close(now())
      const minute = key && minutes.get(key)
      // A retry of a change makes its entry again, with the same id.
      if (minute && minute.first === id) return pending
      if (!minute || minute.id === undefined) hourly.forEach(accounts.add)
      if (minute) {
        minute.id ??= newEntryId()
        unwritten.set(minute.id, minute)
        minute.open.add(id)
        const common = JSON.parse(key) as AuditEntry
        const into = { id: minute.id, until: minute.until }
        return { entry: { ...common, id, at, address, userAgent }, after, into }
      }
      if (key) {
        const until = Math.floor((now() + COUNT_MS) / STEP_MS) * STEP_MS
        minutes.set(key, { first: id, until, isOver: false, open: new Set() })
        if (minutes.size > MAX_DIFFERENT) close(now())
        schedule()
      }
      return pending
    },

    async add(entries: readonly PendingEntry[]): Promise<void> {
      await storeUncounted(parts, entries)
      settle(entries)
    },

    erase: (people: ErasedPeople) => eraseWaiting(parts, people),

    resume: () => writeCounts(parts, now() - GRACE_MS, () => true),

    end(): void {
      clearTimeout(timer)
      timer = undefined
      close(Infinity)
    },
  }
}

/** Fields that may differ between equal acts. */
const ORIGIN = ['id', 'at', 'address', 'userAgent', 'clientName', 'before', 'after']

/** If a client revokes several of its own tokens, these revocations count as equal acts. */
function actOf(entry: AuditEntry): object {
  const others = entry.reason === 'client-revoked-token' ? [...ORIGIN, 'tokenId', 'grantId'] : ORIGIN
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !others.includes(name)))
}

/** The fields that are the same in equal acts of one account, if the account has too many entries. */
function actOfAccount(entry: AuditEntry): object {
  const { name, outcome, kind, accountId, userId, actor, change, reason } = entry
  return { name, outcome, kind, accountId, userId, actor, change, reason }
}
