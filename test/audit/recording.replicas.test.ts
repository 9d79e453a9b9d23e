import { expect, it } from 'vitest'
import { createTrail, readChunks } from '../../src/audit/trail.ts'
import { createWriter } from '../../src/audit/writer.ts'
import type { PendingEntry } from '../../src/audit/entry.ts'
import { replicatedStore } from '../support/replicated-store.ts'

/** An entry that belongs to no list, as the entries of signing keys and products do. */
const entryOf = (id: string): PendingEntry => ({
  entry: { id, at: Date.now(), name: 'key.published', keyId: 'k1', outcome: 'success' },
  after: 0,
})

it('an audit entry rejects while only one server has its chunk, although the entry can be read', async () => {
  const db = replicatedStore()
  const trail = createTrail(db.durable, 'changes', { maxAgeDays: 365, maxEntries: 1000 })
  const append = (id: string) => createWriter(trail).append([entryOf(id)])
  const ids = async () =>
    (await readChunks(trail, [1])).flatMap(({ entries }) => entries.map((entry) => entry?.id))
  await append('a')
  db.lagFrom('audit:changes:1')
  for (let times = 0; times < 3; times += 1) {
    await expect(append('b')).rejects.toThrow('too few replicas have it')
    expect(await ids()).toEqual(['a', 'b'])
  }
  db.failOver()
  expect(await ids()).toEqual(['a'])
  db.replicates = true
  for (let times = 0; times < 3; times += 1) await append('b')
  expect(await ids()).toEqual(['a', 'b'])
})
