import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GatehouseError } from 'koa-gatehouse'
import {
  createCircuitBreaker,
  CircuitOpenError,
  type CircuitBreaker,
} from '../../src/store/circuit-breaker.ts'
import { timersOf } from '../support/timers-of.ts'

const unavailable = () => new GatehouseError('ERR_STORE_UNAVAILABLE', 'it did not answer')
const fails = () => Promise.reject(unavailable())
const answers = async () => 'the answer'

/** Creates a call that the test answers or fails later. */
function pendingCall() {
  let resolve: (value: string) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<string>((...settle) => ([resolve, reject] = settle))
  return { call: () => promise, answer: () => resolve('late'), fail: () => reject(unavailable()) }
}

let timers: () => number
beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2030-01-02T03:04:05.000Z') })
  timers = timersOf('store/circuit-breaker')
})
afterEach(() => {
  vi.useRealTimers()
})

const advance = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

function createBreaker(isProbeConclusive = true) {
  let isAvailable = false
  const probe = vi.fn(async () => {
    if (!isAvailable) throw unavailable()
  })
  const reports: string[] = []
  const breaker = createCircuitBreaker({
    name: 'the store',
    probe,
    isProbeConclusive,
    onUnavailable: ({ message }) => reports.push(`unavailable: ${message}`),
    onAvailable: () => reports.push('available'),
  })
  return {
    breaker,
    probe,
    reports,
    becomeAvailable: () => (isAvailable = true),
    async failTimes(count: number) {
      for (let n = 0; n < count; n += 1) await expect(breaker.run(fails)).rejects.toMatchObject(unavailable())
    },
    /** Returns whether a call reaches the store. */
    passes: () =>
      breaker.run(answers).then(Boolean, (error: unknown) => !(error instanceof CircuitOpenError)),
  }
}

describe('an open circuit', () => {
  it('after five failures in a row the circuit is open, and calls fail at once with the time and the cause', async () => {
    const { breaker, failTimes } = createBreaker()
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
        'the store has been unavailable since 2030-01-02T03:04:05.000Z, so no calls are made; the last failure: it did not answer',
      cause: unavailable(),
    })
    expect(() => breaker.throwIfOpen()).toThrow(CircuitOpenError)
  })

  it('four failures in a row do not open the circuit, however often they occur between answers', async () => {
    const { failTimes, passes } = createBreaker()
    for (let n = 0; n < 4; n += 1) {
      await failTimes(4)
      expect(await passes()).toBe(true)
    }
  })

  it.each(['ERR_STORE_CORRUPT', 'ERR_CLOSED'] as const)(
    'errors with the code %s do not open the circuit',
    async (code) => {
      const { breaker } = createBreaker()
      const error = new GatehouseError(code, 'something else')
      for (let n = 0; n < 10; n += 1)
        await expect(breaker.run(() => Promise.reject(error))).rejects.toBe(error)
      breaker.throwIfOpen()
    },
  )

  it('a corrupt record counts as an answer of the store', async () => {
    const { breaker, failTimes, passes } = createBreaker()
    await failTimes(4)
    const error = new GatehouseError('ERR_STORE_CORRUPT', 'something else')
    await breaker.run(() => Promise.reject(error)).catch(() => {})
    await failTimes(1)
    expect(await passes()).toBe(true)
  })

  it('one lost shard of three does not open the circuit, because failures of calls that began before an answer do not count', async () => {
    const { breaker, passes, probe } = createBreaker()
    const lost = Array.from({ length: 30 }, pendingCall)
    const failing = lost.map(({ call }) => breaker.run(call).catch(() => {}))
    for (let n = 0; n < 60; n += 1) expect(await passes()).toBe(true)
    for (const { fail } of lost) fail()
    await Promise.all(failing)
    breaker.throwIfOpen()
    expect(probe).not.toHaveBeenCalled()
  })

  it('pending calls continue while the circuit is open, and an answer to a pending call closes the circuit', async () => {
    const { breaker, failTimes, passes } = createBreaker()
    const late = pendingCall()
    const pending = breaker.run(late.call)
    await failTimes(5)
    expect(await passes()).toBe(false)
    late.answer()
    expect(await pending).toBe('late')
    expect(await passes()).toBe(true)
  })

  it('calls that fail after the store is available again do not open the circuit again', async () => {
    const { breaker, failTimes, passes, becomeAvailable } = createBreaker()
    const late = Array.from({ length: 10 }, pendingCall)
    const pending = late.map(({ call }) => breaker.run(call).catch(() => {}))
    await failTimes(5)
    becomeAvailable()
    await advance(250)
    for (const { fail } of late) fail()
    await Promise.all(pending)
    expect(await passes()).toBe(true)
  })
})

