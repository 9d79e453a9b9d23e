import { nothing, type BrokenStore } from './broken-store.ts'

const truncated = (channel: string) => Buffer.from(channel).subarray(0, 63).toString('latin1')

/**
 * Stores that break a promise about messages or about pending calls. Most of the
 * cases that notice these faults take some seconds.
 */
export const brokenMessages: readonly BrokenStore[] = [
  {
    breaks: 'messages reach no listener',
    methods: () => ({ publish: nothing }),
    noticedBy: 'a message reaches all subscribers of its channel',
  },
  {
    breaks: 'all channels share their messages',
    methods: (intact) => ({
      publish: (_, message) => intact.publish('all', message),
      subscribe: (_, listener) => intact.subscribe('all', listener),
    }),
    noticedBy: 'a listener receives only messages of its own channel',
  },
  {
    breaks: 'publish rejects if a listener throws',
    methods: () => {
      const listeners: ((message: string) => void)[] = []
      return {
        publish: async (_, message) => listeners.forEach((listener) => listener(message)),
        subscribe: async (_, listener) => (listeners.push(listener), nothing),
      }
    },
    message: 'this listener is broken',
    noticedBy: 'a listener that throws or rejects affects neither other listeners nor the publisher',
  },
  {
    breaks: 'publish waits for its listeners',
    methods: () => {
      const listeners: ((message: string) => unknown)[] = []
      return {
        publish: async (_, message) =>
          void (await Promise.all(listeners.map((listener) => listener(message)))),
        subscribe: async (_, listener) => (listeners.push(listener), nothing),
      }
    },
    noticedBy: 'publish does not wait for listeners',
  },
  {
    breaks: 'a listener receives messages after its subscription has ended',
    methods: (intact) => ({ subscribe: async (...call) => (await intact.subscribe(...call), nothing) }),
    noticedBy: 'after a subscription has ended its listener is not called',
  },
  {
    breaks: 'ending one subscription ends all subscriptions of its channel',
    methods: (intact) => {
      const ends: (() => Promise<void>)[] = []
      return {
        subscribe: async (...call) => {
          ends.push(await intact.subscribe(...call))
          return async () => void (await Promise.all(ends.map((end) => end())))
        },
      }
    },
    noticedBy: 'after a subscription has ended its listener is not called',
  },
  {
    breaks: 'a subscription starts after subscribe has settled',
    methods: (intact) => ({
      subscribe: async (channel, listener) => {
        setTimeout(() => void intact.subscribe(channel, listener), 50)
        return nothing
      },
    }),
    noticedBy: 'a listener receives only messages of its own channel',
  },
  {
    breaks: 'a function can subscribe only once',
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
    noticedBy: 'a listener may be subscribed twice',
  },
  {
    breaks: 'publish fails without a listener',
    methods: () => ({ publish: () => Promise.reject(new Error('no listener')) }),
    message: 'no listener',
    noticedBy: 'publish resolves even if the channel has no subscribers',
  },
  {
    breaks: 'the last unsubscription closes the channel after a new listener has subscribed',
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
    noticedBy: 'a channel whose last subscription has ended can be subscribed to again',
  },
  {
    breaks: 'a subscription cannot be ended once the store is closed',
    methods: (intact) => {
      let closed = false
      return {
        subscribe: async (...call) => {
          const end = await intact.subscribe(...call)
          return () => (closed ? Promise.reject(new Error('already closed')) : end())
        },
        close: () => ((closed = true), intact.close()),
      }
    },
    message: 'already closed',
    noticedBy: 'after close no listener is called',
  },
  {
    breaks: 'messages are cut at 8,000 bytes',
    methods: (intact) => ({ publish: (channel, message) => intact.publish(channel, message.slice(0, 7999)) }),
    noticedBy: 'a message reaches all subscribers of its channel',
  },
  {
    breaks: 'each message is followed by a report of missed messages',
    methods: (intact) => ({
      subscribe: (channel, listener, missed) =>
        intact.subscribe(channel, (message) => {
          listener(message)
          missed?.()
        }),
    }),
    noticedBy: 'a message reaches all subscribers of its channel',
  },
  {
    breaks: 'channels are cut at 63 bytes',
    methods: (intact) => ({
      publish: (channel, message) => intact.publish(truncated(channel), message),
      subscribe: (channel, listener) => intact.subscribe(truncated(channel), listener),
    }),
    noticedBy: 'names of channels are compared character by character',
  },
  {
    breaks: 'channel names are patterns',
    methods: () => {
      const listeners = new Map<string, (message: string) => void>()
      return {
        publish: async (channel, message) => {
          for (const [pattern, listener] of listeners) {
            if (pattern === channel || (pattern.endsWith('*') && channel.startsWith(pattern.slice(0, -1)))) {
              listener(message)
            }
          }
        },
        subscribe: async (channel, listener) => (listeners.set(channel, listener), nothing),
      }
    },
    noticedBy: 'names of channels are compared character by character',
  },
  {
    breaks: 'equal messages are sent once',
    methods: (intact) => {
      const sent = new Set<string>()
      return {
        publish: async (channel, message) => {
          if (sent.has(message)) return
          sent.add(message)
          await intact.publish(channel, message)
        },
      }
    },
    noticedBy: 'each of many concurrent messages is delivered',
  },
  {
    breaks: 'of concurrent subscriptions to a channel, only the first is kept',
    methods: (intact) => {
      const subscribed = new Set<string>()
      return {
        subscribe: async (channel, listener) => {
          if (subscribed.has(channel)) return nothing
          subscribed.add(channel)
          return intact.subscribe(channel, listener)
        },
      }
    },
    noticedBy: 'concurrent subscriptions all receive messages',
  },
  {
    breaks: 'when a listener unsubscribes during a delivery, the next listener misses the message',
    methods: () => {
      const listeners: ((message: string) => void)[] = []
      return {
        publish: async (_, message) => {
          for (let index = 0; index < listeners.length; index += 1) listeners[index]?.(message)
        },
        subscribe: async (_, listener) => {
          listeners.push(listener)
          return async () => void listeners.splice(listeners.indexOf(listener), 1)
        },
      }
    },
    noticedBy: 'a listener may end its own subscription and start a new subscription',
  },
  {
    breaks: 'calls that are pending when the store is closed never settle',
    methods: (intact) => {
      let closed = false
      return {
        get: async (key) => {
          await new Promise((resolve) => setTimeout(resolve, 20))
          return closed ? new Promise(() => {}) : intact.get(key)
        },
        close: () => ((closed = true), intact.close()),
      }
    },
    noticedBy: 'calls that are pending when the store is closed resolve or reject',
  },
]
