import type { BrokenStore } from './broken-store.ts'

/** Stores that break a promise about times to live. */
export const brokenExpiry: readonly BrokenStore[] = [
  {
    breaks: 'values never expire',
    methods: (intact) => ({ set: (key, value) => intact.set(key, value) }),
    noticedBy: 'a value whose time to live has elapsed is absent for every method',
  },
  {
    breaks: 'times to live are milliseconds',
    methods: (intact) => ({ set: (key, value, ttl) => intact.set(key, value, ttl && ttl / 1000) }),
    noticedBy: 'a value whose time to live has elapsed is absent for every method',
  },
  {
    breaks: 'values stored by create never expire',
    methods: (intact) => ({ create: (key, value) => intact.create(key, value) }),
    noticedBy: 'a value whose time to live has elapsed is absent for every method',
  },
  {
    breaks: 'replace removes the time to live',
    methods: (intact) => ({ replace: (key, expected, value) => intact.replace(key, expected, value) }),
    noticedBy: 'set and replace give a value its new time to live',
  },
  {
    breaks: 'a create that answers false extends the time to live',
    methods: (intact) => ({
      create: async (key, value, ttl) => {
        const text = await intact.get(key)
        return text === undefined
          ? intact.create(key, value, ttl)
          : !(await intact.replace(key, text, text, ttl))
      },
    }),
    noticedBy: 'a call of create or replace that answers false does not change the time to live',
  },
  {
    breaks: 'delete answers true for an expired value',
    methods: (intact) => {
      const known = new Set<string>()
      return {
        set: async (key, value, ttl) => (known.add(key), intact.set(key, value, ttl)),
        delete: async (key) => (await intact.delete(key)) || known.has(key),
      }
    },
    noticedBy: 'a value whose time to live has elapsed is absent for every method',
  },
  {
    breaks: 'an expired value still prevents a create',
    methods: (intact) => {
      const known = new Set<string>()
      return {
        set: async (key, value, ttl) => (known.add(key), intact.set(key, value, ttl)),
        create: async (key, value, ttl) => !known.has(key) && intact.create(key, value, ttl),
      }
    },
    noticedBy: 'a value whose time to live has elapsed is absent for every method',
  },
  {
    breaks: 'a set without a time to live keeps the previous time to live',
    methods: (intact) => {
      const ttls = new Map<string, number | undefined>()
      return {
        set: (key, value, ttl = ttls.get(key)) => (ttls.set(key, ttl), intact.set(key, value, ttl)),
      }
    },
    noticedBy: 'set and replace give a value its new time to live',
  },
  {
    breaks: 'times to live are cut to 32 bits',
    methods: (intact) => ({ set: (key, value, ttl) => intact.set(key, value, ttl && ttl | 0) }),
    noticedBy: 'a time to live may be a century',
  },
  {
    breaks: 'add reads the time to live of an index first and writes it afterwards',
    methods: (intact) => {
      const ttls = new Map<string, number>()
      return {
        async add(index, member, ttl = Infinity) {
          const longest = ttls.get(index) ?? 0
          await intact.ping()
          ttls.set(index, Math.max(longest, ttl))
          await intact.add(index, member)
        },
        range: async (index, options) => ((ttls.get(index) ?? 0) > 2 ? intact.range(index, options) : []),
      }
    },
    noticedBy: 'an index to which members are added concurrently lives for the longest time to live',
  },
  {
    breaks: 'a shorter time to live replaces the longer time to live of an index',
    methods: (intact) => ({
      add: async (index, member, ttl) => {
        const members = await intact.range(index, { limit: 1000 })
        for (const known of members) await intact.remove(index, known)
        for (const known of [...members, member]) await intact.add(index, known, ttl)
      },
    }),
    noticedBy: 'an index lives for its longest time to live',
  },
  {
    breaks: 'indexes never expire',
    methods: (intact) => ({ add: (index, member) => intact.add(index, member) }),
    noticedBy: 'an index lives for its longest time to live',
  },
]
