import type { BrokenStore } from './broken-store.ts'

/** Stores that break a promise about concurrent calls. */
export const brokenAtomicity: readonly BrokenStore[] = [
  {
    breaks: 'delete reads first and deletes afterwards',
    methods: (intact) => ({
      delete: async (key) => {
        const existed = (await intact.get(key)) !== undefined
        await intact.delete(key)
        return existed
      },
    }),
    noticedBy: 'exactly one of 100 concurrent calls of delete answers true',
  },
  {
    breaks: 'create overwrites a value',
    methods: (intact) => ({ create: async (key, value, ttl) => (await intact.set(key, value, ttl), true) }),
    noticedBy: 'create stores a value only under an absent key',
  },
  {
    breaks: 'create reads first and stores afterwards',
    methods: (intact) => ({
      create: async (key, value, ttl) => {
        if ((await intact.get(key)) !== undefined) return false
        await intact.set(key, value, ttl)
        return true
      },
    }),
    noticedBy: 'exactly one of 100 concurrent calls of create answers true',
  },
  {
    breaks: 'replace always answers true',
    methods: (intact) => ({ replace: async (...call) => (await intact.replace(...call)) || true }),
    noticedBy: 'replace stores a text only if the stored text is exactly the expected text',
  },
  {
    breaks: 'replace compares texts of digits as numbers',
    methods: (intact) => ({
      replace: async (key, expected, value, ttl) => {
        const text = (await intact.get(key)) ?? ''
        return intact.replace(key, Number(text) === Number(expected) ? text : expected, value, ttl)
      },
    }),
    noticedBy: 'replace stores a text only if the stored text is exactly the expected text',
  },
  {
    breaks: 'replace compares first and stores afterwards',
    methods: (intact) => ({
      replace: async (key, expected, value, ttl) => {
        if ((await intact.get(key)) !== expected) return false
        await intact.set(key, value, ttl)
        return true
      },
    }),
    noticedBy: 'exactly one of 100 concurrent calls of replace that expect the same text answers true',
  },
  {
    breaks: 'replace compares first and stores afterwards, which loses changes',
    methods: (intact) => ({
      replace: async (key, expected, value, ttl) => {
        if ((await intact.get(key)) !== expected) return false
        await intact.set(key, value, ttl)
        return true
      },
    }),
    noticedBy: 'no change is lost when several callers change a value with get and replace',
  },
  {
    breaks: 'replace compares first and stores afterwards, which restores a deleted value',
    methods: (intact) => ({
      replace: async (key, expected, value, ttl) => {
        if ((await intact.get(key)) !== expected) return false
        await intact.set(key, value, ttl)
        return true
      },
    }),
    noticedBy: 'a key that is deleted while it is replaced is absent afterwards',
  },
  {
    breaks: 'replace stores an absent key',
    methods: (intact) => ({
      replace: async (...call) => (await intact.create(call[0], call[2], call[3])) || intact.replace(...call),
    }),
    noticedBy: 'replace never creates an absent key',
  },
]
