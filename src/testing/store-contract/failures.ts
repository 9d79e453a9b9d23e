import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { callsOf } from './calls.ts'
import { eventually, outcome, type StorePromise } from './promise.ts'

/** Milliseconds that a store may take to find out that its database is there again. */
const BACK_WITHIN = 8000

/** A store that has lost its database. */
export const failures: readonly StorePromise[] = [
  {
    name: 'without its database a store rejects every call, and never answers that nothing is there',
    async check({ store, other, key, breakConnection }) {
      await store.set(key('a'), '1')
      await store.add(key('index'), 'a')
      const mend = await breakConnection()
      try {
        for (const [through, view] of Object.entries({ store, durable: store.durable })) {
          for (const [name, call] of view ? callsOf(view, key) : []) {
            const { settled, error } = await outcome(call)
            assert.equal(settled, 'rejected', `${through}: ${name} has ${settled} without a database`)
            assert.ok(error instanceof Error, `${through}: ${name} rejects with something that is no Error`)
          }
        }
        // Only the one was cut off: the database itself answers.
        await other.ping()
      } finally {
        await mend()
      }
    },
  },
  {
    name: 'without its database a store can be closed',
    async check({ store, key, breakConnection }) {
      await store.subscribe(key('a'), () => {})
      const mend = await breakConnection()
      try {
        const { settled } = await outcome(() => store.close())
        assert.equal(settled, 'resolved', `close has ${settled} without a database`)
      } finally {
        await mend()
      }
    },
  },
  {
    name: 'once its database is there again a store goes on, and its listeners hear again',
    async check({ store, other, key, breakConnection }) {
      const heard: string[] = []
      await store.set(key('a'), '1')
      await store.subscribe(key('channel'), (message) => heard.push(message))
      const mend = await breakConnection()
      const { settled } = await outcome(() => store.subscribe(key('another'), () => {}))
      assert.equal(settled, 'rejected', `subscribe has ${settled} without a database`)
      await mend()
      assert.equal(await firstAnswer(() => store.get(key('a'))), '1')
      await firstAnswer(() => store.set(key('b'), '2'))
      assert.equal(await other.get(key('b')), '2')
      // What was sent while it was away is lost; what is sent now is not lost for ever.
      for (let waited = 0; heard.length === 0 && waited < BACK_WITHIN; waited += 100) {
        await other.publish(key('channel'), 'back')
        await delay(100)
      }
      assert.ok(heard.length > 0, 'a subscription did not survive a lost connection')
      // One that could not begin then can begin now, on the same channel.
      const late: string[] = []
      await firstAnswer(() => store.subscribe(key('another'), (message) => late.push(message)))
      await other.publish(key('another'), 'hello')
      await eventually(() => assert.deepEqual(late, ['hello']))
    },
  },
]

/** The first answer of a call that may reject for a while. */
async function firstAnswer<T>(call: () => Promise<T>): Promise<T> {
  for (let waited = 0; waited < BACK_WITHIN; waited += 100) {
    const { settled, answer } = await outcome(call)
    if (settled === 'resolved') return answer as T
    await delay(100)
  }
  return call()
}
