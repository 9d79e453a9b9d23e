import { nothing, type BrokenStore } from './broken-store.ts'

const cut = (channel: string) => Buffer.from(channel).subarray(0, 63).toString('latin1')

/** Stores that break a promise about messages or waiting; most are noticed after some seconds of waiting. */
export const brokenMessages: readonly BrokenStore[] = [
  {
    breaks: 'messages go nowhere',
    methods: () => ({ publish: nothing }),
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
        subscribe: async (_, listener) => (listeners.push(listener), nothing),
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
        subscribe: async (_, listener) => (listeners.push(listener), nothing),
      }
    },
    noticedBy: 'publish does not wait for what listeners do',
  },
  {
    breaks: 'subscriptions never end',
    methods: (good) => ({ subscribe: async (...call) => (await good.subscribe(...call), nothing) }),
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
        return nothing
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
  {
    breaks: 'messages are cut at 8,000 bytes',
    methods: (good) => ({ publish: (channel, message) => good.publish(channel, message.slice(0, 7999)) }),
    noticedBy: 'a message reaches all who listen to its channel',
  },
  {
    breaks: 'each message tells that others were missed',
    methods: (good) => ({
      subscribe: (channel, listener, missed) =>
        good.subscribe(channel, (message) => {
          listener(message)
          missed?.()
        }),
    }),
    noticedBy: 'a message reaches all who listen to its channel',
  },
  {
    breaks: 'channels are cut at 63 bytes',
    methods: (good) => ({
      publish: (channel, message) => good.publish(cut(channel), message),
      subscribe: (channel, listener) => good.subscribe(cut(channel), listener),
    }),
    noticedBy: 'channels are told apart by every character',
  },
  {
    breaks: 'channels are patterns',
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
    noticedBy: 'channels are told apart by every character',
  },
  {
    breaks: 'messages that are alike are sent once',
    methods: (good) => {
      const sent = new Set<string>()
      return {
        publish: async (channel, message) => {
          if (sent.has(message)) return
          sent.add(message)
          await good.publish(channel, message)
        },
      }
    },
    noticedBy: 'of many messages at once each is heard',
  },
  {
    breaks: 'the first subscription of a channel wins',
    methods: (good) => {
      const underWay = new Set<string>()
      return {
        subscribe: async (channel, listener) => {
          if (underWay.has(channel)) return nothing
          underWay.add(channel)
          return good.subscribe(channel, listener)
        },
      }
    },
    noticedBy: 'subscriptions that begin at the same time all hear',
  },
  {
    breaks: 'who leaves while a message is delivered takes the place of the next one',
    methods: () => {
      const listeners: ((message: string) => void)[] = []
      return {
        publish: async (_, message) => {
          for (let at = 0; at < listeners.length; at += 1) listeners[at]?.(message)
        },
        subscribe: async (_, listener) => {
          listeners.push(listener)
          return async () => void listeners.splice(listeners.indexOf(listener), 1)
        },
      }
    },
    noticedBy: 'a listener may end its own subscription and begin another',
  },
  {
    breaks: 'close forgets who waits',
    methods: (good) => {
      let closed = false
      return {
        get: async (key) => {
          await new Promise((resolve) => setTimeout(resolve, 20))
          return closed ? new Promise(() => {}) : good.get(key)
        },
        close: () => ((closed = true), good.close()),
      }
    },
    noticedBy: 'calls that are under way while the store is closed settle',
  },
]
