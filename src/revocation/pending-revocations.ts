import { randomBytes } from 'node:crypto'
import { isStoreUnavailable } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { findProblems, oneOf, stringRule } from '../validation/rules.ts'
import type { LongestLifetime } from './longest-token-lifetime.ts'

/** The client, grant or account whose tokens a change revokes. */
export interface Subject {
  readonly of: 'client' | 'grant' | 'account'
  readonly id: string
}

const SUBJECT = { of: oneOf('client', 'grant', 'account'), id: stringRule }

/** The index of the pending entries. The text of an entry is `<milliseconds>:<random>:<subject as JSON>`. */
const INDEX = 'revocations:pending'

const ENTRY_PREFIX = /^\d{13}:[\w-]{8}:/
const ENTRY_PREFIX_LENGTH = 23

/**
 * If an entry is older than this, in milliseconds, the process that added the entry has probably stopped. Other
 * processes then complete the change.
 */
const ABANDONED_AFTER_MS = 15_000

/**
 * The age in milliseconds at which a completed entry is removed. The process that added the entry may be slow,
 * and may make its change after another process has completed the entry. So processes complete a younger entry
 * again and again.
 */
const REMOVE_AFTER_MS = 600_000

/** Milliseconds between two attempts of one process to complete the same entry. */
const RESUME_INTERVAL_MS = 60_000

const PAGE_SIZE = 1000

/**
 * Lists the changes that revoke tokens and are not finished yet. A process adds an entry to the list before
 * it begins such a change, and removes the entry when the revocations are stored. If the process stops in
 * between, another process finds the entry and completes the change.
 *
 * @param parts.now milliseconds since the epoch
 */
export function createPendingRevocations(parts: {
  readonly store: Store
  readonly longestLifetime: LongestLifetime
  readonly logger: Logger
  readonly now: () => number
}) {
  const { store, longestLifetime, logger, now } = parts
  /** When this process last completed each entry. */
  let resumedAt = new Map<string, number>()

  /**
   * Removes the entry of a completed change. Never rejects. If the entry stays, its change is completed
   * again, which is harmless.
   */
  async function remove(entry: string): Promise<void> {
    await store.remove(INDEX, entry).catch((error: unknown) => {
      logger.debug({ err: error }, 'a completed revocation stays listed; it will be completed again')
    })
  }

  async function readEntries(): Promise<string[]> {
    const entries: string[] = []
    for (let page: string[] | undefined; page === undefined || page.length === PAGE_SIZE;) {
      page = await store.range(INDEX, { after: entries.at(-1), limit: PAGE_SIZE })
      entries.push(...page)
    }
    return entries
  }

  /**
   * Milliseconds between now and the time of an entry, which may be in the past or in the future; `Infinity`
   * for a corrupt entry.
   */
  function ageOf(entry: string): number {
    return ENTRY_PREFIX.test(entry) ? Math.abs(now() - Number(entry.slice(0, 13))) : Infinity
  }

  function isDue(entry: string): boolean {
    const age = ageOf(entry)
    if (age <= ABANDONED_AFTER_MS) return false
    const resumed = resumedAt.get(entry)
    return resumed === undefined || age > REMOVE_AFTER_MS || Math.abs(now() - resumed) > RESUME_INTERVAL_MS
  }

  /**
   * Completes all entries of one subject by one call of `resume`. @throws only if the store is unavailable
   */
  async function resumeEntries(entries: readonly string[], resume: () => Promise<void>): Promise<void> {
    try {
      await resume()
    } catch (error) {
      if (isStoreUnavailable(error)) throw error
      // The error of one subject does not stop the work on other subjects.
      logger.error({ err: error }, 'a pending revocation could not be completed; trying again')
      return
    }
    for (const entry of entries) {
      resumedAt.set(entry, now())
      if (ageOf(entry) > REMOVE_AFTER_MS) await remove(entry)
    }
  }

  return {
    remove,

    /** The subjects of all pending changes of all processes, without duplicates. */
    async list(): Promise<readonly Subject[]> {
      return [...groupBySubject(await readEntries()).keys()].flatMap((text) => readSubject(text) ?? [])
    },

    /**
     * Adds an entry. Call this before the change of the subject begins.
     *
     * @returns the entry, for `remove`
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    async add(subject: Subject): Promise<string> {
      const time = String(now()).padStart(13, '0')
      const entry = `${time}:${randomBytes(6).toString('base64url')}:${JSON.stringify(subject)}`
      await store.add(INDEX, entry, await longestLifetime.seconds())
      return entry
    },

    /**
     * Completes all entries whose process seems to have stopped.
     *
     * @param resume completes the change of a subject. It may be called while the change is still running,
     *   and several times for each entry
     * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
     */
    async resumeAll(resume: (subject: Subject) => Promise<void>): Promise<void> {
      const entries = await readEntries()
      const listed = new Set(entries)
      resumedAt = new Map([...resumedAt].filter(([entry]) => listed.has(entry)))
      for (const [text, ofSubject] of groupBySubject(entries.filter(isDue))) {
        const subject = readSubject(text)
        if (subject) await resumeEntries(ofSubject, () => resume(subject))
      }
      // After the longest lifetime, all tokens that an entry can concern have expired. So the entry is
      // removed, even if a newer version of this library wrote it in another format.
      const longest = Math.max(longestLifetime.secondsKnown * 1000, REMOVE_AFTER_MS)
      for (const entry of entries.filter((each) => ageOf(each) > longest)) await remove(entry)
    },
  }
}

function groupBySubject(entries: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const entry of entries) {
    const text = entry.slice(ENTRY_PREFIX_LENGTH)
    groups.set(text, [...(groups.get(text) ?? []), entry])
  }
  return groups
}

function readSubject(text: string): Subject | undefined {
  try {
    const { of, id } = JSON.parse(text) as Subject
    return findProblems({ of, id }, SUBJECT).length === 0 ? { of, id } : undefined
  } catch {
    return undefined
  }
}
