import Koa from 'koa'
import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Gateway, GatewayEvents, Principal } from 'koa-gatehouse/gateway'
import type { Authentication } from '../../src/gateway/authenticate.ts'
import { createEvents } from '../../src/host/events.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createRevocationFollower, type KnownRevocations } from '../../src/revocation/revocation-follower.ts'
import type { Revocation } from '../../src/revocation/revocation.ts'
import type { RevocationPage } from '../../src/revocation/revocation-source.ts'
import { createTestGateway } from './support/api.ts'
import type { TokenIssuer } from './support/token-issuer.ts'

const NOW = 1_800_000_000
const UNTIL = NOW + 864_000
const epochClaims = { client_id: 'key_1', access_epoch: 3 }

let revoked: KnownRevocations
let gateway: Gateway
let issuer: TokenIssuer
let answer: () => Promise<RevocationPage>
const noRevocation = async () => ({ revocations: [], cursor: 'c', more: false })
const unavailable = () => Promise.reject(new Error('away'))
const logger = { ...silentLogger, warn: vi.fn(), info: vi.fn() }

interface Setup {
  readonly whenStale?: 'serve' | 'reject'
  readonly maxCachedTokens?: number
  readonly pollIntervalSeconds?: number
}

async function setUp({
  whenStale = 'serve',
  maxCachedTokens = 100_000,
  pollIntervalSeconds = 1,
}: Setup = {}) {
  answer = noRevocation
  const events = createEvents(() => {})
  revoked = createRevocationFollower({
    source: { read: () => answer() },
    policy: { pollIntervalSeconds, whenStale, maxStalenessSeconds: 30 },
    logger,
    events,
  })
  const made = await createTestGateway({
    revocations: revoked,
    events,
    maxCachedTokens,
    ready: () => revoked.start(),
    close: () => revoked.close(),
  })
  ;({ gateway, issuer } = made)
}

const callWith = (token: string): Promise<Authentication> =>
  gateway.authenticate({
    method: 'GET',
    url: '/api/invoices/list',
    headers: { authorization: `Bearer ${token}` },
  })

/** Calls the gateway with a token that must be accepted. @returns the principal of the call */
async function expectAccepted(token: string) {
  const outcome = await callWith(token)
  if (!outcome.ok) throw new Error(outcome.body)
  return outcome.principal
}

const REVOKED = { ok: false, status: 401, error: 'invalid_token' }

// The timers are fake, so that no test waits for a poll.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: NOW * 1000 }))
afterEach(async () => {
  await gateway.close()
  vi.useRealTimers()
})

describe.each([100_000, 0])('a gateway with a token cache of %d bytes', (maxCachedTokens) => {
  const kinds: [string, Record<string, unknown>, Revocation][] = [
    ['the token', { jti: 'token-1' }, { of: 'token', id: 'token-1', until: UNTIL }],
    [
      'its grant',
      { access_mode: 'delegated', grant_id: 'grant-1' },
      { of: 'grant', id: 'grant-1', until: UNTIL },
    ],
    ['the key that signed it', {}, { of: 'key', id: 'key-1', until: UNTIL }],
    ['its client', epochClaims, { of: 'client', id: 'key_1', below: 4, until: UNTIL }],
    ['its operation', { catalog_epoch: 6 }, { of: 'operation', id: 'invoices:read', below: 7, until: UNTIL }],
  ]
  it('a token is rejected from the first call after it, its grant, key, client or operation was revoked', async () => {
    for (const [what, claims, revocation] of kinds) {
      await setUp({ maxCachedTokens })
      const token = await issuer.mint(claims)
      const principal = await expectAccepted(token)
      await expectAccepted(token)
      const onEnd = vi.fn()
      gateway.watch(principal, onEnd)

      revoked.add([revocation])
      const rejected = await callWith(token)
      expect(rejected, what).toMatchObject(REVOKED)
      expect(rejected.ok || rejected.headers['WWW-Authenticate']).toContain('error="invalid_token"')
      expect(rejected.ok || rejected.body).toContain('revoked')
      await vi.advanceTimersByTimeAsync(10)
      expect(onEnd.mock.calls).toEqual([['revoked']])
      expect(issuer.lookups()).toBe(maxCachedTokens === 0 ? 3 : 1)
      await gateway.close()
    }
  })

  it('each call with a token can be watched', async () => {
    await setUp({ maxCachedTokens })
    const token = await issuer.mint()
    const principals = await Promise.all(Array.from({ length: 50 }, () => expectAccepted(token)))
    expect(Object.isFrozen(principals[0])).toBe(true)
    const onEnd = vi.fn()
    for (const principal of principals) gateway.watch(principal, onEnd)

    vi.setSystemTime((NOW + 3600) * 1000)
    await vi.advanceTimersByTimeAsync(1000)
    expect(onEnd.mock.calls.flat()).toEqual(Array(50).fill('expired'))
  })
})

