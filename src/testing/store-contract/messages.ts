import assert from 'node:assert/strict'
import { longestNames, SUFFIXES } from './names.ts'
import { eventually, type StorePromise } from './promise.ts'

/** Telling other processes. */
export const messages: readonly StorePromise[] = [
  {
    name: 'a message reaches all who listen to its channel, through every store, unchanged',
    async check({ store, other, key }) {
      const sent = ['plain', '{"a":1}', 'line\nbreak', '\u{1F600} \u00e9', 'nul\u0000inside', "it's"]
      sent.push('\uFEFFbehind a mark of byte order', 'x'.repeat(100_000), '\u20ac'.repeat(50_000))
      let missed = 0
      const miss = () => (missed += 1)
      for (const channel of ['news', '*', 'a b', '{}', '\u{1F600}'].map(key)) {
        const heard: Record<'here' | 'there', string[]> = { here: [], there: [] }
        await store.subscribe(channel, (message) => heard.here.push(message), miss)
        await other.subscribe(channel, (message) => heard.there.push(message), miss)
        for (const message of sent) assert.equal(await store.publish(channel, message), undefined)
        await eventually(() => {
          // Not assert.deepEqual, which would print them.
          for (const all of [heard.here, heard.there]) {
            assert.equal(all.length, sent.length)
            assert.ok(
              sent.every((message) => all.includes(message)),
              'a message came changed',
            )
          }
        })
      }
      // A connection may be lost while this runs, but not with every message.
      assert.ok(missed <= 20, `told ${missed} times that messages were missed`)
    },
  },
  {
    name: 'channels are told apart by every character, up to 512 of them',
    async check({ store, other, key }) {
      const channels = [...SUFFIXES.map(key), ...longestNames(key)]
      const heard = channels.map((): string[] => [])
      await Promise.all(
        channels.map((channel, at) => store.subscribe(channel, (message) => heard[at]?.push(message))),
      )
      await Promise.all(channels.map((channel, at) => other.publish(channel, `message ${at}`)))
      await eventually(() => assert.ok(heard.every(({ length }) => length > 0)))
      assert.deepEqual(
        heard,
        channels.map((_, at) => [`message ${at}`]),
      )
    },
  },
  {
    name: 'of many messages at once each is heard, also those that are alike',
    async check({ store, other, key }) {
      const heard: string[] = []
      await store.subscribe(key('a'), (message) => heard.push(message))
      const sent = Array.from({ length: 200 }, (_, number) => `message ${number % 100}`)
      await Promise.all(
        sent.map((message, number) => (number % 2 === 0 ? store : other).publish(key('a'), message)),
      )
      await eventually(() => assert.deepEqual(heard.toSorted(), sent.toSorted()))
    },
  },
  {
    name: 'subscriptions that begin at the same time all hear',
    async check({ store, other, key }) {
      const heard: string[] = []
      const subscribing = [store, other, store, other].map((one, at) =>
        one.subscribe(key('a'), () => heard.push(String(at))),
      )
      await Promise.all(subscribing)
      await other.publish(key('a'), 'hello')
      await eventually(() => assert.deepEqual(heard.toSorted(), ['0', '1', '2', '3']))
    },
  },
  {
    name: 'a listener may end its own subscription and begin another while it is told',
    async check({ store, other, key }) {
      const heard: string[] = []
      let turning: Promise<unknown> | undefined
      let end = async () => {}
      end = await store.subscribe(key('a'), (message) => {
        heard.push(`once: ${message}`)
        const begin = store.subscribe(key('a'), (later) => heard.push(`then: ${later}`))
        turning = Promise.all([end(), begin])
      })
      await store.subscribe(key('a'), (message) => heard.push(`always: ${message}`))
      await other.publish(key('a'), '1')
      await eventually(() => assert.ok(turning !== undefined && heard.includes('always: 1')))
      await turning
      await other.publish(key('a'), '2')
      await eventually(() => {
        // Whether what begins while the first one is delivered hears it too is left open.
        const all = heard.filter((text) => text !== 'then: 1').toSorted()
        assert.deepEqual(all, ['always: 1', 'always: 2', 'once: 1', 'then: 2'])
      })
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
