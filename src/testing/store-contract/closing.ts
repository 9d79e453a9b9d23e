import assert from 'node:assert/strict'
import { callsOf } from './calls.ts'
import { eventually, outcome, type StorePromise } from './promise.ts'

/** Leaving. */
export const closing: readonly StorePromise[] = [
  {
    name: 'close may be called again and again, also at the same time',
    async check({ store, key }) {
      await store.subscribe(key('a'), () => {})
      await Promise.all([store.close(), store.close()])
      assert.equal(await store.close(), undefined)
    },
  },
  {
    name: 'after close every method rejects, rather than answer that nothing is there',
    async check({ store, key }) {
      await store.set(key('a'), '1')
      await store.close()
      const calls = [...callsOf(store, key), ...(store.durable ? callsOf(store.durable, key) : [])]
      calls.push(['getMany of nothing', () => store.getMany([])])
      const { inspect } = store
      if (inspect) calls.push(['inspect', () => inspect.call(store)])
      for (const [name, call] of calls) {
        const { settled, error } = await outcome(call)
        assert.equal(settled, 'rejected', `${name} has ${settled} after close`)
        assert.ok(error instanceof Error, `${name} rejects with something that is no Error`)
      }
    },
  },
  {
    name: 'calls that are under way while the store is closed settle',
    async check({ store, key }) {
      await store.set(key('a'), '1')
      const calls = Array.from({ length: 20 }, () => [...callsOf(store, key).values()]).flat()
      const settling = calls.map((call) => outcome(call))
      await store.close()
      for (const { settled } of await Promise.all(settling)) {
        assert.ok(settled === 'resolved' || settled === 'rejected', `a call has ${settled}`)
      }
    },
  },
  {
    name: 'after close no listener hears anything, and ending a subscription still settles',
    async check({ store, other, key }) {
      const heard: string[] = []
      const end = await store.subscribe(key('a'), (message) => heard.push(message))
      await store.close()
      if (other !== store) await other.publish(key('a'), 'too late')
      assert.equal(await end(), undefined)
      assert.deepEqual(heard, [])
    },
  },
  {
    name: 'closing one store leaves the others on the database alone',
    async check({ store, other, key }) {
      if (other === store) return
      const heard: string[] = []
      await other.subscribe(key('a'), (message) => heard.push(message))
      await store.set(key('a'), '1')
      await store.close()
      assert.equal(await other.get(key('a')), '1')
      assert.equal(await other.create(key('b'), '2'), true)
      await other.publish(key('a'), 'hello')
      await eventually(() => assert.deepEqual(heard, ['hello']))
    },
  },
]
