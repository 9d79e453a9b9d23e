import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { Gateway } from 'koa-gatehouse/gateway'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { faultyStore } from '../../support/faulty-store.ts'
import { startHost } from '../../support/host.ts'
import { call, principalOf, startWithGateways, type HostAndGateways } from './gateway-setup.ts'

type Key = HostAndGateways['resourceServer']

const POLL = { pollIntervalSeconds: 1 }
/** The responses to requests of gateways that have not arrived yet. */
let pending = 0
/** What answers the requests for revocations in place of the authorization service. */
let instead: (() => Response) | undefined

/** The gateways poll by a clock that only `pass()` moves. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: Date.now() })
  const { fetch } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...args) => {
    pending += 1
    try {
      const isPoll = args[0] instanceof URL && args[0].pathname.endsWith('/oauth2/revocations')
      const response = isPoll && instead ? instead() : await fetch(...args)
      const { status, headers } = response
      const body = await response.arrayBuffer()
      return new Response(body.byteLength > 0 ? body : null, { status, headers })
    } finally {
      pending -= 1
    }
  })
})
afterEach(() => {
  instead = undefined
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Lets time pass. Each poll ends before time goes on. */
async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 10; step += 1) {
    await vi.advanceTimersByTimeAsync(100)
    while (pending > 0) await delay(1)
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  }
}

async function checkOf(gateway: Gateway) {
  const { checks } = await gateway.health()
  return checks.find(({ name }) => name === 'revocations')
}

const UNAVAILABLE = { ok: false, status: 503, headers: { 'Retry-After': '1' } }

