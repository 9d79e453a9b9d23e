import type { Store } from '../../src/store/contract.ts'
import type { BrokenStore } from './broken-store.ts'

/** The methods about values, with each key renamed by `rename`. */
function keysAs(rename: (key: string) => string, intact: Store): Partial<Store> {
  return {
    set: (key, value, ttl) => intact.set(rename(key), value, ttl),
    get: (key) => intact.get(rename(key)),
    getMany: (keys) => intact.getMany(keys.map(rename)),
    delete: (key) => intact.delete(rename(key)),
  }
}

/** Stores that break a promise about texts and their keys. */
export const brokenValues: readonly BrokenStore[] = [
  {
    breaks: 'get trims a value',
    methods: (intact) => ({ get: async (key) => (await intact.get(key))?.trim() }),
    noticedBy: 'set stores any text unchanged',
  },
  {
    breaks: 'get answers null for an absent key',
    methods: (intact) => ({ get: async (key) => (await intact.get(key)) ?? (null as unknown as undefined) }),
    noticedBy: 'get answers undefined for a key that was never set',
  },
  {
    breaks: 'values are Unicode-normalised',
    methods: (intact) => ({ set: (key, value, ttl) => intact.set(key, value.normalize(), ttl) }),
    noticedBy: 'set stores any text unchanged',
  },
  {
    breaks: 'a byte order mark is removed',
    methods: (intact) => ({ get: async (key) => (await intact.get(key))?.replace(/^\uFEFF/, '') }),
    noticedBy: 'set stores any text unchanged',
  },
  {
    breaks: 'texts end at U+0000',
    methods: (intact) => ({ set: (key, value, ttl) => intact.set(key, value.split('\u0000')[0]!, ttl) }),
    noticedBy: 'set stores any text unchanged',
  },
  {
    breaks: 'create rejects large values',
    methods: (intact) => ({
      create: async (key, value, ttl) => value.length < 8000 && intact.create(key, value, ttl),
    }),
    noticedBy: 'a value may have a million characters',
  },
  {
    breaks: 'replace compares only the beginning of texts',
    methods: (intact) => ({
      replace: async (key, expected, value, ttl) => {
        const text = (await intact.get(key)) ?? ''
        return intact.replace(key, text.startsWith(expected) ? text : expected, value, ttl)
      },
    }),
    noticedBy: 'a value may have a million characters',
  },
  {
    breaks: 'values are cut at 64 KiB',
    methods: (intact) => ({ set: (key, value, ttl) => intact.set(key, value.slice(0, 65_536), ttl) }),
    noticedBy: 'a value may have a million characters',
  },
  {
    breaks: 'keys ignore letter case',
    methods: (intact) => keysAs((key) => key.toLowerCase(), intact),
    noticedBy: 'keys are compared character by character',
  },
  {
    breaks: 'keys are cut at 255 characters',
    methods: (intact) => keysAs((key) => key.slice(0, 255), intact),
    noticedBy: 'keys are compared character by character',
  },
  {
    breaks: 'keys are cut at 512 bytes',
    methods: (intact) => keysAs((key) => Buffer.from(key).subarray(0, 512).toString('latin1'), intact),
    noticedBy: 'keys are compared character by character',
  },
  {
    breaks: 'keys are Unicode-normalised',
    methods: (intact) => keysAs((key) => key.normalize(), intact),
    noticedBy: 'keys are compared character by character',
  },
  {
    breaks: 'keys lose characters outside of the Basic Multilingual Plane',
    methods: (intact) => keysAs((key) => key.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?'), intact),
    noticedBy: 'keys are compared character by character',
  },
  {
    breaks: 'values are kept in a plain object',
    methods: (intact) => {
      const values: Record<string, string> = {}
      return {
        get: async (key) => values[key],
        set: async (key, value) => void (values[key] = value),
        delete: intact.delete,
      }
    },
    noticedBy: 'keys, indexes and members may have the names of built-in object properties',
  },
  {
    breaks: 'getMany omits absent keys',
    methods: (intact) => ({ getMany: async (keys) => (await intact.getMany(keys)).filter(Boolean) }),
    noticedBy: 'getMany answers in the order of its keys',
  },
  {
    breaks: 'getMany answers a repeated key only once',
    methods: (intact) => ({ getMany: (keys) => intact.getMany([...new Set(keys)]) }),
    noticedBy: 'getMany answers in the order of its keys',
  },
  {
    breaks: 'getMany without keys fails',
    methods: (intact) => ({
      getMany: (keys) => (keys.length > 0 ? intact.getMany(keys) : Promise.reject(new Error('no keys'))),
    }),
    message: 'no keys',
    noticedBy: 'getMany answers in the order of its keys',
  },
  {
    breaks: 'getMany reads only 100 keys',
    methods: (intact) => ({ getMany: (keys) => intact.getMany(keys.slice(0, 100)) }),
    noticedBy: 'getMany accepts a thousand keys',
  },
  {
    breaks: 'get caches the values that it has read',
    methods: (intact) => {
      const cache = new Map<string, string | undefined>()
      return {
        async get(key) {
          if (!cache.has(key)) cache.set(key, await intact.get(key))
          return cache.get(key)
        },
      }
    },
    connected: true,
    noticedBy: 'every store reads the writes of another store at once',
  },
  {
    breaks: 'getMany reads from a replica that lags',
    methods: (intact) => {
      let stale: (string | undefined)[] = []
      return {
        async getMany(keys) {
          const now = await intact.getMany(keys)
          const answer = stale.length === keys.length ? stale : now
          stale = now
          return answer
        },
      }
    },
    connected: true,
    noticedBy: 'every store reads the writes of another store at once',
  },
  {
    breaks: 'set settles before it sends its write',
    methods: (intact) => ({
      set: async (key, value, ttl) =>
        void setTimeout(() => void intact.set(key, value, ttl).catch(() => {}), 20),
    }),
    noticedBy: 'every store reads the writes of another store at once',
  },
  {
    breaks: 'delete always answers true',
    methods: (intact) => ({ delete: async (key) => (await intact.delete(key)) || true }),
    noticedBy: 'delete answers whether there was a value',
  },
  {
    breaks: 'replace trims the value that it stores',
    methods: (intact) => ({
      replace: (key, expected, value, ttl) => intact.replace(key, expected, value.trim() || ' ', ttl),
    }),
    noticedBy: 'create and replace store any text unchanged',
  },
]
