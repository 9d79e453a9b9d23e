import type { Store } from '../../src/store/contract.ts'
import { nothing, type BrokenStore } from './broken-store.ts'

/** The methods about indexes, with each index renamed by `rename`. */
function indexesAs(rename: (name: string) => string, intact: Store): Partial<Store> {
  return {
    add: (index, member, ttl) => intact.add(rename(index), member, ttl),
    remove: (index, member) => intact.remove(rename(index), member),
    range: (index, options) => intact.range(rename(index), options),
  }
}

/** Stores that break a promise about indexes. */
export const brokenIndexes: readonly BrokenStore[] = [
  {
    breaks: 'a remove drops an index to which a member was added meanwhile',
    methods: (intact) => {
      const dropped = new Set<string>()
      return {
        async remove(index, member) {
          const members = await intact.range(index, { limit: 2 })
          await intact.remove(index, member)
          if (members.length === 1) dropped.add(index)
        },
        add: async (index, member, ttl) => {
          dropped.delete(index)
          await intact.add(index, member, ttl)
        },
        range: async (index, options) => (dropped.has(index) ? [] : intact.range(index, options)),
      }
    },
    noticedBy: 'a member that is added while the last other member is removed stays in the index',
  },
  {
    breaks: 'members are cut at 2,700 bytes',
    methods: (intact) => ({ add: (index, member, ttl) => intact.add(index, member.slice(0, 2700), ttl) }),
    noticedBy: 'a member may have a hundred thousand characters',
  },
  {
    breaks: 'names of indexes are cut at 255 characters',
    methods: (intact) => indexesAs((name) => name.slice(0, 255), intact),
    noticedBy: 'names of indexes are compared character by character',
  },
  {
    breaks: 'names of indexes ignore letter case',
    methods: (intact) => indexesAs((name) => name.toLowerCase(), intact),
    noticedBy: 'names of indexes are compared character by character',
  },
  {
    breaks: 'names of indexes ignore spaces at their end',
    methods: (intact) => indexesAs((name) => name.trimEnd(), intact),
    noticedBy: 'names of indexes are compared character by character',
  },
  {
    breaks: 'an index is sorted by UTF-16 code units',
    methods: (intact) => ({ range: async (...call) => (await intact.range(...call)).toSorted() }),
    noticedBy: 'range answers the members in ascending order of their UTF-8 bytes',
  },
  {
    breaks: 'an index is sorted by locale',
    methods: (intact) => ({
      range: async (...call) => (await intact.range(...call)).toSorted((a, b) => a.localeCompare(b)),
    }),
    noticedBy: 'range answers the members in ascending order of their UTF-8 bytes',
  },
  {
    breaks: 'the cursor is inclusive',
    methods: (intact) => ({
      range: async (index, { after, limit }) => {
        const members = await intact.range(index, { limit: 1000 })
        return members.slice(after === undefined ? 0 : members.indexOf(after)).slice(0, limit)
      },
    }),
    noticedBy: 'range answers the members after the cursor',
  },
  {
    breaks: 'a cursor that is not a member starts from the beginning',
    methods: (intact) => ({
      range: async (index, { after = '', limit }) => {
        const members = await intact.range(index, { limit: 1000 })
        return members.slice(members.indexOf(after) + 1).slice(0, limit)
      },
    }),
    noticedBy: 'range accepts a cursor that is not a member of the index',
  },
  {
    breaks: 'pages hold 100 members at most',
    methods: (intact) => ({
      range: (index, options) => intact.range(index, { ...options, limit: Math.min(options.limit, 100) }),
    }),
    noticedBy: 'pages of 1 to 1000 members together contain each member of an index once',
  },
  {
    breaks: 'a member that is added again is listed twice',
    methods: (intact) => {
      const added: string[] = []
      return {
        add: async (index, member, ttl) => {
          added.push(member)
          await intact.add(index, member, ttl)
        },
        range: async () => added.toSorted(),
      }
    },
    noticedBy: 'a member that is added twice is listed once',
  },
  {
    breaks: 'remove does nothing',
    methods: () => ({ remove: nothing }),
    noticedBy: 'remove removes the given member of an index and no other member',
  },
  {
    breaks: 'add and remove read all members first and write all members afterwards',
    methods: () => {
      const all = new Map<string, string[]>()
      const members = async (index: string) => all.get(index) ?? []
      const write = async (index: string, list: string[]) => void all.set(index, list.toSorted())
      return {
        add: async (index, member) => write(index, [...(await members(index)), member]),
        remove: async (index, removed) =>
          write(
            index,
            (await members(index)).filter((member) => member !== removed),
          ),
        range: (index) => members(index),
      }
    },
    noticedBy: '100 concurrent calls of add and 100 of remove all take effect',
  },
  {
    breaks: 'range pages by position instead of by its cursor',
    methods: (intact) => {
      let position = 0
      return {
        range: async (index, { after, limit }) => {
          position = after === undefined ? 0 : position + limit
          return (await intact.range(index, { limit: 1000 })).slice(position, position + limit)
        },
      }
    },
    noticedBy: 'paging skips no member and repeats no member while other callers add and remove members',
  },
  {
    breaks: 'an empty index has an empty member',
    methods: (intact) => ({
      range: async (...call) => (await intact.range(...call)).join().split(','),
    }),
    noticedBy: 'an unused index is empty',
  },
]
