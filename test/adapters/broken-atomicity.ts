import type { BrokenStore } from './broken-store.ts'

/** Stores that break a promise about calls at the same time. */
export const brokenAtomicity: readonly BrokenStore[] = [
  {
    breaks: 'delete looks first and deletes then',
    methods: (good) => ({
      delete: async (key) => {
        const there = (await good.get(key)) !== undefined
        await good.delete(key)
        return there
      },
    }),
    noticedBy: 'of 100 concurrent deletes exactly one answers true',
  },
  {
    breaks: 'create overwrites',
    methods: (good) => ({ create: async (key, value, ttl) => (await good.set(key, value, ttl), true) }),
    noticedBy: 'create stores only what is absent',
  },
  {
    breaks: 'create looks first and stores then',
    methods: (good) => ({
      create: async (key, value, ttl) => {
        if ((await good.get(key)) !== undefined) return false
        await good.set(key, value, ttl)
        return true
      },
    }),
    noticedBy: 'of 100 concurrent creates exactly one answers true',
  },
  {
    breaks: 'replace answers true always',
    methods: (good) => ({ replace: async (...call) => (await good.replace(...call)) || true }),
    noticedBy: 'replace stores only where the text is exactly the expected one',
  },
  {
    breaks: 'replace compares numbers as numbers',
    methods: (good) => ({
      replace: async (key, expected, value, ttl) => {
        const text = (await good.get(key)) ?? ''
        return good.replace(key, Number(text) === Number(expected) ? text : expected, value, ttl)
      },
    }),
    noticedBy: 'replace stores only where the text is exactly the expected one',
  },
  {
    breaks: 'replace compares first and stores then',
    methods: (good) => ({
      replace: async (key, expected, value, ttl) => {
        if ((await good.get(key)) !== expected) return false
        await good.set(key, value, ttl)
        return true
      },
    }),
    noticedBy: 'of 100 concurrent replaces of one text exactly one answers true',
  },
  {
    breaks: 'replace compares first and stores then, so that changes get lost',
    methods: (good) => ({
      replace: async (key, expected, value, ttl) => {
        if ((await good.get(key)) !== expected) return false
        await good.set(key, value, ttl)
        return true
      },
    }),
    noticedBy: 'concurrent changes by get and replace lose nothing',
  },
  {
    breaks: 'replace compares first and stores then, so that what is deleted comes back',
    methods: (good) => ({
      replace: async (key, expected, value, ttl) => {
        if ((await good.get(key)) !== expected) return false
        await good.set(key, value, ttl)
        return true
      },
    }),
    noticedBy: 'what is deleted while it is replaced is gone afterwards',
  },
  {
    breaks: 'replace stores where nothing is',
    methods: (good) => ({
      replace: async (...call) => (await good.create(call[0], call[2], call[3])) || good.replace(...call),
    }),
    noticedBy: 'replace never brings an absent key back',
  },
]
