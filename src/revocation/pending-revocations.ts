import { randomBytes } from 'node:crypto'
import { GatehouseError } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import type { LongestLifetime } from './longest-token-lifetime.ts'

/** What a change takes something away from. */
export interface Subject {
  readonly of: 'client' | 'grant' | 'account'
  readonly id: string
}

/** Changes that were begun, so that others can finish them. */
export interface PendingRevocations {
  /**
   * Notes that a change begins.
   *
   * @returns what to hand to `end`
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  begin(subject: Subject): Promise<string>
  /** Notes that a change is finished. Never rejects: what stays is finished once more, which does no harm. */
  end(entry: string): Promise<void>
  /**
   * Finishes all that seems to be abandoned.
   *
   * @param finish may be called for a change that goes on, and more than once for each
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  settle(finish: (subject: Subject) => Promise<void>): Promise<void>
  /** What changes were begun of that are not finished, here or anywhere, each once. */
  subjects(): Promise<readonly Subject[]>
}

/** An index of what was begun: `<milliseconds>:<random>:<subject as JSON>`. */
const BEGUN = 'revocations:pending'

/** What each begins with. */
const ENTRY = /^\d{13}:[\w-]{8}:/

/** Characters before the subject. */
const HEAD = 23

/** Milliseconds after which a change seems to be abandoned. */
const ABANDONED_AFTER = 15_000

/**
 * Milliseconds after which its note goes. Until then it is finished again and again: whoever began it may just be
 * slow, or have another clock, and make the change after the first time.
 */
const GONE_AFTER = 600_000

/** Milliseconds between two times that one process finishes the same. */
const AGAIN_AFTER = 60_000

const PAGE = 1000

/**
 * @param parts.now milliseconds since the epoch
 */
export function createPendingRevocations(parts: {
  readonly store: Store
  readonly longestLifetime: LongestLifetime
  readonly logger: Logger
  readonly now: () => number
}): PendingRevocations {
  const { store, longestLifetime, logger, now } = parts
  /** When this process has finished an entry, by its own clock. */
  let finishedAt = new Map<string, number>()

  async function end(entry: string): Promise<void> {
    await store.remove(BEGUN, entry).catch((error: unknown) => {
      logger.debug({ err: error }, 'a revocation that is finished will be finished once more')
    })
  }

  async function all(): Promise<string[]> {
    const entries: string[] = []
    for (let page: string[] | undefined; page === undefined || page.length === PAGE;) {
      page = await store.range(BEGUN, { after: entries.at(-1), limit: PAGE })
      entries.push(...page)
    }
    return entries
  }

  /** Milliseconds since it was begun, or until then where the clock of whoever began it is ahead; `Infinity` of no entry. */
  function ageOf(entry: string): number {
    return ENTRY.test(entry) ? Math.abs(now() - Number(entry.slice(0, 13))) : Infinity
  }

  function isDue(entry: string): boolean {
    const age = ageOf(entry)
    if (age <= ABANDONED_AFTER) return false
    const finished = finishedAt.get(entry)
    return finished === undefined || age > GONE_AFTER || Math.abs(now() - finished) > AGAIN_AFTER
  }

  /** Finishes all entries of one subject at a time. */
  async function finishOne(entries: readonly string[], finish: () => Promise<void>): Promise<void> {
    try {
      await finish()
    } catch (error) {
      if (error instanceof GatehouseError && error.code === 'ERR_STORE_UNAVAILABLE') throw error
      // One that cannot be finished must not keep the others from it.
      logger.error({ err: error }, 'a revocation that was begun could not be finished; it is tried again')
      return
    }
    for (const entry of entries) {
      finishedAt.set(entry, now())
      if (ageOf(entry) > GONE_AFTER) await end(entry)
    }
  }

  return {
    end,

    async subjects() {
      return [...bySubject(await all()).keys()].flatMap((text) => readSubject(text) ?? [])
    },

    async begin(subject) {
      const time = String(now()).padStart(13, '0')
      const entry = `${time}:${randomBytes(6).toString('base64url')}:${JSON.stringify(subject)}`
      // At most as long as it could matter.
      await store.add(BEGUN, entry, await longestLifetime.seconds())
      return entry
    },

    async settle(finish) {
      const entries = await all()
      const here = new Set(entries)
      finishedAt = new Map([...finishedAt].filter(([entry]) => here.has(entry)))
      for (const [text, ofSubject] of bySubject(entries.filter(isDue))) {
        const subject = readSubject(text)
        if (subject) await finishOne(ofSubject, () => finish(subject))
      }
      // By then every token has expired that it could be about; also what a newer version noted, and nobody knows here.
      const longest = Math.max(longestLifetime.secondsKnown * 1000, GONE_AFTER)
      for (const entry of entries.filter((each) => ageOf(each) > longest)) await end(entry)
    },
  }
}

function bySubject(entries: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const entry of entries) {
    const text = entry.slice(HEAD)
    const group = groups.get(text)
    if (group) group.push(entry)
    else groups.set(text, [entry])
  }
  return groups
}

function readSubject(text: string): Subject | undefined {
  try {
    const { of, id } = JSON.parse(text) as Record<string, unknown>
    return isKind(of) && typeof id === 'string' ? { of, id } : undefined
  } catch {
    return undefined
  }
}

function isKind(of: unknown): of is Subject['of'] {
  return of === 'client' || of === 'grant' || of === 'account'
}
