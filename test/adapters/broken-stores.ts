import type { Store } from '../../src/store/contract.ts'

/** A store that breaks one promise: what replaces the methods of a good one, and the case that must notice. */
export interface BrokenStore {
  readonly breaks: string
  readonly methods: (good: Store) => Partial<Store>
  /** The beginning of the case's name. */
  readonly noticedBy: string
  /** The store's own error, if that is how the case notices. @default an AssertionError */
  readonly message?: string
}

const never = async () => {}

/** Stores that break a promise about texts, indexes or closing. */
export const brokenStores: readonly BrokenStore[] = [
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
    breaks: 'values are cut at 64 KiB',
    methods: (good) => ({ set: (key, value, ttl) => good.set(key, value.slice(0, 65_536), ttl) }),
    noticedBy: 'a value may have a million characters',
  },
  {
    breaks: 'keys ignore letter case',
    methods: (good) => ({
      set: (key, value, ttl) => good.set(key.toLowerCase(), value, ttl),
      get: (key) => good.get(key.toLowerCase()),
      getMany: (keys) => good.getMany(keys.map((key) => key.toLowerCase())),
      delete: (key) => good.delete(key.toLowerCase()),
    }),
    noticedBy: 'keys are told apart by every character',
  },
  {
    breaks: 'keys are cut at 255 characters',
    methods: (good) => ({
      set: (key, value, ttl) => good.set(key.slice(0, 255), value, ttl),
      get: (key) => good.get(key.slice(0, 255)),
      getMany: (keys) => good.getMany(keys.map((key) => key.slice(0, 255))),
      delete: (key) => good.delete(key.slice(0, 255)),
    }),
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
    breaks: 'delete answers true always',
    methods: (good) => ({ delete: async (key) => (await good.delete(key)) || true }),
    noticedBy: 'delete answers whether something was there',
  },
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
    breaks: 'an index is sorted by UTF-16 units',
    methods: (good) => ({ range: async (...call) => (await good.range(...call)).toSorted() }),
    noticedBy: 'range answers in ascending order of UTF-8 bytes',
  },
  {
    breaks: 'an index is sorted as people sort',
    methods: (good) => ({
      range: async (...call) => (await good.range(...call)).toSorted((a, b) => a.localeCompare(b)),
    }),
    noticedBy: 'range answers in ascending order of UTF-8 bytes',
  },
  {
    breaks: 'the cursor is inclusive',
    methods: (good) => ({
      range: async (index, { after, limit }) => {
        const members = await good.range(index, { limit: 1000 })
        return members.slice(after === undefined ? 0 : members.indexOf(after)).slice(0, limit)
      },
    }),
    noticedBy: 'every member is a cursor',
  },
  {
    breaks: 'a cursor that is no member begins anew',
    methods: (good) => ({
      range: async (index, { after = '', limit }) => {
        const members = await good.range(index, { limit: 1000 })
        return members.slice(members.indexOf(after) + 1).slice(0, limit)
      },
    }),
    noticedBy: 'a cursor need not be a member any more',
  },
  {
    breaks: 'pages are of 100 at most',
    methods: (good) => ({
      range: (index, options) => good.range(index, { ...options, limit: Math.min(options.limit, 100) }),
    }),
    noticedBy: 'pages of 1 to 1000 members together hold each member once',
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
  {
    breaks: 'a member that is added again is there twice',
    methods: (good) => {
      const added: string[] = []
      return {
        add: async (index, member, ttl) => {
          added.push(member)
          await good.add(index, member, ttl)
        },
        range: async () => added.toSorted(),
      }
    },
    noticedBy: 'a member that is added again stays once',
  },
  {
    breaks: 'remove does nothing',
    methods: () => ({ remove: never }),
    noticedBy: 'remove takes out that member and no other',
  },
  {
    breaks: 'adding reads all and writes all',
    methods: () => {
      const all = new Map<string, string[]>()
      const members = async (index: string) => all.get(index) ?? []
      const write = async (index: string, list: string[]) => void all.set(index, list.toSorted())
      return {
        add: async (index, member) => write(index, [...(await members(index)), member]),
        remove: async (index, gone) =>
          write(
            index,
            (await members(index)).filter((member) => member !== gone),
          ),
        range: (index) => members(index),
      }
    },
    noticedBy: '100 concurrent adds, and as many removes, lose nothing',
  },
  {
    breaks: 'ping fails',
    methods: () => ({ ping: () => Promise.reject(new Error('no answer')) }),
    message: 'no answer',
    noticedBy: 'ping settles if the database answers',
  },
  {
    breaks: 'a second close fails',
    methods: () => {
      let closed = false
      return {
        close: async () => {
          if (closed) throw new Error('already closed')
          closed = true
        },
      }
    },
    message: 'already closed',
    noticedBy: 'close may be called again and again',
  },
  {
    breaks: 'close does nothing',
    methods: () => ({ close: never }),
    noticedBy: 'after close every method rejects',
  },
  {
    breaks: 'replace trims what it stores',
    methods: (good) => ({
      replace: (key, expected, value, ttl) => good.replace(key, expected, value.trim() || ' ', ttl),
    }),
    noticedBy: 'create and replace store any text unchanged',
  },
  {
    breaks: 'the cursor is a position',
    methods: (good) => {
      let position = 0
      return {
        range: async (index, { after, limit }) => {
          position = after === undefined ? 0 : position + limit
          return (await good.range(index, { limit: 1000 })).slice(position, position + limit)
        },
      }
    },
    noticedBy: 'paging misses and repeats nothing while others add and remove',
  },
  {
    breaks: 'an empty index has an empty member',
    methods: (good) => ({
      range: async (...call) => (await good.range(...call)).join().split(','),
    }),
    noticedBy: 'an index that nobody added to is empty',
  },
]
