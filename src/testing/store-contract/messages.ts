import assert from 'node:assert/strict'
import { longestNames, SUFFIXES } from './names.ts'
import { eventually, type StorePromises } from './promise.ts'

/** Promises about messages to other processes. */
export const messages: StorePromises = {
  async 'a message reaches all subscribers of its channel unchanged, in every store on the database'(stage) {
    const { store, other, key } = stage
    const sent = ['plain', '{"a":1}', 'line\nbreak', '\u{1F600} \u00e9', 'nul\u0000inside', "it's"]
    sent.push('\uFEFFafter a byte order mark', 'x'.repeat(100_000), '\u20ac'.repeat(50_000))
    let missed = 0
    const miss = () => (missed += 1)
    for (const channel of ['news', '*', 'a b', '{}', '\u{1F600}'].map(key)) {
      const received: Record<'here' | 'there', string[]> = { here: [], there: [] }
      await store.subscribe(channel, (message) => received.here.push(message), miss)
      await other.subscribe(channel, (message) => received.there.push(message), miss)
      for (const message of sent) assert.equal(await store.publish(channel, message), undefined)
      await eventually(() => {
        // assert.deepEqual is not used, because it would print the long messages.
        for (const all of [received.here, received.there]) {
          assert.equal(all.length, sent.length)
          assert.ok(!sent.some((message) => !all.includes(message)), 'a message was changed')
        }
      })
    }
    // A lost connection may cause calls of `missed` during the check, but not one call for every message.
    assert.ok(missed <= 20, `${missed} notifications of missed messages`)
  },

  async 'names of channels are compared character by character, and may have 512 characters'(stage) {
    const { store, other, key } = stage
    const channels = [...SUFFIXES.map(key), ...longestNames(key)]
    const received = channels.map((): string[] => [])
    await Promise.all(
      channels.map((channel, at) => store.subscribe(channel, (message) => received[at]?.push(message))),
    )
    await Promise.all(channels.map((channel, at) => other.publish(channel, `message ${at}`)))
    await eventually(() => assert.ok(received.every(({ length }) => length > 0)))
    const expected = channels.map((_, at) => [`message ${at}`])
    assert.deepEqual(received, expected)
  },

  async 'each of many concurrent messages is delivered, even if some messages are equal'(stage) {
    const { store, other, key } = stage
    const received: string[] = []
    await store.subscribe(key('a'), (message) => received.push(message))
    const sent = Array.from({ length: 200 }, (_, number) => `message ${number % 100}`)
    await Promise.all(
      sent.map((message, number) => (number % 2 === 0 ? store : other).publish(key('a'), message)),
    )
    await eventually(() => assert.deepEqual(received.toSorted(), sent.toSorted()))
  },

  async 'concurrent subscriptions all receive messages'({ store, other, key }) {
    const received: string[] = []
    const subscribing = [store, other, store, other].map((one, at) =>
      one.subscribe(key('a'), () => received.push(String(at))),
    )
    await Promise.all(subscribing)
    await other.publish(key('a'), 'hello')
    await eventually(() => assert.deepEqual(received.toSorted(), ['0', '1', '2', '3']))
  },

  async 'a listener may end its own subscription and start a new subscription'({ store, other, key }) {
    const received: string[] = []
    let switching: Promise<unknown> | undefined
    let end = async () => {}
    end = await store.subscribe(key('a'), (message) => {
      received.push(`once: ${message}`)
      const begin = store.subscribe(key('a'), (later) => received.push(`then: ${later}`))
      switching = Promise.all([end(), begin])
    })
    await store.subscribe(key('a'), (message) => received.push(`always: ${message}`))
    await other.publish(key('a'), '1')
    await eventually(() => assert.ok(switching !== undefined && received.includes('always: 1')))
    await switching
    await other.publish(key('a'), '2')
    await eventually(() => {
      // A subscription that starts while a message is delivered may also receive that message.
      const all = received.filter((text) => text !== 'then: 1').toSorted()
      assert.deepEqual(all, ['always: 1', 'always: 2', 'once: 1', 'then: 2'])
    })
  },

  async 'a listener receives only messages of its own channel, and no message from before its subscription'(
    stage,
  ) {
    const { store, other, key } = stage
    // In a cluster, `before` may arrive after the subscription began, even after `last`, but not in all five attempts.
    for (let attempt = 1; ; attempt += 1) {
      const received: string[] = []
      const channel = key(`a${attempt}`)
      await other.publish(channel, 'before')
      await store.subscribe(channel, (message) => received.push(message))
      await other.publish(key('b'), 'of another channel')
      await other.publish(key(`A${attempt}`), 'of another channel')
      await other.publish(channel, 'last')
      await eventually(() => assert.ok(received.includes('last')))
      if (attempt < 5 && received.length === 2 && received.includes('before')) continue
      assert.deepEqual(received, ['last'])
      return
    }
  },

  async 'publish resolves even if the channel has no subscribers'({ store, key }) {
    assert.equal(await store.publish(key('a'), 'hello'), undefined)
  },

  async 'a listener that throws or rejects affects neither other listeners nor the publisher'(stage) {
    const { store, other, key } = stage
    const received: string[] = []
    await store.subscribe(key('a'), () => {
      throw new Error('this listener is broken')
    })
    await store.subscribe(key('a'), (): unknown => Promise.reject(new Error('this listener is broken')))
    await store.subscribe(key('a'), (message) => received.push(message))
    await store.publish(key('a'), 'first')
    await other.publish(key('a'), 'second')
    await eventually(() => assert.deepEqual(received.toSorted(), ['first', 'second']))
  },

  async 'publish does not wait for listeners'({ store, key }) {
    let finish: () => void = () => {}
    let published = false
    const listener = (): unknown => new Promise<void>((resolve) => (finish = resolve))
    await store.subscribe(key('a'), listener)
    const publishing = store.publish(key('a'), 'hello').then(() => (published = true))
    await eventually(() => assert.ok(published, 'publish did not settle'))
    finish()
    await publishing
  },

  async 'after a subscription has ended its listener is not called, and other subscriptions stay active'(
    stage,
  ) {
    const { store, other, key } = stage
    const received: string[] = []
    const subscribe = (listener: string) =>
      store.subscribe(key('a'), (message) => received.push(`${listener}: ${message}`))
    const endFirst = await subscribe('first')
    await subscribe('second')
    await other.publish(key('a'), '1')
    await eventually(() => assert.deepEqual(received.toSorted(), ['first: 1', 'second: 1']))

    await endFirst()
    await endFirst()
    await other.publish(key('a'), '2')
    await eventually(() => assert.deepEqual(received.toSorted(), ['first: 1', 'second: 1', 'second: 2']))

    await subscribe('third')
    await other.publish(key('a'), '3')
    await eventually(() => assert.deepEqual(received.slice(3).toSorted(), ['second: 3', 'third: 3']))
  },

  async 'a channel whose last subscription has ended can be subscribed to again'({ store, other, key }) {
    const received: string[] = []
    const listener = (message: string) => received.push(message)
    const end = await store.subscribe(key('a'), listener)
    // Both calls run concurrently, as if one part of a program stops while another part starts.
    await Promise.all([end(), store.subscribe(key('a'), listener)])
    await other.publish(key('a'), 'hello')
    await eventually(() => assert.deepEqual(received, ['hello']))
    await end()
    await other.publish(key('a'), 'again')
    await eventually(() => assert.deepEqual(received, ['hello', 'again']))
  },

  async 'a listener may be subscribed twice, and each subscription ends separately'({ store, other, key }) {
    const received: string[] = []
    const listener = (message: string) => received.push(message)
    const ends = [await store.subscribe(key('a'), listener), await store.subscribe(key('a'), listener)]
    await other.publish(key('a'), 'both')
    await eventually(() => assert.deepEqual(received, ['both', 'both']))
    await ends[0]?.()
    await other.publish(key('a'), 'one')
    await eventually(() => assert.deepEqual(received, ['both', 'both', 'one']))
  },
}
