import { beforeEach, expect, it } from 'vitest'
import { BOUNDS, createBudget } from '../../../src/http/outgoing/budget.ts'

let now = 0
let budget: ReturnType<typeof createBudget>
beforeEach(() => {
  now = 1_000_000
  budget = createBudget(BOUNDS.new, () => now)
})

/** How many of `count` requests may begin. They end at once, unless `stay` is set. */
const begin = (count: number, hostOf: (index: number) => string, stay = false) => {
  let begun = 0
  for (let index = 0; index < count; index += 1) {
    const end = budget.begin(hostOf(index))
    if (end === undefined) continue
    begun += 1
    if (!stay) end()
  }
  return begun
}

it('16 requests to different hosts run at once, and each end lets one more begin', () => {
  const ends = Array.from({ length: 16 }, (_, index) => budget.begin(`host-${index}`))
  expect(ends).not.toContain(undefined)
  expect(budget.begin('one-more')).toBeUndefined()
  ends[3]?.()
  expect(budget.begin('one-more')).toBeDefined()
  expect(budget.begin('another')).toBeUndefined()
})

it('4 requests to one host run at once, while other hosts are reached', () => {
  expect(begin(10, () => 'one', true)).toBe(4)
  expect(begin(1, () => 'other', true)).toBe(1)
})

it('120 requests begin in a minute, and as many in the next', () => {
  expect(begin(10_000, (index) => `host-${index}`)).toBe(120)
  now += 59_999
  expect(begin(1, () => 'other')).toBe(0)
  now += 1
  expect(begin(10_000, (index) => `host-${index}`)).toBe(120)
})

it('30 requests to one host begin in a minute, while other hosts are reached', () => {
  expect(begin(100, () => 'one')).toBe(30)
  expect(begin(1, () => 'other')).toBe(1)
  now += 60_000
  expect(begin(100, () => 'one')).toBe(30)
})

it('requests that were rejected do not count', () => {
  expect(begin(4, () => 'one', true)).toBe(4)
  expect(begin(1000, () => 'one')).toBe(0)
  expect(begin(116, (index) => `host-${index}`)).toBe(116)
})

it('a sender gets a quarter of what all may fetch, whatever the hosts, and others get the rest', () => {
  const beginFrom = (sender: string, count: number, stay = false) => {
    const ends = Array.from({ length: count }, (_, index) => budget.begin(`${sender}-${index}`, sender))
    if (!stay) for (const end of ends) end?.()
    return ends.filter((end) => end !== undefined).length
  }
  expect(beginFrom('slow', 200, true)).toBe(4)
  for (let round = 0; round < 10; round += 1) beginFrom('one', 4)
  expect(beginFrom('one', 1)).toBe(0)
  expect(beginFrom('other', 1)).toBe(1)
  now += 60_000
  expect(beginFrom('one', 1)).toBe(1)
})
