import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { callsOf } from './calls.ts'
import { eventually, outcome, type StorePromises } from './promise.ts'

/** Milliseconds within which a store must find out that its database is available again. */
const RECOVERY_TIMEOUT_MS = 8000

/** Promises about a store that cannot reach its database. */
export const failures: StorePromises = {
  async 'without its database a store rejects every call, and never answers that a value is absent'(stage) {
    const { store, other, key, breakConnection } = stage
    await store.set(key('a'), '1')
    await store.add(key('index'), 'a')
    const reconnect = await breakConnection()
    try {
      for (const [through, view] of Object.entries({ store, durable: store.durable })) {
        for (const [name, call] of view ? callsOf(view, key) : []) {
          const { settled, error } = await outcome(call)
          assert.equal(settled, 'rejected', `${through}: ${name} has ${settled} without a database`)
          assert.ok(error instanceof Error, `${through}: ${name} rejects with something other than an Error`)
        }
      }
      // Only one store is disconnected: the other store still reaches the database.
      await other.ping()
    } finally {
      await reconnect()
    }
  },

  async 'without its database a store can be closed'({ store, key, breakConnection }) {
    await store.subscribe(key('a'), () => {})
    const reconnect = await breakConnection()
    try {
      const { settled } = await outcome(() => store.close())
      assert.equal(settled, 'resolved', `close has ${settled} without a database`)
    } finally {
      await reconnect()
    }
  },

  async 'once its database is available again a store works, and its listeners receive messages'(stage) {
    const { store, other, key, breakConnection } = stage
    const received: string[] = []
    await store.set(key('a'), '1')
    await store.subscribe(key('channel'), (message) => received.push(message))
    const reconnect = await breakConnection()
    const { settled } = await outcome(() => store.subscribe(key('another'), () => {}))
    assert.equal(settled, 'rejected', `subscribe has ${settled} without a database`)
    await reconnect()
    assert.equal(await firstAnswer(() => store.get(key('a'))), '1')
    await firstAnswer(() => store.set(key('b'), '2'))
    assert.equal(await other.get(key('b')), '2')
    // Messages that were sent during the disconnection are lost. New messages must arrive at some point.
    for (let waited = 0; received.length === 0 && waited < RECOVERY_TIMEOUT_MS; waited += 100) {
      await other.publish(key('channel'), 'back')
      await delay(100)
    }
    assert.ok(received.length > 0, 'a subscription did not survive a lost connection')
    // A subscription that failed before can be repeated on the same channel.
    const late: string[] = []
    await firstAnswer(() => store.subscribe(key('another'), (message) => late.push(message)))
    await other.publish(key('another'), 'hello')
    await eventually(() => assert.deepEqual(late, ['hello']))
  },
}

/** Repeats a call until it resolves, and returns its answer. After eight seconds, a last call decides. */
async function firstAnswer<T>(call: () => Promise<T>): Promise<T> {
  for (let waited = 0; waited < RECOVERY_TIMEOUT_MS; waited += 100) {
    const { settled, answer } = await outcome(call)
    if (settled === 'resolved') return answer as T
    await delay(100)
  }
  return call()
}
