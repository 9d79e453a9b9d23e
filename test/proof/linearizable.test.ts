import { describe, expect, it } from 'vitest'
import { checkLinearizable, type Timed } from './linearizable.ts'

interface Access extends Timed {
  readonly write?: number
  readonly read?: number
}

/** A number that can be written and read; 0 at first. */
const register = {
  initial: 0,
  next(state: number, { write, read }: Access): readonly number[] {
    if (write !== undefined) return Number.isFinite(write) ? [write] : []
    return read === state ? [state] : []
  },
}
const write = (value: number, invoke: number, end = Number.POSITIVE_INFINITY): Access => ({
  write: value,
  invoke,
  end,
})
const read = (value: number, invoke: number, end: number): Access => ({ read: value, invoke, end })

describe('a history is linearizable', () => {
  it.each<[string, Access[]]>([
    ['that is empty', []],
    ['whose operations follow one another', [write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7)]],
    ['in which a concurrent read sees the old value', [write(1, 0, 10), read(0, 2, 3)]],
    ['in which a concurrent read sees the new value', [write(1, 0, 10), read(1, 2, 3)]],
    [
      'in which two concurrent writes are seen in one order',
      [write(1, 0, 9), write(2, 0, 9), read(2, 10, 11)],
    ],
    ['in which a write without an answer was done, much later', [write(1, 0), read(0, 5, 6), read(1, 7, 8)]],
    ['in which a write without an answer was not done', [write(1, 0), read(0, 5, 6), read(0, 7, 8)]],
    [
      'of Herlihy and Wing: reads that overlap a write',
      [write(1, 0, 9), read(1, 1, 4), read(1, 5, 6), write(2, 7, 12), read(2, 10, 11)],
    ],
  ])('%s', (_what, operations) => {
    expect(checkLinearizable(operations, register).isLinearizable).toBe(true)
  })
})

describe('a history is not linearizable', () => {
  it.each<[string, Access[], Access]>([
    ['whose read sees what was never written', [write(1, 0, 1), read(2, 2, 3)], read(2, 2, 3)],
    [
      'whose read sees an old value after the answer to the write',
      [write(1, 0, 1), read(0, 2, 3)],
      read(0, 2, 3),
    ],
    ['whose second read goes back', [write(1, 0, 10), read(1, 1, 2), read(0, 3, 4)], read(0, 3, 4)],
    [
      'whose two readers see two writes in two orders',
      [write(1, 0, 9), write(2, 0, 9), read(1, 10, 11), read(2, 12, 13)],
      read(2, 12, 13),
    ],
    [
      'whose write without an answer is seen, and then gone',
      [write(1, 0), read(1, 5, 6), read(0, 7, 8)],
      read(0, 7, 8),
    ],
    ['whose read comes before the write was sent', [read(1, 0, 1), write(1, 2, 3)], read(1, 0, 1)],
  ])('%s', (_what, operations, stuck) => {
    expect(checkLinearizable(operations, register)).toMatchObject({ isLinearizable: false, stuck })
  })
})

it('equal writes without an answer do not multiply the search', () => {
  const unanswered = Array.from({ length: 60 }, (_, at) => write(1, at))
  const answered = Array.from({ length: 20 }, (_, at) => read(at < 10 ? 0 : 1, 100 + at, 100.5 + at))
  const specification = { ...register, effect: (each: Access) => String(each.write) }
  expect(checkLinearizable([...unanswered, ...answered], specification).isLinearizable).toBe(true)
})

it('a search that is given up decides nothing, and names no operation', () => {
  const unanswered = Array.from({ length: 40 }, (_, at) => write(at + 1, at))
  const result = checkLinearizable([...unanswered, read(-1, 100, 101)], register, 5000)
  expect(result).toMatchObject({ isLinearizable: undefined, stuck: undefined })
})
