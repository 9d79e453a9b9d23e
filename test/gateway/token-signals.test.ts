import { getEventListeners } from 'node:events'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { GatewayRevocations } from '../../src/gateway/dependencies.ts'
import type { Principal } from '../../src/gateway/principal.ts'
import { createTokenSignals, type TokenSignals } from '../../src/gateway/token-signals.ts'
import { principalOfClaims } from './support/token-issuer.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const { setImmediate: realSetImmediate } = globalThis
const turn = () => new Promise((resolve) => realSetImmediate(resolve))

const NOW = 1_800_000_000
let signals: TokenSignals
let revoked: Set<string>
let listeners: Set<() => void>
let mustReject: boolean
let checks: number

const principalOf = (tokenId: string, lifetime = 3600): Principal =>
  principalOfClaims({ jti: tokenId, exp: NOW + lifetime })
const signalOf = (tokenId: string, lifetime?: number) => signals.signalOf(principalOf(tokenId, lifetime))
const listenTo = (signal: AbortSignal) => signal.addEventListener('abort', () => {})
const revoke = (...ids: string[]) => {
  for (const id of ids) revoked.add(id)
  for (const listener of listeners) listener()
}
const codeOf = ({ reason }: AbortSignal) => (reason as { code?: string } | undefined)?.code

