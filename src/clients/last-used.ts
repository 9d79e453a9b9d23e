import type { Logger } from '../host/logger.ts'
import { createCollection, type Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { countRule } from '../validation/rules.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { createLru } from '../async/lru.ts'

const HOUR = 3600

/** Clients whose last write is remembered; beyond that the least recently written one is written again. */
const MAX_REMEMBERED = 50_000

/** When clients last got a token, to the hour, for a fraction of a write per token. */
export interface Usage {
  /** Notes that a client got a token now. Returns at once and never fails: no token waits for a note. */
  touch(clientId: string): void
  /**
   * When each of the clients last got a token, in epoch seconds rounded down to the hour; undefined if never, and
   * where the note of it cannot be read, which the next use writes anew.
   */
  lastUsed(clientIds: readonly string[]): Promise<(number | undefined)[]>
  /** Forgets a client that was deleted. */
  forget(clientId: string): Promise<void>
}

/** When a client last got a token. */
export interface LastUse {
  /** Epoch seconds, rounded down to the hour. */
  readonly lastUsedAt: number
}

/** The last uses in the store, by client id. */
export function storedLastUses(store: Store): Collection<LastUse> {
  return createCollection(store, { name: 'client-usage', version: 1, fields: { lastUsedAt: countRule } })
}

/** Keeps usage in the store: at most one write per client, hour and process. */
export function createLastUsed({ store, logger }: { store: Store; logger: Logger }): Usage {
  const records = storedLastUses(store)
  const written = createLru<string, number>(MAX_REMEMBERED)

  return {
    touch(clientId) {
      const hour = startOfHour(Date.now() / 1000)
      if (written.get(clientId) === hour) return
      // Before the write is done, so that concurrent requests of one client write once.
      written.set(clientId, hour)
      records.set(clientId, { lastUsedAt: hour }).catch((error: unknown) => {
        written.delete(clientId)
        logger.debug({ clientId, error }, 'could not note when a client was last used')
      })
    },
    async lastUsed(clientIds) {
      return (await records.getEach(clientIds)).map((record, at) => {
        if (!(record instanceof CorruptRecord)) return record?.lastUsedAt
        const { error } = record
        logger.debug({ clientId: clientIds[at], error }, 'could not read when a client was last used')
        return undefined
      })
    },
    async forget(clientId) {
      written.delete(clientId)
      await records.delete(clientId)
    },
  }
}

/** Epoch seconds, rounded down to the hour. */
function startOfHour(seconds: number): number {
  return Math.floor(seconds / HOUR) * HOUR
}
