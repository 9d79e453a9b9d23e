import { getEventListeners } from 'node:events'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { GatewayRevocations } from '../../src/gateway/dependencies.ts'
import { createPrincipal, type AccessTokenClaims, type Principal } from '../../src/gateway/principal.ts'
import { createTokenSignals, type TokenSignals } from '../../src/gateway/token-signals.ts'
import { accessTokenClaims } from './support/token-issuer.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const { setImmediate: inReality } = globalThis
const turn = () => new Promise((resolve) => inReality(resolve))

const NOW = 1_800_000_000
let signals: TokenSignals
let revoked: Set<string>
let listeners: Set<() => void>
let mustReject: boolean
let asked: number

const principalOf = (tokenId: string, lifetime = 3600): Principal =>
  createPrincipal(
    accessTokenClaims({ jti: tokenId, exp: NOW + lifetime }) as unknown as AccessTokenClaims,
    'key',
  )
const signalOf = (tokenId: string, lifetime?: number) => signals.signalOf(principalOf(tokenId, lifetime))
const listenTo = (signal: AbortSignal) => signal.addEventListener('abort', () => {})
const revoke = (...ids: string[]) => {
  for (const id of ids) revoked.add(id)
  for (const listener of listeners) listener()
}
const codeOf = ({ reason }: AbortSignal) => (reason as { code?: string } | undefined)?.code