beforeEach(() => {
  vi.useFakeTimers({ now: NOW * 1000 })
  ;[revoked, listeners, mustReject, checks] = [new Set(), new Set(), false, 0]
  const revocations: Pick<GatewayRevocations, 'isTokenRevoked' | 'mustReject' | 'onAdded'> = {
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
  signals = createTokenSignals(revocations)
})
afterEach(() => {
  signals.close()
  vi.useRealTimers()
})

describe('the signal of a token', () => {
  test('a signal aborts with ERR_TOKEN_EXPIRED when its token expires', () => {
    const short = signalOf('short', 60)
    const long = signalOf('long', 61)
    vi.advanceTimersByTime(59_999)
    expect(short.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(codeOf(short)).toBe('ERR_TOKEN_EXPIRED')
    expect(long.aborted).toBe(false)
    vi.advanceTimersByTime(1000)
    expect(codeOf(long)).toBe('ERR_TOKEN_EXPIRED')
  })

  test('the signal of a token that is valid for a year does not abort early', () => {
    const signal = signalOf('year', 366 * 86_400)
    vi.advanceTimersByTime(5000)
    expect(signal.aborted).toBe(false)
    vi.setSystemTime((NOW + 366 * 86_400) * 1000)
    vi.advanceTimersByTime(1000)
    expect(codeOf(signal)).toBe('ERR_TOKEN_EXPIRED')
  })

  test('a signal aborts within a second after the clock jumped past the expiry, as when a machine wakes from sleep', () => {
    const signal = signalOf('a', 3600)
    vi.setSystemTime((NOW + 3600) * 1000)
    vi.advanceTimersByTime(1000)
    expect(codeOf(signal)).toBe('ERR_TOKEN_EXPIRED')
  })

  test('revoking a token aborts its signal, and no other signal', () => {
    const [a, b] = [signalOf('a'), signalOf('b')]
    revoke('a')
    vi.advanceTimersByTime(10)
    expect(codeOf(a)).toBe('ERR_TOKEN_REVOKED')
    expect(b.aborted).toBe(false)
  })

  test('the signal of a revoked or expired token is aborted when the signal is first read', () => {
    revoke('a')
    expect(codeOf(signalOf('a'))).toBe('ERR_TOKEN_REVOKED')
    expect(codeOf(signalOf('b', 0))).toBe('ERR_TOKEN_EXPIRED')
    const seen = signalOf('c')
    revoke('c')
    // The revocation is known, but the watched tokens have not been checked since the revocation.
    expect(signalOf('c')).toBe(seen)
    expect(codeOf(seen)).toBe('ERR_TOKEN_REVOKED')
  })

  test('all principals of a token share one signal, which has no limit of listeners', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const principals = Array.from({ length: 1000 }, () => principalOf('a'))
    const all = principals.map((principal) => signals.signalOf(principal))
    expect(new Set(all).size).toBe(1)
    const received = vi.fn()
    for (const signal of all) signal.addEventListener('abort', () => received())
    expect(getEventListeners(all[0]!, 'abort')).toHaveLength(1000)
    // Node 20 warns of a leak from the eleventh listener on.
    await new Promise((resolve) => process.nextTick(resolve))
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
    revoke('a')
    vi.advanceTimersByTime(10)
    expect(received).toHaveBeenCalledTimes(1000)
  })

  test('many revocations at once cost only one check of each watched token', () => {
    for (let i = 0; i < 100; i += 1) listenTo(signalOf(`token-${i}`))
    checks = 0
    for (let i = 0; i < 1000; i += 1) revoke(`other-${i}`)
    vi.advanceTimersByTime(10)
    expect(checks).toBe(100)
  })

  test('neither a timer nor a subscription to revocations remains when no token is watched', () => {
    listenTo(signalOf('a', 10))
    listenTo(signalOf('b', 20))
    expect(listeners.size).toBe(1)
    revoke('b')
    vi.advanceTimersByTime(10_000)
    expect(vi.getTimerCount()).toBe(0)
    expect(listeners.size).toBe(0)
    const again = signalOf('c', 60)
    listenTo(again)
    expect(listeners.size).toBe(1)
    vi.advanceTimersByTime(60_000)
    expect(codeOf(again)).toBe('ERR_TOKEN_EXPIRED')
  })

  test('a signal aborts with ERR_NOT_READY if tokens are rejected because revocations are stale', () => {
    const signal = signalOf('a')
    mustReject = true
    vi.advanceTimersByTime(1000)
    expect(codeOf(signal)).toBe('ERR_NOT_READY')
    mustReject = false
    expect(signalOf('a').aborted).toBe(false)
  })

  test('close() aborts all signals, and a signal that is requested after close() is aborted from the start', () => {
    const signal = signalOf('a')
    signal.addEventListener('abort', () => signals.close())
    signals.close()
    expect(codeOf(signal)).toBe('ERR_CLOSED')
    expect(codeOf(signalOf('b'))).toBe('ERR_CLOSED')
    expect(vi.getTimerCount()).toBe(0)
    expect(listeners.size).toBe(0)
  })

  test('an abort listener may itself request signals', () => {
    const first = signalOf('a', 10)
    const others: AbortSignal[] = []
    first.addEventListener('abort', () => others.push(signalOf('b', 20), signalOf('a', 10)))
    vi.advanceTimersByTime(10_000)
    expect(others.map(codeOf)).toEqual([undefined, 'ERR_TOKEN_EXPIRED'])
    vi.advanceTimersByTime(10_000)
    expect(others.map(codeOf)).toEqual(['ERR_TOKEN_EXPIRED', 'ERR_TOKEN_EXPIRED'])
  })
})

describe('a signal without listeners', () => {
  /**
   * Collects garbage. A WeakRef keeps its target until the current turn of the event loop ends, so each round
   * first waits for the next turn.
   */
  async function collect() {
    for (let round = 0; round < 3; round += 1) {
      await turn()
      collectGarbage()
    }
  }

  test('signals without a listener cause no timer, no subscription to revocations and no check after a revocation', () => {
    for (let i = 0; i < 100; i += 1) expect(signalOf(`token-${i}`).aborted).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
    expect(listeners.size).toBe(0)
    checks = 0
    revoke('other')
    vi.advanceTimersByTime(20_000)
    expect(checks).toBe(0)
  })

  test('a token is no longer watched ten seconds after the last listener of its signal was removed, until a listener is added again', () => {
    const signal = signalOf('a')
    const [first, second] = [vi.fn(), vi.fn()]
    signal.addEventListener('abort', first)
    signal.addEventListener('abort', second)
    signal.removeEventListener('abort', first)
    vi.advanceTimersByTime(30_000)
    expect(listeners.size).toBe(1)
    signal.removeEventListener('abort', second)
    vi.advanceTimersByTime(11_000)
    expect([listeners.size, vi.getTimerCount()]).toEqual([0, 0])
    signal.addEventListener('abort', first)
    revoke('a')
    vi.advanceTimersByTime(10)
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 0])
  })

  test.each([
    ['aborted', (signal: AbortSignal) => expect(signal.aborted).toBe(true)],
    ['reason', (signal: AbortSignal) => expect(codeOf(signal)).toBe('ERR_TOKEN_REVOKED')],
    ['throwIfAborted()', (signal: AbortSignal) => expect(() => signal.throwIfAborted()).toThrow('revoked')],
    ['AbortSignal.any()', (signal: AbortSignal) => expect(AbortSignal.any([signal]).aborted).toBe(true)],
  ])('after the token was revoked, %s of a signal without listeners shows the revocation', (_, check) => {
    const signal = signalOf('a')
    signal.throwIfAborted()
    expect(signal.reason).toBeUndefined()
    revoke('a')
    check(signal)
    const late = vi.fn()
    signal.addEventListener('abort', late)
    vi.advanceTimersByTime(2000)
    expect(late).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a signal aborts the fetch, the stream and the timer that use it', async () => {
    vi.useRealTimers()
    const received: unknown[] = []
    const note = (error: unknown) => void received.push((error as Error).name)
    const [a, b, c] = [signalOf('a', 4e8), signalOf('b', 4e8), signalOf('c', 4e8)]
    const done = [
      fetch('http://127.0.0.1:9', { signal: a }).catch(note),
      sleep(60_000, undefined, { signal: b }).catch(note),
      pipeline(new PassThrough(), new PassThrough(), { signal: c }).catch(note),
    ]
    expect([b, c].map((signal) => getEventListeners(signal, 'abort').length)).toEqual([1, 1])
    revoke('a', 'b', 'c')
    await Promise.all(done)
    expect(received).toHaveLength(3)
  })

  test('a signal that is referenced only by AbortSignal.any() still aborts the combined signal', async () => {
    const received = vi.fn()
    AbortSignal.any([signalOf('a', 4e8)]).addEventListener('abort', received)
    const polled = AbortSignal.any([signalOf('b', 4e8), AbortSignal.timeout(1e9)])
    vi.advanceTimersByTime(30_000)
    await collect()
    revoke('a', 'b')
    vi.advanceTimersByTime(10)
    expect(received).toHaveBeenCalledOnce()
    expect(codeOf(polled)).toBe('ERR_TOKEN_REVOKED')
  })

  test('20,000 signals that were only read are garbage-collected, and a signal with a listener still aborts', async () => {
    const received = vi.fn()
    signalOf('kept', 4e8).addEventListener('abort', received)
    const template = principalOf('kept', 4e8)
    const refs: WeakRef<object>[] = []
    await collect()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 20_000; i += 1) {
      const principal = { ...template, tokenId: `token-${i}` }
      if (signals.signalOf(principal).aborted) throw new Error('the token is valid')
      if (i % 1000 === 0) refs.push(new WeakRef(principal), new WeakRef(signals.signalOf(principal)))
      if (i % 5000 === 0) await turn()
    }
    await collect()
    expect(refs.filter((ref) => ref.deref() !== undefined)).toHaveLength(0)
    expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(10)
    revoke('kept')
    vi.advanceTimersByTime(10)
    expect(received).toHaveBeenCalledOnce()
  }, 60_000)
})
