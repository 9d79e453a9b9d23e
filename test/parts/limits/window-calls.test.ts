import { expect, it } from 'vitest'
import { WindowCalls, WINDOWS } from '../../../src/parts/limits/window-calls.ts'

const [MINUTE] = WINDOWS
const NOON = Date.parse('2026-03-10T12:00:00Z')

/** What the store answers: calls in the present slot, and in the slots before it. */
function counted(time: number, counts: Readonly<Record<number, number>>) {
  return { time, counts: Array.from({ length: MINUTE.slots }, (_, at) => counts[at] ?? 0) }
}

function callsAt(now: number, limit = 100): WindowCalls {
  const calls = new WindowCalls(MINUTE, limit)
  calls.moveTo(now)
  return calls
}

it('a call leaves the window after 57 to 60 seconds', () => {
  const calls = callsAt(NOON)
  calls.sent(0, counted(NOON, { 0: 5 }))
  calls.moveTo(NOON + 59_999)
  expect(calls.used).toBe(5)
  calls.moveTo(NOON + 60_000)
  expect(calls.used).toBe(0)
  calls.sent(0, counted(NOON + 62_999, { 0: 5 }))
  calls.moveTo(NOON + 62_999 + 57_001)
  expect(calls.used).toBe(0)
})

it('a process sends its calls after 1/40 of the limit, and counts no more than twice as many before they are sent', () => {
  const calls = callsAt(NOON, 200)
  expect(calls.lease).toBe(5)
  for (let call = 0; call < 5; call += 1) calls.add()
  expect([calls.isLeaseUsed, calls.mustSend]).toEqual([true, false])
  expect(calls.startSending()).toBe(5)
  for (let call = 0; call < 5; call += 1) calls.add()
  expect([calls.used, calls.mustSend]).toEqual([10, true])
  calls.sent(5, counted(NOON, { 0: 25 }))
  expect([calls.used, calls.mustSend]).toEqual([30, false])
})

it('a place that was claimed counts once, whenever it is used', () => {
  const calls = callsAt(NOON, 10)
  calls.sent(0, counted(NOON, { 0: 10 }))
  calls.keep(2)
  expect([calls.used, calls.isExceeded]).toEqual([8, false])
  calls.add()
  calls.moveTo(NOON + 3000)
  calls.add()
  expect([calls.used, calls.isExceeded, calls.startSending()]).toEqual([10, true, 0])
})

it('calls that the store certainly has not counted stay counted, and others are forgotten', () => {
  const calls = callsAt(NOON, 10)
  calls.add()
  calls.notSent(calls.startSending(), true)
  calls.add()
  calls.notSent(calls.startSending(), false)
  expect(calls.used).toBe(1)
  calls.sent(0, counted(NOON, { 0: 3 }))
  expect(calls.used).toBe(4)
  calls.moveTo(NOON + 60_000)
  expect(calls.used).toBe(0)
})

it('says in how many seconds a call is within the limit again, and when the oldest calls leave', () => {
  const calls = callsAt(NOON, 10)
  calls.sent(0, counted(NOON, { 0: 4, 5: 4, 10: 2 }))
  expect(calls.isExceeded).toBe(true)
  expect(calls.secondsUntilFree(NOON)).toBe(30)
  expect(calls.secondsUntilReset(NOON)).toBe(30)
  expect(callsAt(NOON).secondsUntilReset(NOON)).toBe(60)
})

it.each([
  { time: NOON, counts: [] },
  { time: NOON, counts: null },
  { time: Number.NaN, counts: Array.from({ length: MINUTE.slots }, () => 0) },
  { time: NOON, counts: Array.from({ length: MINUTE.slots }, () => Number.NaN) },
])('an invalid answer of a store is an error, and the calls are not lost: %o', (answer) => {
  const calls = callsAt(NOON, 10)
  calls.add()
  const amount = calls.startSending()
  expect(() => calls.sent(amount, answer as never)).toThrow(
    expect.objectContaining({ code: 'ERR_STORE_UNAVAILABLE' }),
  )
  expect(calls.used).toBe(1)
})

it('places that were claimed and not used end with their window', () => {
  const calls = callsAt(NOON)
  calls.sent(0, counted(NOON, { 0: 40 }))
  calls.keep(40)
  calls.moveTo(NOON + 60_000)
  calls.sent(0, counted(NOON + 60_000, { 0: 90 }))
  expect([calls.used, calls.remaining]).toEqual([90, 10])
})