// A thief who stole a signing key can choose the header of a token. If the gateway accepted a token without a
// `kid`, revoking the key would not reject that token.
it('a revoked key verifies no token without a kid of its own, even if the gateway has no other key', async () => {
  await setUp()
  await expectAccepted(await issuer.mint())
  revoked.add([{ of: 'key', id: 'key-1', until: UNTIL }])
  for (const kid of [undefined, '', 1, null, ['key-1']]) {
    expect(await callWith(await issuer.mint({}, { kid: kid as never })), String(kid)).toMatchObject(REVOKED)
  }
})

it('a token that was revoked before the gateway started is rejected on its first call', async () => {
  await setUp()
  answer = async () => ({
    revocations: [{ of: 'token', id: 'token-1', until: UNTIL }],
    cursor: 'c',
    more: false,
  })
  expect(await callWith(await issuer.mint({ jti: 'token-1' }))).toMatchObject(REVOKED)
})

it('requireScope() checks again whether a token that the middleware accepted is revoked or expired', async () => {
  await setUp({ whenStale: 'reject' })
  const between = { wait: async () => {} }
  const handler = vi.fn()
  const app = new Koa()
  app.use(gateway.middleware())
  app.use(async (_ctx, next) => {
    await between.wait()
    await next()
  })
  app.use(gateway.requireScope('invoices:read'))
  app.use((ctx) => {
    handler()
    ctx.body = 'reached'
  })
  const agent = request(app.callback())
  const first = await issuer.mint({ jti: 'token-1' })
  const get = (token = first) => agent.get('/api/invoices/list').set('Authorization', `Bearer ${token}`)
  await get().expect(200)
  expect(handler).toHaveBeenCalledTimes(1)

  between.wait = async () => {
    vi.setSystemTime((NOW + 31) * 1000)
  }
  const late = await get().expect(503)
  expect(late.headers['retry-after']).toBe('1')

  between.wait = async () => revoked.add([{ of: 'token', id: 'token-1', until: UNTIL }])
  vi.setSystemTime(NOW * 1000)
  expect((await get().expect(401)).body.error).toBe('invalid_token')

  between.wait = async () => {
    vi.setSystemTime((NOW + 3600) * 1000)
  }
  vi.setSystemTime(NOW * 1000)
  const expired = await get(await issuer.mint()).expect(401)
  expect(expired.body).toMatchObject({
    error: 'invalid_token',
    error_description: expect.stringContaining('expired'),
  })
  expect(handler).toHaveBeenCalledTimes(1)
})

describe('a gateway with stale revocations', () => {
  const events: [string, unknown][] = []
  const record = (name: keyof GatewayEvents) => (event: unknown) => void events.push([name, event])

  async function makeStale(setup: Setup) {
    events.length = 0
    logger.warn.mockClear()
    logger.info.mockClear()
    await setUp({ ...setup, pollIntervalSeconds: 0.2 })
    gateway.on('revocations.stale', record('revocations.stale'))
    gateway.on('revocations.fresh', record('revocations.fresh'))
    const token = await issuer.mint()
    await expectAccepted(token)
    answer = unavailable
    await vi.advanceTimersByTimeAsync(1000)
    expect(events).toHaveLength(1)
    return token
  }

  async function makeFresh() {
    answer = noRevocation
    await vi.advanceTimersByTimeAsync(5000)
    expect(events).toHaveLength(2)
  }

  it('a gateway with whenStale serve uses the known revocations, and emits revocations.stale and revocations.fresh', async () => {
    const token = await makeStale({})
    revoked.add([{ of: 'token', id: 'known', until: UNTIL }])
    vi.setSystemTime((NOW + 600) * 1000)
    await expectAccepted(token)
    expect(await callWith(await issuer.mint({ jti: 'known' }))).toMatchObject(REVOKED)
    expect(events).toEqual([['revocations.stale', { ageSeconds: expect.any(Number) }]])
    expect(logger.warn).toHaveBeenCalledTimes(1)
    expect(await gateway.health()).toMatchObject({
      ready: true,
      revocations: { enabled: true, stale: true, ageSeconds: expect.any(Number), count: 1 },
    })
    const { revocations } = await gateway.health()
    expect(revocations.ageSeconds).toBeGreaterThanOrEqual(600)

    await makeFresh()
    expect(events[1]?.[0]).toBe('revocations.fresh')
    expect(logger.info).toHaveBeenCalledTimes(1)
    expect(await gateway.health()).toMatchObject({ ready: true, revocations: { stale: false } })
  })

  it('a gateway with whenStale reject answers 503 after maxStalenessSeconds, and serves again once revocations are fresh', async () => {
    const token = await makeStale({ whenStale: 'reject' })
    const onEnd = vi.fn()
    gateway.watch(await expectAccepted(token), onEnd)
    vi.setSystemTime((NOW + 25) * 1000)
    await expectAccepted(token)
    expect(await gateway.health()).toMatchObject({ ready: true, revocations: { stale: true } })

    vi.setSystemTime((NOW + 31) * 1000)
    const rejected = await callWith(token)
    expect(rejected).toMatchObject({
      ok: false,
      status: 503,
      error: 'temporarily_unavailable',
      headers: { 'Retry-After': '1' },
    })
    expect(rejected.ok || rejected.headers).not.toHaveProperty('WWW-Authenticate')
    expect(await gateway.health()).toMatchObject({ ready: false, revocations: { stale: true } })
    await vi.advanceTimersByTimeAsync(1000)
    expect(onEnd.mock.calls).toEqual([['stale']])

    await makeFresh()
    await expectAccepted(token)
    expect(await gateway.health()).toMatchObject({ ready: true, revocations: { stale: false } })
  })
})

