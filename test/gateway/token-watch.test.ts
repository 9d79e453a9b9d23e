import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { GatewayRevocations } from '../../src/gateway/dependencies.ts'
import { noRevocations } from '../../src/gateway/dependencies.ts'
import type { Principal } from '../../src/gateway/principal.ts'
import { createTokenWatch } from '../../src/gateway/token-watch.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { principalOfClaims } from './support/token-issuer.ts'
import { timersOf } from '../support/timers-of.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const { setImmediate: realSetImmediate } = globalThis

const NOW = 1_800_000_000
const DAY = 86_400
let tokenWatch: ReturnType<typeof createTokenWatch>
let revoked: Set<string>
let listeners: Set<() => void>
let mustReject: boolean
let checks: number
const logged = vi.fn()

const principalOf = (tokenId: string, lifetime = 3600): Principal =>
  principalOfClaims({ jti: tokenId, exp: NOW + lifetime })

/** Watches a token. @returns the calls of `onEnd`, and `stop` */
function watch(tokenId: string, lifetime?: number) {
  const onEnd = vi.fn()
  const stop = tokenWatch.watch(principalOf(tokenId, lifetime), onEnd)
  return { reasons: onEnd.mock.calls, stop }
}

function revoke(...ids: string[]) {
  for (const id of ids) revoked.add(id)
  for (const listener of listeners) listener()
}

const expectNothingHeld = () => expect([timers(), listeners.size]).toEqual([0, 0])

