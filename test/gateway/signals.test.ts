import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { GatewayRevocations } from '../../src/gateway/dependencies.ts'
import { createPrincipal, type AccessTokenClaims, type Principal } from '../../src/gateway/principal.ts'
import { createSignals, type Signals } from '../../src/gateway/signals.ts'
import { accessTokenClaims } from './support/token-issuer.ts'

const NOW = 1_800_000_000
let signals: Signals
let revoked: Set<string>
let listeners: Set<() => void>
let mustRefuse: boolean
let asked: number

const principalOf = (tokenId: string, lifetime = 3600): Principal =>
  createPrincipal(
    accessTokenClaims({ jti: tokenId, exp: NOW + lifetime }) as unknown as AccessTokenClaims,
    'key',
  )
const signalOf = (tokenId: string, lifetime?: number) => signals.signalOf(principalOf(tokenId, lifetime))
const revoke = (...ids: string[]) => {
  for (const id of ids) revoked.add(id)
  for (const listener of listeners) listener()
}
const codeOf = ({ reason }: AbortSignal) => (reason as { code?: string } | undefined)?.code

beforeEach(() => {
  vi.useFakeTimers({ now: NOW * 1000 })
  ;[revoked, listeners, mustRefuse, asked] = [new Set(), new Set(), false, 0]
  const revocations: Pick<GatewayRevocations, 'isRevoked' | 'mustRefuse' | 'onAdded'> = {
    isRevoked: ({ tokenId }) => {
      asked += 1
      return revoked.has(tokenId)
    },
    get mustRefuse() {
      return mustRefuse
    },
    onAdded(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  signals = createSignals(revocations)
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
    for (let i = 0; i < 100; i += 1) signalOf(`token-${i}`)
    asked = 0
    for (let i = 0; i < 1000; i += 1) revoke(`other-${i}`)
    vi.advanceTimersByTime(10)
    expect(asked).toBe(100)
  })

  test('nothing is left, neither timer nor listener, once nobody watches', () => {
    signalOf('a', 10)
    signalOf('b', 20)
    expect(listeners.size).toBe(1)
    revoke('b')
    vi.advanceTimersByTime(10_000)
    expect(vi.getTimerCount()).toBe(0)
    expect(listeners.size).toBe(0)
    const again = signalOf('c', 60)
    expect(listeners.size).toBe(1)
    vi.advanceTimersByTime(60_000)
    expect(codeOf(again)).toBe('ERR_TOKEN_EXPIRED')
  })

  test('aborts where tokens are refused because contact was lost', () => {
    const signal = signalOf('a')
    mustRefuse = true
    vi.advanceTimersByTime(1000)
    expect(codeOf(signal)).toBe('ERR_NOT_READY')
    mustRefuse = false
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
