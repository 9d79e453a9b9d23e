import type { Store } from '../../src/store/contract.ts'
import type { BrokenStore } from './broken-store.ts'

/** The methods about values, for keys that become others on their way. */
function keysAs(become: (key: string) => string, good: Store): Partial<Store> {
  return {
    set: (key, value, ttl) => good.set(become(key), value, ttl),
    get: (key) => good.get(become(key)),
    getMany: (keys) => good.getMany(keys.map(become)),
    delete: (key) => good.delete(become(key)),
  }
}

/** Stores that break a promise about texts and the names that they stand under. */
export const brokenValues: readonly BrokenStore[] = [
  {
    breaks: 'get trims',
    methods: (good) => ({ get: async (key) => (await good.get(key))?.trim() }),
    noticedBy: 'set stores any text unchanged',
  },
  {
    breaks: 'get answers null where nothing is',
    methods: (good) => ({ get: async (key) => (await good.get(key)) ?? (null as unknown as undefined) }),
    noticedBy: 'get answers undefined for a key that was never set',
  },
  {
    breaks: 'values are normalised',
    methods: (good) => ({ set: (key, value, ttl) => good.set(key, value.normalize(), ttl) }),
    noticedBy: 'set stores any text unchanged',
  },
  {
    breaks: 'a mark of byte order is taken off',
    methods: (good) => ({ get: async (key) => (await good.get(key))?.replace(/^\uFEFF/, '') }),
    noticedBy: 'set stores any text unchanged',
  },
  {
    breaks: 'texts end at U+0000',
    methods: (good) => ({ set: (key, value, ttl) => good.set(key, value.split('\u0000')[0]!, ttl) }),
    noticedBy: 'set stores any text unchanged',
  },
  {
    breaks: 'create rejects large values',
    methods: (good) => ({
      create: async (key, value, ttl) => value.length < 8000 && good.create(key, value, ttl),
    }),
    noticedBy: 'a value may have a million characters',
  },
  {
    breaks: 'replace compares the beginnings',
    methods: (good) => ({
      replace: async (key, expected, value, ttl) => {
        const text = (await good.get(key)) ?? ''
        return good.replace(key, text.startsWith(expected) ? text : expected, value, ttl)
      },
    }),
    noticedBy: 'a value may have a million characters',
  },
  {
    breaks: 'values are cut at 64 KiB',
    methods: (good) => ({ set: (key, value, ttl) => good.set(key, value.slice(0, 65_536), ttl) }),
    noticedBy: 'a value may have a million characters',
  },
  {
    breaks: 'keys ignore letter case',
    methods: (good) => keysAs((key) => key.toLowerCase(), good),
    noticedBy: 'keys are told apart by every character',
  },
  {
    breaks: 'keys are cut at 255 characters',
    methods: (good) => keysAs((key) => key.slice(0, 255), good),
    noticedBy: 'keys are told apart by every character',
  },
  {
    breaks: 'keys are cut at 512 bytes',
    methods: (good) => keysAs((key) => Buffer.from(key).subarray(0, 512).toString('latin1'), good),
    noticedBy: 'keys are told apart by every character',
  },
  {
    breaks: 'keys are normalised',
    methods: (good) => keysAs((key) => key.normalize(), good),
    noticedBy: 'keys are told apart by every character',
  },
  {
    breaks: 'keys know the first plane alone',
    methods: (good) => keysAs((key) => key.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?'), good),
    noticedBy: 'keys are told apart by every character',
  },
  {
    breaks: 'values lie in a plain object',
    methods: (good) => {
      const values: Record<string, string> = {}
      return {
        get: async (key) => values[key],
        set: async (key, value) => void (values[key] = value),
        delete: good.delete,
      }
    },
    noticedBy: 'keys, indexes and members may be called like what every object has',
  },
  {
    breaks: 'getMany leaves out what is absent',
    methods: (good) => ({ getMany: async (keys) => (await good.getMany(keys)).filter(Boolean) }),
    noticedBy: 'getMany answers in the order of its keys',
  },
  {
    breaks: 'getMany answers each key once',
    methods: (good) => ({ getMany: (keys) => good.getMany([...new Set(keys)]) }),
    noticedBy: 'getMany answers in the order of its keys',
  },
  {
    breaks: 'getMany of nothing fails',
    methods: (good) => ({
      getMany: (keys) => (keys.length > 0 ? good.getMany(keys) : Promise.reject(new Error('no keys'))),
    }),
    message: 'no keys',
    noticedBy: 'getMany answers in the order of its keys',
  },
  {
    breaks: 'getMany takes 100 keys',
    methods: (good) => ({ getMany: (keys) => good.getMany(keys.slice(0, 100)) }),
    noticedBy: 'getMany takes a thousand keys',
  },
  {
    breaks: 'get remembers what it has read',
    methods: (good) => {
      const known = new Map<string, string | undefined>()
      return {
        async get(key) {
          if (!known.has(key)) known.set(key, await good.get(key))
          return known.get(key)
        },
      }
    },
    connected: true,
    noticedBy: 'what one store has written every other one reads at once',
  },
  {
    breaks: 'getMany reads from a replica that lags',
    methods: (good) => {
      let behind: (string | undefined)[] = []
      return {
        async getMany(keys) {
          const now = await good.getMany(keys)
          const answer = behind.length === keys.length ? behind : now
          behind = now
          return answer
        },
      }
    },
    connected: true,
    noticedBy: 'what one store has written every other one reads at once',
  },
  {
    breaks: 'writes are sent some time later',
    methods: (good) => ({
      set: async (key, value, ttl) =>
        void setTimeout(() => void good.set(key, value, ttl).catch(() => {}), 20),
    }),
    noticedBy: 'what one store has written every other one reads at once',
  },
  {
    breaks: 'delete answers true always',
    methods: (good) => ({ delete: async (key) => (await good.delete(key)) || true }),
    noticedBy: 'delete answers whether something was there',
  },
  {
    breaks: 'replace trims what it stores',
    methods: (good) => ({
      replace: (key, expected, value, ttl) => good.replace(key, expected, value.trim() || ' ', ttl),
    }),
    noticedBy: 'create and replace store any text unchanged',
  },
]
