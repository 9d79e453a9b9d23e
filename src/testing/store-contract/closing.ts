import assert from 'node:assert/strict'
import { eventually, type StorePromise } from './promise.ts'

/** Being there, and leaving. */
export const closing: readonly StorePromise[] = [
  {
    name: 'ping settles if the database answers',
    async check({ store }) {
      assert.equal(await store.ping(), undefined)
    },
  },
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
      const calls: (() => Promise<unknown>)[] = [
        () => store.get(key('a')),
        () => store.getMany([key('a')]),
        () => store.getMany([]),
        () => store.set(key('a'), '2'),
        () => store.create(key('b'), '2'),
        () => store.replace(key('a'), '1', '2'),
        () => store.delete(key('a')),
        () => store.add(key('index'), 'a'),
        () => store.remove(key('index'), 'a'),
        () => store.range(key('index'), { limit: 1 }),
        () => store.publish(key('channel'), 'a'),
        () => store.subscribe(key('channel'), () => {}),
        () => store.ping(),
      ]
      for (const call of calls) {
        await assert.rejects(async () => call())
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
