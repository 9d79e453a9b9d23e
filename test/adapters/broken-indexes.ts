import type { Store } from '../../src/store/contract.ts'
import { nothing, type BrokenStore } from './broken-store.ts'

/** The methods about indexes, for names of them that become others on their way. */
function indexesAs(become: (name: string) => string, good: Store): Partial<Store> {
  return {
    add: (index, member, ttl) => good.add(become(index), member, ttl),
    remove: (index, member) => good.remove(become(index), member),
    range: (index, options) => good.range(become(index), options),
  }
}

/** Stores that break a promise about indexes. */
export const brokenIndexes: readonly BrokenStore[] = [
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
    methods: () => ({ remove: nothing }),
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
