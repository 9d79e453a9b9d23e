import assert from 'node:assert/strict'
import { callsOf } from './calls.ts'
import { eventually, outcome, type StorePromises } from './promise.ts'

/** Promises about closing a store. */
export const closing: StorePromises = {
  async 'close may be called repeatedly and concurrently'({ store, key }) {
    await store.subscribe(key('a'), () => {})
    await Promise.all([store.close(), store.close()])
    assert.equal(await store.close(), undefined)
  },

  async 'after close every method rejects, and never answers that a value is absent'({ store, key }) {
    await store.set(key('a'), '1')
    await store.close()
    const calls = [...callsOf(store, key), ...(store.durable ? callsOf(store.durable, key) : [])]
    calls.push(['getMany without keys', () => store.getMany([])])
    const { inspect } = store
    const options = { slotSeconds: 1, slots: 1, claim: 0, max: 0 }
    if (store.count) calls.push(['count', async () => store.count?.(key('a'), 1, options)])
    if (inspect) calls.push(['inspect', () => inspect.call(store)])
    for (const [name, call] of calls) {
      const { settled, error } = await outcome(call)
      assert.equal(settled, 'rejected', `${name} has ${settled} after close`)
      assert.ok(error instanceof Error, `${name} rejects with something other than an Error`)
    }
  },

  async 'calls that are pending when the store is closed resolve or reject'({ store, key }) {
    await store.set(key('a'), '1')
    const calls = Array.from({ length: 20 }, () => [...callsOf(store, key).values()]).flat()
    const settling = calls.map((call) => outcome(call))
    await store.close()
    for (const { settled } of await Promise.all(settling)) {
      assert.ok(settled === 'resolved' || settled === 'rejected', `a call has ${settled}`)
    }
  },

  async 'after close no listener is called, and a subscription can still be ended'({ store, other, key }) {
    const received: string[] = []
    const end = await store.subscribe(key('a'), (message) => received.push(message))
    await store.close()
    if (other !== store) await other.publish(key('a'), 'too late')
    assert.equal(await end(), undefined)
    assert.deepEqual(received, [])
  },

  async 'closing one store does not affect other stores on the same database'({ store, other, key }) {
    if (other === store) return
    const received: string[] = []
    await other.subscribe(key('a'), (message) => received.push(message))
    await store.set(key('a'), '1')
    await store.close()
    assert.equal(await other.get(key('a')), '1')
    assert.equal(await other.create(key('b'), '2'), true)
    await other.publish(key('a'), 'hello')
    await eventually(() => assert.deepEqual(received, ['hello']))
  },
}
