import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store, StoreCheck } from '../../src/store/contract.ts'

/** A store that breaks one promise: what replaces the methods of a good one, and the case that must notice. */
export interface BrokenStore {
  readonly breaks: string
  readonly methods: (good: Store) => Partial<Store>
  /** The beginning of the case's name. */
  readonly noticedBy: string
  /** Whether it takes two connections to one database to break it so. @default one volatile store */
  readonly connected?: true
  /** The store's own error, if that is how the case notices. @default an AssertionError */
  readonly message?: string
}

const never = async () => {}

/** The methods about values, for keys that become others on their way. */
function keysAs(become: (key: string) => string, good: Store): Partial<Store> {
  return {
    set: (key, value, ttl) => good.set(become(key), value, ttl),
    get: (key) => good.get(become(key)),
    getMany: (keys) => good.getMany(keys.map(become)),
    delete: (key) => good.delete(become(key)),
  }
}

/** The methods about indexes, for names of them that become others on their way. */
function indexesAs(become: (name: string) => string, good: Store): Partial<Store> {
  return {
    add: (index, member, ttl) => good.add(become(index), member, ttl),
    remove: (index, member) => good.remove(become(index), member),
    range: (index, options) => good.range(become(index), options),
  }
}

/** An `inspect` that answers one check, with the last of `keys` in its message. */
function inspecting(check: StoreCheck, keys: readonly string[] = []): Partial<Store> {
  return {
    inspect: async () => ({ checks: [{ ...check, message: [check.message, ...keys.slice(-1)].join(' ') }] }),
  }
}

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
    breaks: 'create refuses large values',
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
    breaks: 'an index goes with what was its last member a moment ago',
    methods: (good) => {
      const dropped = new Set<string>()
      return {
        async remove(index, member) {
          const members = await good.range(index, { limit: 2 })
          await good.remove(index, member)
          if (members.length === 1) dropped.add(index)
        },
        add: async (index, member, ttl) => {
          dropped.delete(index)
          await good.add(index, member, ttl)
        },
        range: async (index, options) => (dropped.has(index) ? [] : good.range(index, options)),
      }
    },
    noticedBy: 'a member that is added while the last one is removed stays',
  },
  {
    breaks: 'members are cut at 2,700 bytes',
    methods: (good) => ({ add: (index, member, ttl) => good.add(index, member.slice(0, 2700), ttl) }),
    noticedBy: 'a member may have a hundred thousand characters',
  },
  {
    breaks: 'names of indexes are cut at 255 characters',
    methods: (good) => indexesAs((name) => name.slice(0, 255), good),
    noticedBy: 'indexes are told apart by every character',
  },
  {
    breaks: 'names of indexes ignore letter case',
    methods: (good) => indexesAs((name) => name.toLowerCase(), good),
    noticedBy: 'indexes are told apart by every character',
  },
  {
    breaks: 'names of indexes ignore spaces at their end',
    methods: (good) => indexesAs((name) => name.trimEnd(), good),
    noticedBy: 'indexes are told apart by every character',
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
    breaks: 'volatile is a text',
    methods: () => ({ volatile: 'yes' as unknown as boolean }),
    noticedBy: 'volatile is a boolean, and durable a whole store',
  },
  {
    breaks: 'durable has a few methods',
    methods: ({ set, create }) => ({ durable: { set, create } as Store }),
    noticedBy: 'volatile is a boolean, and durable a whole store',
  },
  {
    breaks: 'inspect answers seconds',
    methods: () => ({ inspect: async () => ({ time: Date.now() / 1000, checks: [] }) }),
    noticedBy: 'inspect, where there is one',
  },
  {
    breaks: 'inspect answers a verdict of its own',
    methods: () => inspecting({ name: 'disk', verdict: 'fine' as 'good', message: 'it is there' }),
    noticedBy: 'inspect, where there is one',
  },
  {
    breaks: 'inspect says nothing of how to mend what is bad',
    methods: () => inspecting({ name: 'disk', verdict: 'bad', message: 'it is full' }),
    noticedBy: 'inspect, where there is one',
  },
  {
    breaks: 'inspect tells what is stored',
    methods: (good) => {
      const keys: string[] = []
      return {
        set: (key, value, ttl) => (keys.push(key), good.set(key, value, ttl)),
        ...inspecting({ name: 'keys', verdict: 'good', message: 'all of them', fix: undefined }, keys),
      }
    },
    noticedBy: 'inspect, where there is one',
  },
  {
    breaks: 'inspect fails',
    methods: () => ({ inspect: () => Promise.reject(new Error('not permitted')) }),
    message: 'not permitted',
    noticedBy: 'inspect, where there is one',
  },
  {
    breaks: 'after close methods throw',
    methods: (good) => {
      let closed = false
      return {
        ping: () => {
          if (closed) throw new Error('closed')
          return good.ping()
        },
        close: () => ((closed = true), good.close()),
      }
    },
    noticedBy: 'after close every method rejects',
  },
  {
    breaks: 'after close inspect answers',
    methods: () => ({ inspect: async () => ({ checks: [] }) }),
    noticedBy: 'after close every method rejects',
  },
  {
    breaks: 'closing leaves what is durable open',
    methods: () => ({ durable: memoryStore() }),
    noticedBy: 'after close every method rejects',
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
