import type { Store, StoreCheck } from '../../src/store/contract.ts'
import type { BrokenStore } from './broken-store.ts'

/** Makes an `inspect` that answers `check`. The message of the check ends with the last key of `keys`. */
function inspecting(check: StoreCheck, keys: readonly string[] = []): Partial<Store> {
  return {
    inspect: async () => ({ checks: [{ ...check, message: [check.message, ...keys.slice(-1)].join(' ') }] }),
  }
}

/** Stores that break a promise about what a store reports about itself. */
export const brokenDescription: readonly BrokenStore[] = [
  {
    breaks: 'ping fails',
    methods: () => ({ ping: () => Promise.reject(new Error('no answer')) }),
    message: 'no answer',
    noticedBy: 'ping resolves if the database answers',
  },
  {
    breaks: 'volatile is a text',
    methods: () => ({ volatile: 'yes' as unknown as boolean }),
    noticedBy: 'volatile is a boolean, and durable is a complete store',
  },
  {
    breaks: 'durable has only some of the methods',
    methods: ({ set, create }) => ({ durable: { set, create } as Store }),
    noticedBy: 'volatile is a boolean, and durable is a complete store',
  },
  {
    breaks: 'inspect answers its time in seconds',
    methods: () => ({ inspect: async () => ({ time: Date.now() / 1000, checks: [] }) }),
    noticedBy: 'inspect answers with the time and a list of checks',
  },
  {
    breaks: 'inspect answers a status that does not exist',
    methods: () => inspecting({ name: 'disk', status: 'fine' as 'pass', message: 'it is there' }),
    noticedBy: 'inspect answers with the time and a list of checks',
  },
  {
    breaks: 'inspect answers a failed check without a remedy',
    methods: () => inspecting({ name: 'disk', status: 'fail', message: 'it is full' }),
    noticedBy: 'inspect answers with the time and a list of checks',
  },
  {
    breaks: 'inspect discloses a stored key',
    methods: (intact) => {
      const keys: string[] = []
      return {
        set: (key, value, ttl) => (keys.push(key), intact.set(key, value, ttl)),
        ...inspecting({ name: 'keys', status: 'pass', message: 'all of them', remedy: undefined }, keys),
      }
    },
    noticedBy: 'inspect answers with the time and a list of checks',
  },
  {
    breaks: 'inspect fails',
    methods: () => ({ inspect: () => Promise.reject(new Error('not permitted')) }),
    message: 'not permitted',
    noticedBy: 'inspect answers with the time and a list of checks',
  },
]