describe('staleness of a gateway in another process', () => {
  let all: HostAndGateways
  let key: Key
  let token: string
  beforeEach(async () => {
    const store = memoryStore()
    all = await startWithGateways(() => store)
    key = all.resourceServer
    token = await all.directToken()
  })
  afterEach(async () => {
    vi.useRealTimers()
    await all.close()
  })

  const keys = () => all.host.gatehouse.apiKeys
  const ENDS: [string, string, (gateway: Gateway) => Promise<(() => Promise<unknown>) | undefined>][] = [
    [
      'has expired',
      '401 invalid_client',
      async () => {
        await keys().update(key.clientId, { expiresAt: Math.floor(Date.now() / 1000) + 2 })
        await pass(2)
        return () => keys().update(key.clientId, { expiresAt: null })
      },
    ],
    [
      'is disabled',
      '401 invalid_client',
      async () => {
        await keys().disable(key.clientId)
        return () => keys().enable(key.clientId)
      },
    ],
    [
      'is no resource server any more',
      '403 unauthorized_client',
      async () => {
        await keys().setResourceServer(key.clientId, false)
        return () => keys().setResourceServer(key.clientId, true)
      },
    ],
    [
      'is deleted',
      '401 invalid_client',
      async () =>
        keys()
          .delete(key.clientId)
          .then(() => undefined),
    ],
    [
      'has another secret',
      '401 invalid_client',
      async () => void (await keys().rotateSecret(key.clientId, { overlapSeconds: 0 })),
    ],
  ]

  it.each(ENDS)(
    'a gateway whose API key %s answers 503 three polls later, and serves again a poll after the key is mended',
    async (_, answer, end) => {
      const gateway = all.open({ ...key, ...POLL })
      const events: string[] = []
      for (const name of ['revocations.stale', 'revocations.fresh'] as const)
        gateway.on(name, () => events.push(name))
      await principalOf(gateway, token)
      const mend = await end(gateway)
      await all.host.gatehouse.tokens.revoke(token)
      await pass(1)
      // The check fails at once, while calls are still accepted.
      expect(await checkOf(gateway)).toMatchObject({
        status: 'fail',
        message: expect.stringContaining(key.clientId),
      })
      await principalOf(gateway, token)
      await pass(3)
      expect(await call(gateway, token)).toMatchObject(UNAVAILABLE)
      expect(await gateway.health()).toMatchObject({ ready: false, status: 'fail' })
      // Polls go on, and the log stays quiet.
      await pass(3)
      const causes = all.log.mock.calls.map(([details]) => String((details as { err?: Error }).err))
      expect(causes).toEqual([expect.stringContaining(`${key.clientId} (${answer})`)])
      expect(causes.join()).not.toContain(key.clientSecret)
      expect(events).toEqual(['revocations.stale'])
      if (!mend) return
      await mend()
      await pass(1)
      expect(await checkOf(gateway)).toMatchObject({ status: 'pass' })
      expect(await call(gateway, token)).toMatchObject({ status: 401 })
      await principalOf(gateway, await all.directToken())
      expect(events).toEqual(['revocations.stale', 'revocations.fresh'])
    },
  )

  it.each<[string, () => Promise<Key>, string]>([
    ['a wrong secret', async () => ({ ...key, clientSecret: 'wrong' }), 'revocations.clientSecret'],
    [
      'an unknown API key',
      async () => ({ clientId: 'unknown', clientSecret: 'a secret' }),
      'revocations.clientId',
    ],
    [
      'an API key that is not a resource server',
      async () => {
        await keys().setResourceServer(key.clientId, false)
        return key
      },
      'setResourceServer',
    ],
  ])(
    'a gateway that starts with %s answers 503, its log names the remedy, and it starts once the key is mended',
    async (_, credentialsOf, hint) => {
      const credentials = await credentialsOf()
      const gateway = all.open({ ...credentials, ...POLL })
      await expect(gateway.ready()).rejects.toMatchObject({
        code: 'ERR_NOT_READY',
        message: expect.stringContaining(hint),
      })
      for (let times = 0; times < 3; times += 1) expect(await call(gateway, token)).toMatchObject(UNAVAILABLE)
      const { ready, revocations, checks } = await gateway.health()
      expect([ready, revocations.stale]).toEqual([false, true])
      expect(checks).toContainEqual(expect.objectContaining({ name: 'start', status: 'fail' }))
      const logged = all.log.mock.calls.map(([details]) => (details as { reason: string }).reason)
      expect(logged).toEqual([expect.stringContaining(hint)])
      expect(logged.join()).not.toContain(credentials.clientSecret)
      if (credentials !== key) return
      await keys().setResourceServer(key.clientId, true)
      await pass(1)
      await principalOf(gateway, token)
    },
  )

  it('a secret rotated with an overlap, a 401 and a 403 of another form, and an outage of ten polls change nothing', async () => {
    const gateway = all.open({ ...key, ...POLL })
    await principalOf(gateway, token)
    await keys().rotateSecret(key.clientId, { overlapSeconds: 3600 })
    await pass(5)
    expect(await checkOf(gateway)).toMatchObject({ status: 'pass' })
    for (const answer of [
      () => new Response('{"error":"unauthorized"}', { status: 401 }),
      () => new Response('<h1>403 Forbidden</h1>', { status: 403 }),
      () => {
        throw new TypeError('fetch failed')
      },
    ]) {
      instead = answer
      await pass(10)
      expect(await checkOf(gateway)).toMatchObject({ status: 'warn' })
      await principalOf(gateway, token)
    }
    instead = undefined
    await all.host.gatehouse.tokens.revoke(token)
    await pass(1)
    expect(await call(gateway, token)).toMatchObject({ status: 401 })
  })

  it("with whenStale: 'reject', a stale gateway answers 503, and serves again once it is fresh", async () => {
    const faulty = faultyStore(all.sameStore())
    const stale = { whenStale: 'reject', maxStalenessSeconds: 2 } as const
    const gateway = all.open({ store: faulty.store, ...POLL, ...stale })
    await principalOf(gateway, token)
    faulty.goAway()
    await pass(1)
    await principalOf(gateway, token)
    await pass(2)
    expect(await call(gateway, token)).toMatchObject(UNAVAILABLE)
    expect(await gateway.health()).toMatchObject({ ready: false, revocations: { stale: true } })
    faulty.comeBack()
    await pass(6)
    await principalOf(gateway, token)
  })
})

it('when the store fails, the gateway inside a host also emits revocations.stale, and its health reports that the revocations are stale', async () => {
  const faulty = faultyStore(memoryStore())
  const host = await startHost({ store: faulty.store, gatehouse: { revocations: POLL } })
  const { gatehouse } = host
  await gatehouse.ready()
  const received: string[] = []
  gatehouse.on('revocations.stale', () => received.push('gatehouse'))
  gatehouse.gateway.on('revocations.stale', () => received.push('gateway'))
  faulty.goAway()
  await pass(1)
  expect(received.toSorted()).toEqual(['gatehouse', 'gateway'])
  expect(await gatehouse.gateway.health()).toMatchObject({
    ready: true,
    revocations: { enabled: true, stale: true, count: 0 },
  })
  faulty.comeBack()
  vi.useRealTimers()
  await host.close()
})
