import type { BrokenStore } from './broken-stores.ts'

const never = async () => {}

/** Stores that break a promise about messages; most are noticed after some seconds of waiting for one. */
export const brokenMessages: readonly BrokenStore[] = [
  {
    breaks: 'messages go nowhere',
    methods: () => ({ publish: never }),
    noticedBy: 'a message reaches all who listen to its channel',
  },
  {
    breaks: 'channels hear each other',
    methods: (good) => ({
      publish: (_, message) => good.publish('all', message),
      subscribe: (_, listener) => good.subscribe('all', listener),
    }),
    noticedBy: 'listeners hear their own channel only',
  },
  {
    breaks: 'a listener that throws fails the publisher',
    methods: () => {
      const listeners: ((message: string) => void)[] = []
      return {
        publish: async (_, message) => listeners.forEach((listener) => listener(message)),
        subscribe: async (_, listener) => (listeners.push(listener), never),
      }
    },
    message: 'this listener is broken',
    noticedBy: 'a listener that throws or rejects disturbs neither the others nor the publisher',
  },
  {
    breaks: 'publish waits for its listeners',
    methods: () => {
      const listeners: ((message: string) => unknown)[] = []
      return {
        publish: async (_, message) =>
          void (await Promise.all(listeners.map((listener) => listener(message)))),
        subscribe: async (_, listener) => (listeners.push(listener), never),
      }
    },
    noticedBy: 'publish does not wait for what listeners do',
  },
  {
    breaks: 'subscriptions never end',
    methods: (good) => ({ subscribe: async (...call) => (await good.subscribe(...call), never) }),
    noticedBy: 'a subscription ends alone',
  },
  {
    breaks: 'one end ends all subscriptions of a channel',
    methods: (good) => {
      const ends: (() => Promise<void>)[] = []
      return {
        subscribe: async (...call) => {
          ends.push(await good.subscribe(...call))
          return async () => void (await Promise.all(ends.map((end) => end())))
        },
      }
    },
    noticedBy: 'a subscription ends alone',
  },
  {
    breaks: 'a subscription begins some time later',
    methods: (good) => ({
      subscribe: async (channel, listener) => {
        setTimeout(() => void good.subscribe(channel, listener), 50)
        return never
      },
    }),
    noticedBy: 'listeners hear their own channel only',
  },
  {
    breaks: 'the same function listens once',
    methods: () => {
      const listeners = new Set<(message: string) => void>()
      return {
        publish: async (_, message) => listeners.forEach((listener) => listener(message)),
        subscribe: async (_, listener) => (
          listeners.add(listener),
          async () => void listeners.delete(listener)
        ),
      }
    },
    noticedBy: 'the same function may listen twice',
  },
  {
    breaks: 'publish fails where nobody listens',
    methods: () => ({ publish: () => Promise.reject(new Error('nobody listens')) }),
    message: 'nobody listens',
    noticedBy: 'publish settles where nobody listens',
  },
  {
    breaks: 'the last to leave closes the channel some time later',
    methods: () => {
      const channels = new Map<string, Set<(message: string) => void>>()
      return {
        publish: async (channel, message) => channels.get(channel)?.forEach((listener) => listener(message)),
        subscribe: async (channel, listener) => {
          const listeners = channels.get(channel) ?? new Set()
          channels.set(channel, listeners.add(listener))
          return async () => {
            await Promise.resolve()
            channels.delete(channel)
          }
        },
      }
    },
    noticedBy: 'a channel that all have left can be listened to again',
  },
  {
    breaks: 'a subscription cannot be ended once the store is closed',
    methods: (good) => {
      let closed = false
      return {
        subscribe: async (...call) => {
          const end = await good.subscribe(...call)
          return () => (closed ? Promise.reject(new Error('already closed')) : end())
        },
        close: () => ((closed = true), good.close()),
      }
    },
    message: 'already closed',
    noticedBy: 'after close no listener hears anything',
  },
]
