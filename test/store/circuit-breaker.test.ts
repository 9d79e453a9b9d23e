import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { GatehouseError } from 'koa-gatehouse'
import { createCircuitBreaker, CircuitOpenError } from '../../src/store/circuit-breaker.ts'

const away = () => new GatehouseError('ERR_STORE_UNAVAILABLE', 'it did not answer')
const fails = () => Promise.reject(away())
const answers = async () => 'the answer'

/** A call whose end the test decides. */
function held() {
  let resolve: (value: string) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<string>((...settle) => ([resolve, reject] = settle))
  return { call: () => promise, answer: () => resolve('late'), fail: () => reject(away()) }
}

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2030-01-02T03:04:05.000Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

function open(isConclusive = true) {
  let isThere = false
  const probe = vi.fn(async () => {
    if (!isThere) throw away()
  })
  const told: string[] = []
  const breaker = createCircuitBreaker({
    what: 'the store',
    probe,
    isConclusive,
    onAway: ({ message }) => told.push(`away: ${message}`),
    onBack: () => told.push('back'),
  })
  return {
    breaker,
    probe,
    told,
    comeBack: () => (isThere = true),
    leave: () => (isThere = false),
    async failTimes(count: number) {
      for (let n = 0; n < count; n += 1) await expect(breaker.run(fails)).rejects.toMatchObject(away())
    },
    /** Whether a call is let through. */
    isOpen: () =>
      breaker.run(answers).then(Boolean, (error: unknown) => !(error instanceof CircuitOpenError)),
  }
}

describe('calls are cut off', () => {
  test('after five failures in a row, at once, with since when and why', async () => {
    const { breaker, failTimes } = open()
    await failTimes(5)
    const call = vi.fn(answers)
    const error = await breaker.run(call).catch((caught: unknown) => caught)
    expect(call).not.toHaveBeenCalled()
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(error).toMatchObject({
      name: 'GatehouseError',
      code: 'ERR_STORE_UNAVAILABLE',
      status: 503,
      headers: { 'Retry-After': '1' },
      message:
        'the store is not asked since 2030-01-02T03:04:05.000Z, after failures in a row; the last one: it did not answer',
      cause: away(),
    })
    expect(() => breaker.check()).toThrow(CircuitOpenError)
  })

  test('not after four, nor after any number with answers in between', async () => {
    const { failTimes, isOpen } = open()
    for (let n = 0; n < 4; n += 1) {
      await failTimes(4)
      expect(await isOpen()).toBe(true)
    }
  })

  test.each(['ERR_STORE_CORRUPT', 'ERR_CLOSED'] as const)('not by %s', async (code) => {
    const { breaker } = open()
    const error = new GatehouseError(code, 'something else')
    for (let n = 0; n < 10; n += 1) await expect(breaker.run(() => Promise.reject(error))).rejects.toBe(error)
    breaker.check()
  })

  test('what lies under a key that is not ours is an answer', async () => {
    const { breaker, failTimes, isOpen } = open()
    await failTimes(4)
    const error = new GatehouseError('ERR_STORE_CORRUPT', 'something else')
    await breaker.run(() => Promise.reject(error)).catch(() => {})
    await failTimes(1)
    expect(await isOpen()).toBe(true)
  })

  test('not where one shard of three is away: failures that began before an answer do not count', async () => {
    const { breaker, isOpen, probe } = open()
    const lost = Array.from({ length: 30 }, held)
    const failing = lost.map(({ call }) => breaker.run(call).catch(() => {}))
    for (let n = 0; n < 60; n += 1) expect(await isOpen()).toBe(true)
    for (const { fail } of lost) fail()
    await Promise.all(failing)
    breaker.check()
    expect(probe).not.toHaveBeenCalled()
  })

  test('calls that are under way go on, and an answer to one lets all through', async () => {
    const { breaker, failTimes, isOpen } = open()
    const late = held()
    const underWay = breaker.run(late.call)
    await failTimes(5)
    expect(await isOpen()).toBe(false)
    late.answer()
    expect(await underWay).toBe('late')
    expect(await isOpen()).toBe(true)
  })

  test('those that fail after it is back do not cut off again', async () => {
    const { breaker, failTimes, isOpen, comeBack } = open()
    const late = Array.from({ length: 10 }, held)
    const underWay = late.map(({ call }) => breaker.run(call).catch(() => {}))
    await failTimes(5)
    comeBack()
    await pass(250)
    for (const { fail } of late) fail()
    await Promise.all(underWay)
    expect(await isOpen()).toBe(true)
  })
})

