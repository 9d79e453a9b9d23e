import assert from 'node:assert/strict'
import { eventually, type StorePromise } from './promise.ts'

/** Telling other processes. */
export const messages: readonly StorePromise[] = [
  {
    name: 'a message reaches all who listen to its channel, through every store, unchanged',
    async check({ store, other, key }) {
      const sent = ['plain', '{"a":1}', 'line\nbreak', '\u{1F600} \u00e9', 'x'.repeat(100_000)]
      for (const channel of ['news', '*', 'a b', '{}', '\u{1F600}'].map(key)) {
        const heard: Record<'here' | 'there', string[]> = { here: [], there: [] }
        await store.subscribe(channel, (message) => heard.here.push(message))
        await other.subscribe(channel, (message) => heard.there.push(message))
        for (const message of sent) assert.equal(await store.publish(channel, message), undefined)
        await eventually(() => {
          assert.deepEqual(heard.here.toSorted(), sent.toSorted())
          assert.deepEqual(heard.there.toSorted(), sent.toSorted())
        })
      }
    },
  },
  {
    name: 'listeners hear their own channel only, and nothing from before they listened',
    async check({ store, other, key }) {
      // A message of a moment ago may still be on its way between the servers of a cluster, but not every time.
      for (let attempt = 1; ; attempt += 1) {
        const heard: string[] = []
        const channel = key(`a${attempt}`)
        await other.publish(channel, 'before')
        await store.subscribe(channel, (message) => heard.push(message))
        await other.publish(key('b'), 'of another channel')
        await other.publish(key(`A${attempt}`), 'of another channel')
        await other.publish(channel, 'last')
        await eventually(() => assert.equal(heard.at(-1), 'last'))
        if (attempt < 5 && heard.length === 2 && heard[0] === 'before') continue
        assert.deepEqual(heard, ['last'])
        return
      }
    },
  },
  {
    name: 'publish settles where nobody listens',
    async check({ store, key }) {
      assert.equal(await store.publish(key('a'), 'hello'), undefined)
    },
  },
  {
    name: 'a listener that throws or rejects disturbs neither the others nor the publisher',
    async check({ store, other, key }) {
      const heard: string[] = []
      const broken = () => {
        throw new Error('this listener is broken')
      }
      const rejecting = (): unknown => Promise.reject(new Error('this listener is broken'))
      await store.subscribe(key('a'), broken)
      await store.subscribe(key('a'), rejecting)
      await store.subscribe(key('a'), (message) => heard.push(message))
      await store.publish(key('a'), 'first')
      await other.publish(key('a'), 'second')
      await eventually(() => assert.deepEqual(heard.toSorted(), ['first', 'second']))
    },
  },
  {
    name: 'publish does not wait for what listeners do',
    async check({ store, key }) {
      let finish: () => void = () => {}
      let published = false
      const listener = (): unknown => new Promise<void>((resolve) => (finish = resolve))
      await store.subscribe(key('a'), listener)
      const publishing = store.publish(key('a'), 'hello').then(() => (published = true))
      await eventually(() => assert.ok(published, 'publish did not settle'))
      finish()
      await publishing
    },
  },
  {
    name: 'a subscription ends alone, and once it has ended its listener hears nothing more',
    async check({ store, other, key }) {
      const heard: string[] = []
      const subscribe = (listener: string) =>
        store.subscribe(key('a'), (message) => heard.push(`${listener}: ${message}`))
      const endFirst = await subscribe('first')
      await subscribe('second')
      await other.publish(key('a'), '1')
      await eventually(() => assert.deepEqual(heard.toSorted(), ['first: 1', 'second: 1']))

      await endFirst()
      await endFirst()
      await other.publish(key('a'), '2')
      await eventually(() => assert.deepEqual(heard.toSorted(), ['first: 1', 'second: 1', 'second: 2']))

      await subscribe('third')
      await other.publish(key('a'), '3')
      await eventually(() => assert.deepEqual(heard.slice(3).toSorted(), ['second: 3', 'third: 3']))
    },
  },
  {
    name: 'a channel that all have left can be listened to again',
    async check({ store, other, key }) {
      const heard: string[] = []
      const listener = (message: string) => heard.push(message)
      const end = await store.subscribe(key('a'), listener)
      // Neither waits for the other, as when one part of a program stops while another starts.
      await Promise.all([end(), store.subscribe(key('a'), listener)])
      await other.publish(key('a'), 'hello')
      await eventually(() => assert.deepEqual(heard, ['hello']))
      await end()
      await other.publish(key('a'), 'again')
      await eventually(() => assert.deepEqual(heard, ['hello', 'again']))
    },
  },
  {
    name: 'the same function may listen twice, and each subscription ends by itself',
    async check({ store, other, key }) {
      const heard: string[] = []
      const listener = (message: string) => heard.push(message)
      const ends = [await store.subscribe(key('a'), listener), await store.subscribe(key('a'), listener)]
      await other.publish(key('a'), 'both')
      await eventually(() => assert.deepEqual(heard, ['both', 'both']))
      await ends[0]?.()
      await other.publish(key('a'), 'one')
      await eventually(() => assert.deepEqual(heard, ['both', 'both', 'one']))
    },
  },
]