let timers: () => number
beforeEach(() => {
  vi.useFakeTimers({ now: NOW * 1000 })
  timers = timersOf('gateway/token-watch')
  logged.mockClear()
  ;[revoked, listeners, mustReject, checks] = [new Set(), new Set(), false, 0]
  const revocations: GatewayRevocations = {
    ...noRevocations,
    isTokenRevoked: ({ tokenId }) => {
      checks += 1
      return revoked.has(tokenId)
    },
    get mustReject() {
      return mustReject
    },
    onAdded(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  tokenWatch = createTokenWatch({ revocations, logger: { ...silentLogger, error: logged } }, () => true)
})
afterEach(() => {
  tokenWatch.close()
  expectNothingHeld()
  vi.useRealTimers()
})

describe('the end of a watched token', () => {
  it('onEnd is called once with expired when the token expires', () => {
    const [short, long] = [watch('short', 60), watch('long', 61)]
    vi.advanceTimersByTime(59_999)
    expect(short.reasons).toEqual([])
    vi.advanceTimersByTime(1)
    expect([short.reasons, long.reasons]).toEqual([[['expired']], []])
    vi.advanceTimersByTime(1000)
    expect(long.reasons).toEqual([['expired']])
    revoke('short')
    tokenWatch.close()
    expect(short.reasons).toEqual([['expired']])
  })

  it('the watch of a token that is valid for a year does not end early', () => {
    const { reasons } = watch('year', 366 * DAY)
    vi.advanceTimersByTime(5000)
    expect(reasons).toEqual([])
    vi.setSystemTime((NOW + 366 * DAY) * 1000)
    vi.advanceTimersByTime(1000)
    expect(reasons).toEqual([['expired']])
  })

  it('onEnd is called within a second after the clock jumped past the expiry, as when a machine wakes from sleep', () => {
    const { reasons } = watch('a')
    vi.setSystemTime((NOW + 3600) * 1000)
    vi.advanceTimersByTime(1000)
    expect(reasons).toEqual([['expired']])
  })

  it('revoking a token calls onEnd of all its watches with revoked, and of no other token', () => {
    const [a, again, b] = [watch('a'), watch('a'), watch('b')]
    revoke('a')
    vi.advanceTimersByTime(10)
    expect([a, again, b].map(({ reasons }) => reasons)).toEqual([[['revoked']], [['revoked']], []])
  })

  it('onEnd is called with stale if tokens are rejected because revocations are stale', async () => {
    const { reasons } = watch('a')
    mustReject = true
    await vi.advanceTimersByTimeAsync(1000)
    expect(reasons).toEqual([['stale']])
    mustReject = false
    const next = watch('a')
    vi.advanceTimersByTime(1000)
    expect(next.reasons).toEqual([])
  })

  it('close() calls onEnd of all watches with closed, and a later watch ends with closed', () => {
    const onEnd = vi.fn(() => tokenWatch.close())
    tokenWatch.watch(principalOf('a'), onEnd)
    tokenWatch.close()
    expect(onEnd.mock.calls).toEqual([['closed']])
    const late = watch('b')
    expect(late.reasons).toEqual([])
    vi.advanceTimersByTime(1)
    expect(late.reasons).toEqual([['closed']])
  })

  it('onEnd of a token that has already ended is called soon, and not inside watch()', () => {
    revoke('a')
    const [a, b] = [watch('a'), watch('b', 0)]
    expect([a.reasons, b.reasons]).toEqual([[], []])
    vi.advanceTimersByTime(1)
    expect([a.reasons, b.reasons]).toEqual([[['revoked']], [['expired']]])
    const stopped = watch('a')
    stopped.stop()
    vi.advanceTimersByTime(2000)
    expect(stopped.reasons).toEqual([])
  })
})

describe('stop()', () => {
  it('onEnd is never called after stop(), and other watches of the token continue', () => {
    const [a, again] = [watch('a'), watch('a')]
    a.stop()
    a.stop()
    revoke('a')
    vi.advanceTimersByTime(10)
    tokenWatch.close()
    expect([a.reasons, again.reasons]).toEqual([[], [['revoked']]])
    again.stop()
  })

  it('an onEnd may stop the watch that would end next', () => {
    const onEnd = vi.fn(() => second.stop())
    tokenWatch.watch(principalOf('a'), onEnd)
    const second = watch('a')
    const third = watch('a')
    revoke('a')
    vi.advanceTimersByTime(2000)
    expect(onEnd).toHaveBeenCalledOnce()
    expect([second.reasons, third.reasons]).toEqual([[], [['revoked']]])
  })
})

describe('onEnd', () => {
  it('an onEnd that throws or rejects is logged, and other watches end all the same', async () => {
    const [thrown, rejected] = [new Error('thrown'), new Error('rejected')]
    tokenWatch.watch(principalOf('a'), () => {
      throw thrown
    })
    tokenWatch.watch(principalOf('a'), () => Promise.reject(rejected))
    const { reasons } = watch('a')
    revoke('a')
    await vi.advanceTimersByTimeAsync(10)
    expect(reasons).toEqual([['revoked']])
    expect(logged.mock.calls).toEqual(
      [thrown, rejected].map((err) => [{ err, reason: 'revoked' }, 'onEnd of gateway.watch() failed']),
    )
  })

  it('an onEnd that watches its token again is called once in each check', () => {
    const again = vi.fn(() => void (again.mock.calls.length < 3 && tokenWatch.watch(principalOf('a'), again)))
    tokenWatch.watch(principalOf('a'), again)
    revoke('a')
    vi.advanceTimersByTime(5)
    expect(again).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(2)
    expect(again).toHaveBeenCalledTimes(3)
  })
})

describe('the cost of watches', () => {
  it('many revocations at once cost only one check of each watched token', () => {
    for (let i = 0; i < 100; i += 1) watch(`token-${i}`)
    checks = 0
    for (let i = 0; i < 1000; i += 1) revoke(`other-${i}`)
    vi.advanceTimersByTime(10)
    expect(checks).toBe(100)
  })

  it('neither later revocations nor later watches postpone a check', () => {
    const { reasons } = watch('a')
    revoke('a')
    for (let i = 0; i < 3; i += 1) {
      vi.advanceTimersByTime(3)
      revoke(`other-${i}`)
      watch(`valid-${i}`).stop()
    }
    expect(reasons).toEqual([['revoked']])
  })

  it('neither a timer nor a subscription to revocations remains when all watches have ended or were stopped', () => {
    expectNothingHeld()
    const [, b, c] = [watch('a', 10), watch('b', 20), watch('c', 30)]
    expect([timers(), listeners.size]).toEqual([1, 1])
    vi.advanceTimersByTime(10_000)
    revoke('b')
    vi.advanceTimersByTime(1000)
    expect(b.reasons).toEqual([['revoked']])
    expect(listeners.size).toBe(1)
    c.stop()
    expectNothingHeld()
    const last = watch('d', 60)
    vi.advanceTimersByTime(60_000)
    expect(last.reasons).toEqual([['expired']])
    expectNothingHeld()
  })

  it('a watch does not keep the process alive', () => {
    vi.useRealTimers()
    const timeouts = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timeouts()
    const stop = tokenWatch.watch(principalOf('a', DAY), () => {})
    const during = timeouts()
    stop()
    vi.useFakeTimers()
    expect(during).toBe(before)
  })

  it('a watch keeps neither the principal nor onEnd in memory after stop() or its end, even if the host keeps stop', async () => {
    const stops: (() => void)[] = []
    const refs: WeakRef<object>[] = []
    function watchOnce(tokenId: string) {
      const principal = principalOf(tokenId)
      const onEnd = () => principal.tokenId
      refs.push(new WeakRef(principal), new WeakRef(onEnd))
      stops.push(tokenWatch.watch(principal, onEnd))
    }
    const isAlive = () => refs.map((ref) => ref.deref() !== undefined)
    const alive = async () => {
      // A WeakRef keeps its target until the current turn of the event loop ends, on a busy machine also longer.
      for (let round = 0; round < 30 && isAlive().filter(Boolean).length > 2; round += 1) {
        await new Promise((resolve) => realSetImmediate(resolve))
        collectGarbage()
      }
      return isAlive()
    }
    for (const tokenId of ['stopped', 'revoked', 'watched']) watchOnce(tokenId)
    stops[0]?.()
    revoke('revoked')
    vi.advanceTimersByTime(10)
    expect(await alive()).toEqual([false, false, false, false, true, true])
    expect(stops).toHaveLength(3)
    // Real turns of the event loop have passed, so other files may have set timers meanwhile.
    vi.clearAllTimers()
  })
})