describe('the probe', () => {
  test('runs at once and every 250 ms, and lets all calls through when it is answered', async () => {
    const { failTimes, isOpen, probe, comeBack } = open()
    await failTimes(5)
    expect(probe).toHaveBeenCalledTimes(1)
    await pass(1000)
    expect(probe).toHaveBeenCalledTimes(5)
    expect(await isOpen()).toBe(false)
    comeBack()
    await pass(249)
    expect(await isOpen()).toBe(false)
    await pass(1)
    expect(await isOpen()).toBe(true)
    await pass(5000)
    expect(probe).toHaveBeenCalledTimes(6)
  })

  test('is one at a time, however long it takes', async () => {
    let underWay = 0
    const probe = vi.fn(() => {
      underWay += 1
      return new Promise<void>((_, reject) =>
        setTimeout(() => {
          underWay -= 1
          reject(away())
        }, 1000),
      )
    })
    const breaker = createCircuitBreaker({ what: 'the store', probe, isConclusive: true })
    for (let n = 0; n < 1000; n += 1) await breaker.run(fails).catch(() => {})
    expect(vi.getTimerCount()).toBe(1)
    for (let n = 0; n < 20; n += 1) {
      await pass(500)
      expect(underWay).toBeLessThanOrEqual(1)
    }
    expect(probe.mock.calls.length).toBeLessThan(10)
    breaker.stop()
    await pass(5000)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('finds it there at once where only some calls failed: nothing is told', async () => {
    const { failTimes, isOpen, told, comeBack } = open()
    comeBack()
    await failTimes(5)
    await pass(0)
    expect(await isOpen()).toBe(true)
    expect(told).toEqual([])
  })

  test('tells once that it is away, and once that it is back', async () => {
    const { failTimes, told, comeBack } = open()
    await failTimes(5)
    await pass(2000)
    comeBack()
    await pass(1000)
    expect(told).toEqual(['away: it did not answer', 'back'])
  })

  test('stops when it is told to', async () => {
    const { breaker, failTimes, probe } = open()
    await failTimes(5)
    breaker.stop()
    await pass(5000)
    expect(probe).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a probe that proves nothing', () => {
  test('is asked after a pause, and then some calls try', async () => {
    const { breaker, failTimes, isOpen, probe, comeBack } = open(false)
    comeBack()
    await failTimes(5)
    expect(probe).not.toHaveBeenCalled()
    expect(await isOpen()).toBe(false)
    await pass(250)
    const trials = Array.from({ length: 5 }, held)
    const trying = trials.map(({ call }) => breaker.run(call))
    expect(await isOpen()).toBe(false)
    trials[3]?.answer()
    await trying[3]
    expect(await isOpen()).toBe(true)
    for (const { answer } of trials) answer()
    await Promise.all(trying)
  })

  test('after one that fails it is for longer, up to a second; after an answer it starts anew', async () => {
    const { failTimes, isOpen, comeBack } = open(false)
    comeBack()
    await failTimes(5)
    for (const pause of [250, 500, 1000, 1000]) {
      await pass(pause - 1)
      expect({ pause, isOpen: await isOpen() }).toEqual({ pause, isOpen: false })
      await pass(1)
      await failTimes(1)
      expect(await isOpen()).toBe(false)
    }
    await pass(1000)
    expect(await isOpen()).toBe(true)
    await failTimes(5)
    await pass(250)
    expect(await isOpen()).toBe(true)
  })
})
