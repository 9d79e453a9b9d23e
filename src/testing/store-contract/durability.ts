import assert from 'node:assert/strict'
import type { Store } from '../../store/contract.ts'
import { eventually, outcome, type Stage, type StorePromises } from './promise.ts'

/** Promises about the `durable` view of a database whose writes are not confirmed. */
export const durability: StorePromises = {
  async 'without its replicas a durable view rejects every write, even a write that finds nothing to change'(
    stage,
  ) {
    const { store, other, key, stopReplication } = stage
    const { durable } = store
    assert.ok(durable && other.durable, 'the store has no durable view')
    await durable.set(key('a'), '1')
    await durable.set(key('deleted'), '1')
    await durable.add(key('index'), 'removed')
    const restart = await stopReplication()
    try {
      for (const [name, write] of changes(durable, stage)) await assertUnconfirmed(name, write)
      // The database may have applied these writes, so another attempt may find nothing to change. The connection of
      // another store does not wait for these writes, because that connection has not sent the writes.
      for (const [through, view] of Object.entries({ durable, other: other.durable })) {
        for (const [name, write] of repeatable(view, stage)) {
          await assertUnconfirmed(`${name}, repeated through ${through},`, write)
        }
      }
    } finally {
      await restart()
    }
    for (const [name, write] of repeatable(durable, stage)) {
      await eventually(async () => {
        const { settled } = await outcome(write)
        assert.equal(settled, 'resolved', `${name} has ${settled} although its replicas are back`)
      })
    }
    assert.equal(await other.get(key('deleted')), undefined)
    assert.deepEqual(await other.range(key('index'), { limit: 10 }), ['added'])
  },
}

type Writes = readonly (readonly [name: string, write: () => Promise<unknown>])[]

/** A call of each method that writes. Each call changes the data. */
function changes(view: Store, stage: Stage): Writes {
  const { key } = stage
  return [
    ['set', () => view.set(key('a'), '2')],
    ['create', () => view.create(key('b'), '1')],
    ['replace', () => view.replace(key('a'), '2', '3')],
    ...repeatable(view, stage),
  ]
}

/** Writes that resolve even if a repeated call finds nothing to change. */
function repeatable(view: Store, { key }: Stage): Writes {
  return [
    ['delete', () => view.delete(key('deleted'))],
    ['add', () => view.add(key('index'), 'added')],
    ['remove', () => view.remove(key('index'), 'removed')],
  ]
}

async function assertUnconfirmed(name: string, write: () => Promise<unknown>): Promise<void> {
  const { settled } = await outcome(write)
  assert.equal(settled, 'rejected', `${name} has ${settled} although no replica has it`)
}