describe('a suspended process', () => {
  it('a resumed process rejects tokens until its revocations are fresh', async () => {
    await setUp({ whenStale: 'reject' })
    const token = await issuer.mint({ exp: NOW + 86_400 })
    await expectAccepted(token)
    answer = () => new Promise(() => {})
    // While a machine sleeps, the wall clock runs and the monotonic clock does not.
    vi.setSystemTime((NOW + 7200) * 1000)
    const call = callWith(token)
    await vi.advanceTimersByTimeAsync(2000)
    expect(await call).toMatchObject({ ok: false, status: 503 })
    expect(await gateway.health()).toMatchObject({ ready: false, revocations: { stale: true } })
  })

  it('a process whose monotonic clock jumped past maxStalenessSeconds rejects tokens until its revocations are fresh', async () => {
    await setUp({ whenStale: 'reject' })
    const token = await issuer.mint()
    await expectAccepted(token)
    const steady = vi.spyOn(performance, 'now')
    const later = performance.now() + 31_000
    steady.mockImplementation(() => later)
    expect(await callWith(token)).toMatchObject({ ok: false, status: 503 })
    steady.mockRestore()
    await expectAccepted(token)
  })
})

describe('the health of revocations', () => {
  it('health() returns a report while the gateway cannot start, and after close()', async () => {
    await setUp()
    answer = unavailable
    const unknown = { enabled: true, stale: true, ageSeconds: undefined, count: 0 }
    expect(await gateway.health()).toMatchObject({ ready: false, revocations: unknown })
    await gateway.close()
    expect(await gateway.health()).toMatchObject({ ready: false })
  })
})

describe('gateway.watch()', () => {
  it('closing the gateway ends all watches', async () => {
    await setUp()
    const onEnd = vi.fn()
    gateway.watch(await expectAccepted(await issuer.mint()), onEnd)
    await gateway.close()
    expect(onEnd.mock.calls).toEqual([['closed']])
  })

  it('watch() works in a handler that knows only ctx.state.auth, behind middleware() and requireScope()', async () => {
    await setUp()
    const app = new Koa()
    const onEnd = vi.fn()
    app.use(gateway.middleware()).use(gateway.requireScope('invoices:read'))
    app.use((ctx) => {
      gateway.watch(ctx.state['auth'], onEnd)
      ctx.body = 'accepted'
    })
    const token = await issuer.mint({ jti: 'token-1' })
    // The second call finds the token in the cache.
    for (const _ of [1, 2]) {
      await request(app.callback())
        .get('/api/invoices/list')
        .set('authorization', `Bearer ${token}`)
        .expect(200)
    }
    revoked.add([{ of: 'token', id: 'token-1', until: UNTIL }])
    await vi.advanceTimersByTimeAsync(10)
    expect(onEnd.mock.calls).toEqual([['revoked'], ['revoked']])
  })

  it('watch() throws ERR_INVALID_ARGUMENT for anything but a principal of this gateway and a function', async () => {
    await setUp()
    const principal = await expectAccepted(await issuer.mint())
    const { watch } = gateway
    const other = await createTestGateway()
    const headers = { authorization: `Bearer ${await other.issuer.mint()}` }
    const foreign = await other.gateway.authenticate({ method: 'GET', url: '/api/invoices/list', headers })
    if (!foreign.ok) throw new Error(foreign.body)
    for (const wrong of [undefined, null, 'token', {}, { ...principal }, foreign.principal]) {
      expect(() => watch(wrong as Principal, () => {})).toThrow(
        expect.objectContaining({
          code: 'ERR_INVALID_ARGUMENT',
          problems: [expect.objectContaining({ path: 'principal' })],
        }),
      )
    }
    for (const wrong of [undefined, null, 'onEnd', {}]) {
      expect(() => watch(principal, wrong as never)).toThrow(
        expect.objectContaining({
          code: 'ERR_INVALID_ARGUMENT',
          problems: [expect.objectContaining({ path: 'onEnd' })],
        }),
      )
    }
  })
})
