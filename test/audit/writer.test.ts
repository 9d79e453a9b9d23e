import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { createEntry, type PendingEntry } from '../../src/audit/entry.ts'
import { chunkKey, findLast, createTrail, readChunks } from '../../src/audit/trail.ts'
import { createWriter } from '../../src/audit/writer.ts'
import type { Store } from '../../src/store/contract.ts'

const BOUNDS = { maxAgeDays: 90, maxEntries: 1000 }

const entryOf = (actor: string): PendingEntry => ({
  entry: createEntry({ name: 'client.changed', actor }, Date.now()),
  after: 0,
})

/** A store whose next `getMany` answers with what it read only when `release` is called. */
function held(inner: Store) {
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  let isHeld = true
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      if (name !== 'getMany') return Reflect.get(target, name)
      return async (keys: readonly string[]) => {
        const texts = await target.getMany(keys)
        if (isHeld) {
          isHeld = false
          await gate
        }
        return texts
      }
    },
  })
  return { store, release }
}

it('an entry is not written again if a slow read of the end of the trail overtakes a newer one', async () => {
  const inner = memoryStore()
  const other = createWriter(createTrail(inner, 'changes', BOUNDS))
  await other.append([entryOf('first')])

  const { store, release } = held(inner)
  const trail = createTrail(store, 'changes', BOUNDS)
  const slow = findLast(trail)
  const repeated = entryOf('repeated')
  await other.append([repeated])
  for (let at = 0; at < 16; at += 1) await other.append([entryOf(`later ${at}`)])
  expect((await findLast(trail)).number).toBe(2)
  release()
  expect((await slow).number).toBe(1)

  await createWriter(trail).append([repeated])
  const entries = (await readChunks(trail, [1, 2, 3])).flatMap((chunk) => chunk.entries)
  expect(entries.filter((entry) => entry?.id === repeated.entry.id)).toHaveLength(1)
  expect(entries).toHaveLength(18)
})

it('an entry is written again if a failover lost it from a chunk that was full', async () => {
  const store = memoryStore()
  const trail = createTrail(store, 'changes', BOUNDS)
  const writer = createWriter(trail)
  for (let at = 0; at < 15; at += 1) await writer.append([entryOf(`kept ${at}`)])
  const replicated = await store.get(chunkKey(trail, 1))
  const lost = entryOf('lost')
  await writer.append([lost])
  await writer.append([entryOf('lost too')])
  expect((await findLast(trail)).number).toBe(2)

  // The replica that takes over has the first chunk as it was before.
  await store.set(chunkKey(trail, 1), replicated ?? '')
  await writer.append([lost])
  const entries = (await readChunks(trail, [1, 2, 3])).flatMap((chunk) => chunk.entries)
  expect(entries.filter((entry) => entry?.id === lost.entry.id)).toHaveLength(1)
})
