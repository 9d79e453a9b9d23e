import assert from 'node:assert/strict'
import type { Store } from '../../store/contract.ts'
import { longestNames, SUFFIXES } from './names.ts'
import { competitors, CONCURRENT, type StorePromises } from './promise.ts'

/** Members whose order depends on how text is compared, or that have a meaning in a range query. */
const MEMBERS = [
  ['a', 'A', 'b', 'B', 'aa', 'ab', 'a ', 'a:b', '10', '9', '09', '1'],
  ['-', '+', '(', '[', '(a', '[a', '-inf', '+inf', '*', '{}', ' ', '~'],
  ['\u0000', '\u0000\u0001', '\u007f', '\u0080', '\u00e9', 'e\u0301', 'z\u00e9', '\u07ff', '\u0800'],
  // In UTF-16 order the emoji would come before the first two members.
  ['\uff5e', '\uffff', '\u{1F600}', '\u{10FFFF}', '\ud7ff', '\ue000'],
  ['\ufeff', '\ufeffa', '\u{10000}', '\u{2FFFD}', '\u{EFFFD}', '\u{F0000}'],
].flat()

function inOrderOfBytes(members: readonly string[]): string[] {
  return members.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

async function readPages(store: Store, index: string, limit: number): Promise<string[]> {
  const members: string[] = []
  for (;;) {
    const page = await store.range(index, { after: members.at(-1), limit })
    assert.ok(page.length <= limit, `${page.length} members in a page of ${limit}`)
    members.push(...page)
    if (page.length < limit) return members
  }
}

/** Promises about sorted indexes. */
export const indexes: StorePromises = {
  async 'range answers the members in ascending order of their UTF-8 bytes'({ store, other, key }) {
    for (const member of MEMBERS) await store.add(key('index'), member)
    assert.deepEqual(await store.range(key('index'), { limit: 1000 }), inOrderOfBytes(MEMBERS))
    assert.deepEqual(await other.range(key('index'), { limit: 1000 }), inOrderOfBytes(MEMBERS))
  },

  async 'range answers the members after the cursor, whichever member the cursor names'({ store, key }) {
    await Promise.all(MEMBERS.map((member) => store.add(key('index'), member)))
    const sorted = inOrderOfBytes(MEMBERS)
    for (const [position, after] of sorted.entries()) {
      const following = sorted.slice(position + 1, position + 4)
      assert.deepEqual(await store.range(key('index'), { after, limit: 3 }), following)
    }
  },

  async 'range accepts a cursor that is not a member of the index'({ store, key }) {
    for (const member of ['a', 'c', 'e']) await store.add(key('index'), member)
    assert.deepEqual(await store.range(key('index'), { after: 'b', limit: 10 }), ['c', 'e'])
    await store.remove(key('index'), 'c')
    assert.deepEqual(await store.range(key('index'), { after: 'c', limit: 10 }), ['e'])
    assert.deepEqual(await store.range(key('index'), { after: 'z', limit: 10 }), [])
    // This cursor is greater than all members that begin with `a`.
    assert.deepEqual(await store.range(key('index'), { after: 'a\u{10FFFF}', limit: 10 }), ['e'])
    assert.deepEqual(await store.range(key('index'), { after: 'd\uffff', limit: 10 }), ['e'])
    assert.deepEqual(await store.range(key('index'), { after: 'd', limit: 1 }), ['e'])
  },

  async 'a member may have a hundred thousand characters, and all of them are compared'(stage) {
    const { store, other, key } = stage
    const long = 'x\u00e9'.repeat(49_999)
    const [first = '', second = '', third = ''] = ['a', 'b', 'b\u0000'].map((end) => long + end)
    for (const member of [third, first, second, first]) await store.add(key('index'), member)
    const range = async (after?: string) => {
      const members = await other.range(key('index'), { after, limit: 10 })
      return members.map((member) => [first, second, third].indexOf(member))
    }
    // Compares positions instead of members, because a failed assertion prints its values.
    assert.deepEqual(await range(), [0, 1, 2])
    assert.deepEqual(await range(first), [1, 2])
    assert.deepEqual(await range(long), [0, 1, 2])
    await other.remove(key('index'), second)
    assert.deepEqual(await range(second), [2])
    assert.deepEqual(await range('x\u00e9y'), [])
    assert.deepEqual(await range(), [0, 2])
  },

  async 'names of indexes are compared character by character, and may have 512 characters'({ store, key }) {
    const names = [...SUFFIXES.map(key), ...longestNames(key)]
    await Promise.all(names.map((name, position) => store.add(name, `member ${position}`)))
    for (const [position, name] of names.entries()) {
      const members = await store.range(name, { limit: 10 })
      assert.deepEqual(members, [`member ${position}`], `in the index ${JSON.stringify(name)}`)
    }
  },

  async 'pages of 1 to 1000 members together contain each member of an index once'({ store, key }) {
    const members = Array.from({ length: 1005 }, (_, number) => `member ${number}`)
    await Promise.all(members.map((member) => store.add(key('index'), member)))
    const sorted = inOrderOfBytes(members)
    assert.deepEqual(await store.range(key('index'), { limit: 1000 }), sorted.slice(0, 1000))
    assert.deepEqual(await store.range(key('index'), { limit: 1 }), sorted.slice(0, 1))
    assert.deepEqual(await readPages(store, key('index'), 1000), sorted)
    assert.deepEqual(await readPages(store, key('index'), 67), sorted)
  },

  async 'paging skips no member and repeats no member while other callers add and remove members'(stage) {
    const { store, other, key } = stage
    for (const member of ['b', 'd', 'f', 'h', 'j']) await store.add(key('index'), member)
    assert.deepEqual(await store.range(key('index'), { limit: 2 }), ['b', 'd'])
    for (const member of ['a', 'aa', 'e']) await other.add(key('index'), member)
    await other.remove(key('index'), 'd')
    await other.remove(key('index'), 'h')
    assert.deepEqual(await store.range(key('index'), { after: 'd', limit: 2 }), ['e', 'f'])
    assert.deepEqual(await store.range(key('index'), { after: 'f', limit: 2 }), ['j'])
  },

  async 'a member that is added twice is listed once'({ store, other, key }) {
    for (const member of ['b', 'a', 'b']) await store.add(key('index'), member)
    await other.add(key('index'), 'a')
    assert.deepEqual(await store.range(key('index'), { limit: 10 }), ['a', 'b'])
  },

  async 'remove removes the given member of an index and no other member'({ store, other, key }) {
    for (const member of ['a', 'b', 'c']) await store.add(key('index'), member)
    await store.add(key('another'), 'b')
    await store.remove(key('index'), 'B')
    await store.remove(key('empty'), 'b')
    for (const member of ['d', 'e']) await store.add(key('index'), member)
    await store.remove(key('index'), 'd')
    await other.remove(key('index'), 'b')
    await other.remove(key('index'), 'b')
    assert.deepEqual(await store.range(key('index'), { limit: 10 }), ['a', 'c', 'e'])
    assert.deepEqual(await store.range(key('another'), { limit: 10 }), ['b'])
  },

  async 'an unused index is empty, and an emptied index can be used again'({ store, key }) {
    assert.deepEqual(await store.range(key('index'), { limit: 10 }), [])
    assert.deepEqual(await store.range(key('index'), { after: 'a', limit: 10 }), [])
    await store.add(key('index'), 'a')
    await store.remove(key('index'), 'a')
    assert.deepEqual(await store.range(key('index'), { limit: 10 }), [])
    await store.add(key('index'), 'b')
    assert.deepEqual(await store.range(key('index'), { limit: 10 }), ['b'])
  },

  async [`${CONCURRENT} concurrent calls of add and ${CONCURRENT} of remove all take effect`](stage) {
    const index = stage.key('index')
    const stores = competitors(stage)
    await Promise.all(stores.map((store, number) => store.add(index, `old ${number}`)))
    await Promise.all(
      stores.map(async (store, number) => {
        await Promise.all([store.add(index, `new ${number}`), store.remove(index, `old ${number}`)])
      }),
    )
    const expected = inOrderOfBytes(stores.map((_, number) => `new ${number}`))
    assert.deepEqual(await stage.store.range(index, { limit: 1000 }), expected)
  },

  async 'a member that is added while the last other member is removed stays in the index'(stage) {
    const { store, other, key } = stage
    const rounds = Array.from({ length: CONCURRENT }, (_, number) => key(String(number)))
    await Promise.all(
      rounds.map(async (index, round) => {
        const [one, another] = round % 4 < 2 ? [store, other] : [other, store]
        await one.add(index, 'old', 1000)
        const calls = [() => one.add(index, 'new', 1000), () => another.remove(index, 'old')]
        if (round % 2 === 1) calls.reverse()
        await Promise.all(calls.map((call) => call()))
        for (const reader of [one, another]) {
          assert.deepEqual(await reader.range(index, { limit: 10 }), ['new'])
        }
      }),
    )
  },
}