beforeEach(() => {
  vi.useFakeTimers({ now: NOW * 1000 })
  ;[revoked, listeners, mustReject, asked] = [new Set(), new Set(), false, 0]
  const revocations: Pick<GatewayRevocations, 'isTokenRevoked' | 'mustReject' | 'onAdded'> = {
    isTokenRevoked: ({ tokenId }) => {
      asked += 1
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
  test('aborts in the moment it expires, and says so', () => {
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

  test('that lives longer than a timer can run does not abort early', () => {
    const signal = signalOf('year', 366 * 86_400)
    vi.advanceTimersByTime(5000)
    expect(signal.aborted).toBe(false)
    vi.setSystemTime((NOW + 366 * 86_400) * 1000)
    vi.advanceTimersByTime(1000)
    expect(codeOf(signal)).toBe('ERR_TOKEN_EXPIRED')
  })

  test('aborts within a second after the clock was put forward, as after a sleep', () => {
    const signal = signalOf('a', 3600)
    vi.setSystemTime((NOW + 3600) * 1000)
    vi.advanceTimersByTime(1000)
    expect(codeOf(signal)).toBe('ERR_TOKEN_EXPIRED')
  })

  test('aborts when it is revoked, and no other does', () => {
    const [a, b] = [signalOf('a'), signalOf('b')]
    revoke('a')
    vi.advanceTimersByTime(10)
    expect(codeOf(a)).toBe('ERR_TOKEN_REVOKED')
    expect(b.aborted).toBe(false)
  })

  test('is aborted from the first look on, if the token is dead already', () => {
    revoke('a')
    expect(codeOf(signalOf('a'))).toBe('ERR_TOKEN_REVOKED')
    expect(codeOf(signalOf('b', 0))).toBe('ERR_TOKEN_EXPIRED')
    const seen = signalOf('c')
    revoke('c')
    // Before anything was gathered.
    expect(signalOf('c')).toBe(seen)
    expect(codeOf(seen)).toBe('ERR_TOKEN_REVOKED')
  })

  test('is one for all principals of the token, and has no limit of listeners', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const principals = Array.from({ length: 1000 }, () => principalOf('a'))
    const all = principals.map((principal) => signals.signalOf(principal))
    expect(new Set(all).size).toBe(1)
    const heard = vi.fn()
    for (const signal of all) signal.addEventListener('abort', () => heard())
    expect(getEventListeners(all[0]!, 'abort')).toHaveLength(1000)
    // Node 20 warns of a leak from the eleventh on.
    await new Promise((resolve) => process.nextTick(resolve))
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
    revoke('a')
    vi.advanceTimersByTime(10)
    expect(heard).toHaveBeenCalledTimes(1000)
  })

  test('a storm of revocations costs one look at each', () => {
    for (let i = 0; i < 100; i += 1) listenTo(signalOf(`token-${i}`))
    asked = 0
    for (let i = 0; i < 1000; i += 1) revoke(`other-${i}`)
    vi.advanceTimersByTime(10)
    expect(asked).toBe(100)
  })

  test('nothing is left, neither timer nor listener, once nobody watches', () => {
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

  test('aborts where tokens are rejected because contact was lost', () => {
    const signal = signalOf('a')
    mustReject = true
    vi.advanceTimersByTime(1000)
    expect(codeOf(signal)).toBe('ERR_NOT_READY')
    mustReject = false
    expect(signalOf('a').aborted).toBe(false)
  })

  test('close() aborts all, and those that are asked for later', () => {
    const signal = signalOf('a')
    signal.addEventListener('abort', () => signals.close())
    signals.close()
    expect(codeOf(signal)).toBe('ERR_CLOSED')
    expect(codeOf(signalOf('b'))).toBe('ERR_CLOSED')
    expect(vi.getTimerCount()).toBe(0)
    expect(listeners.size).toBe(0)
  })

  test('a listener that looks at further signals disturbs nothing', () => {
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
  /** Lets go of what nobody holds. A turn of the event loop ends what a WeakRef keeps for its maker. */
  async function collect() {
    for (let round = 0; round < 3; round += 1) {
      await turn()
      collectGarbage()
    }
  }

  test('is watched by nobody: neither timer, listener nor look at it after a revocation', () => {
    for (let i = 0; i < 100; i += 1) expect(signalOf(`token-${i}`).aborted).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
    expect(listeners.size).toBe(0)
    asked = 0
    revoke('other')
    vi.advanceTimersByTime(20_000)
    expect(asked).toBe(0)
  })

  test('is released within ten seconds after the last one was removed, and watched again with the next one', () => {
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
    ['its clone', (signal: AbortSignal) => expect(AbortSignal.any([signal]).aborted).toBe(true)],
  ])('tells by %s that the token was revoked, though nobody waited for it', (_, check) => {
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

  test('aborts a fetch, a stream and a timer that it was handed to', async () => {
    vi.useRealTimers()
    const heard: unknown[] = []
    const note = (error: unknown) => void heard.push((error as Error).name)
    const [a, b, c] = [signalOf('a', 4e8), signalOf('b', 4e8), signalOf('c', 4e8)]
    const done = [
      fetch('http://127.0.0.1:9', { signal: a }).catch(note),
      sleep(60_000, undefined, { signal: b }).catch(note),
      pipeline(new PassThrough(), new PassThrough(), { signal: c }).catch(note),
    ]
    expect([b, c].map((signal) => getEventListeners(signal, 'abort').length)).toEqual([1, 1])
    revoke('a', 'b', 'c')
    await Promise.all(done)
    expect(heard).toHaveLength(3)
  })

  test('that AbortSignal.any() was given still aborts what that made, though nobody holds it', async () => {
    const heard = vi.fn()
    AbortSignal.any([signalOf('a', 4e8)]).addEventListener('abort', heard)
    const polled = AbortSignal.any([signalOf('b', 4e8), AbortSignal.timeout(1e9)])
    vi.advanceTimersByTime(30_000)
    await collect()
    revoke('a', 'b')
    vi.advanceTimersByTime(10)
    expect(heard).toHaveBeenCalledOnce()
    expect(codeOf(polled)).toBe('ERR_TOKEN_REVOKED')
  })

  test('is not kept: 20,000 tokens whose signal was read leave nothing, and a listener of one still hears', async () => {
    const heard = vi.fn()
    signalOf('kept', 4e8).addEventListener('abort', heard)
    const template = principalOf('kept', 4e8)
    const refs: WeakRef<object>[] = []
    await collect()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 20_000; i += 1) {
      const principal = { ...template, tokenId: `token-${i}` }
      if (signals.signalOf(principal).aborted) throw new Error('it lives')
      if (i % 1000 === 0) refs.push(new WeakRef(principal), new WeakRef(signals.signalOf(principal)))
      if (i % 5000 === 0) await turn()
    }
    await collect()
    expect(refs.filter((ref) => ref.deref() !== undefined)).toHaveLength(0)
    expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(10)
    revoke('kept')
    vi.advanceTimersByTime(10)
    expect(heard).toHaveBeenCalledOnce()
  }, 60_000)
})
