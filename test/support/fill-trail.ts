import { randomUUID } from 'node:crypto'
import type { Store } from 'koa-gatehouse'
import { CHUNK_ENTRIES, chunkText } from '../../src/audit/trail.ts'
import { createEntry, type EntryFields } from '../../src/audit/entry.ts'
import { addToLists } from '../../src/audit/writer.ts'
import { chunkKey, createTrail, headKey } from '../../src/audit/trail.ts'
import { ttlOf } from '../../src/audit/retention.ts'

/** The account that owns every hundredth entry, and the account that owns one entry. */
export const LARGE_ACCOUNT = 'the account with many entries'
export const SMALL_ACCOUNT = 'the account with one entry'

/** Chunks that are written at the same time. */
const PARALLEL = 200

/**
 * Fills the trail `changes` of an empty store with full chunks, as the writer of the trail stores them.
 *
 * @param count the number of entries, a multiple of 16
 */
export async function fillTrail(store: Store, count: number): Promise<void> {
  const trail = createTrail(store, 'changes', { maxAgeDays: 90, maxEntries: 1_000_000 })
  const chunks = count / CHUNK_ENTRIES
  const middle = Math.floor(count / 2) + 1
  let last = 0
  const work = async () => {
    while (last < chunks) {
      const number = (last += 1)
      const entries = Array.from({ length: CHUNK_ENTRIES }, (_, index) => {
        const at = (number - 1) * CHUNK_ENTRIES + index
        return createEntry(fieldsOf(at, at === middle), Date.now())
      })
      await Promise.all([
        store.create(chunkKey(trail, number), chunkText(entries), ttlOf(trail.bounds)),
        addToLists(trail, number, entries),
      ])
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  await store.set(headKey(trail), String(chunks))
}

/** A rename of an API key. A person makes four changes one after the other. */
function fieldsOf(at: number, isSmall: boolean): EntryFields {
  const person = Math.floor(at / 4)
  const large = at % 100 === 0 ? LARGE_ACCOUNT : undefined
  return {
    name: 'client.changed',
    kind: 'apiKey',
    change: 'name',
    clientId: `key_${String(person % 5000).padStart(22, '0')}`,
    accountId: isSmall ? SMALL_ACCOUNT : (large ?? `account-${person % 1000}`),
    actor: `person-${person % 2000}`,
    address: '192.0.2.1',
    target: randomUUID(),
  }
}
