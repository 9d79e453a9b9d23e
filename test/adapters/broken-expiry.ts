import type { BrokenStore } from './broken-store.ts'

/** Stores that break a promise about times to live. */
export const brokenExpiry: readonly BrokenStore[] = [
  {
    breaks: 'values never expire',
    methods: (good) => ({ set: (key, value) => good.set(key, value) }),
    noticedBy: 'a value whose time to live has elapsed is absent for every method',
  },
  {
    breaks: 'times to live are milliseconds',
    methods: (good) => ({ set: (key, value, ttl) => good.set(key, value, ttl && ttl / 1000) }),
    noticedBy: 'a value whose time to live has elapsed is absent for every method',
  },
  {
    breaks: 'what create stores never expires',
    methods: (good) => ({ create: (key, value) => good.create(key, value) }),
    noticedBy: 'a value whose time to live has elapsed is absent for every method',
  },
  {
    breaks: 'replace makes permanent',
    methods: (good) => ({ replace: (key, expected, value) => good.replace(key, expected, value) }),
    noticedBy: 'set and replace set the time to live anew',
  },
  {
    breaks: 'a create that answers false lengthens the life',
    methods: (good) => ({
      create: async (key, value, ttl) => {
        const text = await good.get(key)
        return text === undefined ? good.create(key, value, ttl) : !(await good.replace(key, text, text, ttl))
      },
    }),
    noticedBy: 'create and replace that answer false leave the time to live alone',
  },
  {
    breaks: 'what has expired can be deleted once more',
    methods: (good) => {
      const known = new Set<string>()
      return {
        set: async (key, value, ttl) => (known.add(key), good.set(key, value, ttl)),
        delete: async (key) => (await good.delete(key)) || known.has(key),
      }
    },
    noticedBy: 'a value whose time to live has elapsed is absent for every method',
  },
  {
    breaks: 'what has expired still takes the name',
    methods: (good) => {
      const known = new Set<string>()
      return {
        set: async (key, value, ttl) => (known.add(key), good.set(key, value, ttl)),
        create: async (key, value, ttl) => !known.has(key) && good.create(key, value, ttl),
      }
    },
    noticedBy: 'a value whose time to live has elapsed is absent for every method',
  },
  {
    breaks: 'a set without a time to live keeps the old one',
    methods: (good) => {
      const ttls = new Map<string, number | undefined>()
      return {
        set: (key, value, ttl = ttls.get(key)) => (ttls.set(key, ttl), good.set(key, value, ttl)),
      }
    },
    noticedBy: 'set and replace set the time to live anew',
  },
  {
    breaks: 'times to live have 32 bits',
    methods: (good) => ({ set: (key, value, ttl) => good.set(key, value, ttl && ttl | 0) }),
    noticedBy: 'a time to live may be a century',
  },
  {
    breaks: 'add reads the life of an index first and writes it then',
    methods: (good) => {
      const lives = new Map<string, number>()
      return {
        async add(index, member, ttl = Infinity) {
          const life = lives.get(index) ?? 0
          await good.ping()
          lives.set(index, Math.max(life, ttl))
          await good.add(index, member)
        },
        range: async (index, options) => ((lives.get(index) ?? 0) > 2 ? good.range(index, options) : []),
      }
    },
    noticedBy: 'of concurrent adds the longest time to live counts',
  },
  {
    breaks: 'the last time to live of an index counts',
    methods: (good) => ({
      add: async (index, member, ttl) => {
        const members = await good.range(index, { limit: 1000 })
        for (const known of members) await good.remove(index, known)
        for (const known of [...members, member]) await good.add(index, known, ttl)
      },
    }),
    noticedBy: 'an index lives as long as the longest time to live it was given',
  },
  {
    breaks: 'indexes never expire',
    methods: (good) => ({ add: (index, member) => good.add(index, member) }),
    noticedBy: 'an index lives as long as the longest time to live it was given',
  },
]