describe('a conclusive probe', () => {
  it('the probe runs at once, after 50, 100 and 200 ms and then every 250 ms, and its answer closes the circuit', async () => {
    const { failTimes, passes, probe, becomeAvailable } = createBreaker()
    await failTimes(5)
    expect(probe).toHaveBeenCalledTimes(1)
    for (const [pauses, ms] of [50, 100, 200, 250, 250].entries()) {
      await advance(ms - 1)
      expect(probe).toHaveBeenCalledTimes(1 + pauses)
      await advance(1)
      expect(probe).toHaveBeenCalledTimes(2 + pauses)
    }
    expect(await passes()).toBe(false)
    becomeAvailable()
    await advance(249)
    expect(await passes()).toBe(false)
    await advance(1)
    expect(await passes()).toBe(true)
    await advance(5000)
    expect(probe).toHaveBeenCalledTimes(7)
  })

  it('only one probe runs at a time, however long it takes', async () => {
    let pending = 0
    const probe = vi.fn(() => {
      pending += 1
      return new Promise<void>((_, reject) =>
        setTimeout(() => {
          pending -= 1
          reject(unavailable())
        }, 1000),
      )
    })
    const breaker = createCircuitBreaker({ name: 'the store', probe, isProbeConclusive: true })
    for (let n = 0; n < 1000; n += 1) await breaker.run(fails).catch(() => {})
    expect(timers()).toBe(1)
    for (let n = 0; n < 20; n += 1) {
      await advance(500)
      expect(pending).toBeLessThanOrEqual(1)
    }
    const { length } = probe.mock.calls
    expect(length).toBeLessThan(10)
    breaker.stop()
    await advance(5000)
    expect(probe).toHaveBeenCalledTimes(length)
    expect(pending).toBe(0)
  })

  it('if the first probe is answered, nothing is reported', async () => {
    const { failTimes, passes, reports, becomeAvailable } = createBreaker()
    becomeAvailable()
    await failTimes(5)
    await advance(0)
    expect(await passes()).toBe(true)
    expect(reports).toEqual([])
  })

  it('the breaker reports once that the store is unavailable, and once that it is available again', async () => {
    const { failTimes, reports, becomeAvailable } = createBreaker()
    await failTimes(5)
    await advance(2000)
    becomeAvailable()
    await advance(1000)
    expect(reports).toEqual(['unavailable: it did not answer', 'available'])
  })

  it.each(['answer', 'fail'] as const)(
    'the end of a probe that was pending at stop() closes no circuit: %s',
    async (end) => {
      const pending = pendingCall()
      const probe = vi.fn(async () => void (await pending.call()))
      const onAvailable = vi.fn()
      const breaker = createCircuitBreaker({ name: 'the store', probe, onAvailable, isProbeConclusive: true })
      for (let n = 0; n < 5; n += 1) await breaker.run(fails).catch(() => {})
      expect(probe).toHaveBeenCalledOnce()
      breaker.stop()
      pending[end]()
      await advance(0)
      expect(() => breaker.throwIfOpen()).toThrow(CircuitOpenError)
      expect(onAvailable).not.toHaveBeenCalled()
    },
  )

  it('stop() in the report of a failure leaves the circuit open', async () => {
    const breaker: CircuitBreaker = createCircuitBreaker({
      name: 'the store',
      probe: fails,
      onUnavailable: () => breaker.stop(),
      isProbeConclusive: true,
    })
    for (let n = 0; n < 5; n += 1) await breaker.run(fails).catch(() => {})
    await advance(5000)
    expect(() => breaker.throwIfOpen()).toThrow(CircuitOpenError)
  })

  it('stop() ends the probes', async () => {
    const { breaker, failTimes, probe } = createBreaker()
    await failTimes(5)
    breaker.stop()
    await advance(5000)
    expect(probe).toHaveBeenCalledTimes(1)
    expect(timers()).toBe(0)
  })
})

describe('an inconclusive probe', () => {
  it('an inconclusive probe runs after a pause, and is followed by five trial calls', async () => {
    const { breaker, failTimes, passes, probe, becomeAvailable } = createBreaker(false)
    becomeAvailable()
    await failTimes(5)
    expect(probe).not.toHaveBeenCalled()
    expect(await passes()).toBe(false)
    await advance(250)
    const trials = Array.from({ length: 5 }, pendingCall)
    const trying = trials.map(({ call }) => breaker.run(call))
    expect(await passes()).toBe(false)
    trials[3]?.answer()
    await trying[3]
    expect(await passes()).toBe(true)
    for (const { answer } of trials) answer()
    await Promise.all(trying)
  })

  it('each failed trial doubles the pause up to a second, and an answer resets the pause', async () => {
    const { failTimes, passes, becomeAvailable } = createBreaker(false)
    becomeAvailable()
    await failTimes(5)
    for (const pause of [250, 500, 1000, 1000]) {
      await advance(pause - 1)
      expect({ pause, passes: await passes() }).toEqual({ pause, passes: false })
      await advance(1)
      await failTimes(1)
      expect(await passes()).toBe(false)
    }
    await advance(1000)
    expect(await passes()).toBe(true)
    await failTimes(5)
    await advance(250)
    expect(await passes()).toBe(true)
  })
})
