// Also runs on: Redis
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLimits, type Limits, type LimitsOptions } from '../../../src/limits.ts'
import { createUsage } from '../../../src/usage.ts'
import { faultyStore } from '../../support/faulty-store.ts'
import { connect, startHost, type Host, type Tokens } from '../../support/host.ts'
import { connectPublic, createPublicApplication } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('limits of API calls', (makeStore) => {
  const hosts: Host[] = []
  const limits: Limits[] = []
  let data: string
  beforeEach(() => void (data = crypto.randomUUID()))
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((each) => each.close()))
    vi.restoreAllMocks()
  })

  /** Replaces the monotonic clock by one that `pass` sets forward. Timers and the clock of the store are not changed. */
  function controlClock(): { pass(milliseconds: number): void } {
    const now = performance.now.bind(performance)
    let passed = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now() + passed)
    return { pass: (milliseconds) => void (passed += milliseconds) }
  }

  async function start(options: LimitsOptions = {}, store = makeStore(data), gatehouse = {}): Promise<Host> {
    const host = await startHost({
      store,
      gatehouse,
      mount(app, gatehouse) {
        limits.push(createLimits(gatehouse, options))
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
      },
    })
    hosts.push(host)
    return host
  }

  async function newClient(at: Host) {
    const key = await at.createApiKey(['invoices'])
    const token = async (host: Host) => String((await host.requestDirectToken(key)).body['access_token'])
    return { clientId: key.client_id, token }
  }
  const list = (host: Host, token: string) => host.call('GET /invoices/list', token)

  it('callsOf says what the store has counted for each limit of the client, and nothing while the store cannot say it', async () => {
    const faulty = faultyStore(makeStore(data))
    const host = await start({ perMinute: 3, perDay: 100 }, faulty.store)
    const client = await newClient(host)
    const token = await client.token(host)
    const [own] = limits.splice(0)
    const { clientId } = client
    expect(await own?.callsOf({ clientId })).toEqual({ perMinute: 0, perDay: 0 })
    for (let call = 0; call < 5; call += 1) await list(host, token)
    // A place that the store gave to a call of a window that was full is kept for the next call.
    const perDay = expect.toSatisfy((calls: number) => calls === 3 || calls === 4) as number
    await vi.waitFor(async () => expect(await own?.callsOf({ clientId })).toEqual({ perMinute: 3, perDay }))
    expect(await own?.callsOf({ clientId, limits: { perMinute: 7 } })).toEqual({ perMinute: 3 })
    expect(await own?.callsOf({ clientId, limits: {} })).toEqual({})
    faulty.goAway()
    expect(await own?.callsOf({ clientId })).toBeUndefined()
    faulty.comeBack()
  })

  it('answers 429 with a problem, Retry-After, RateLimit and RateLimit-Policy beyond the limit', async () => {
    const host = await start({ perMinute: 3, perDay: 100 })
    const token = await (await newClient(host)).token(host)
    const answers = []
    for (let call = 0; call < 5; call += 1) answers.push(await list(host, token))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429])
    const policy = '"minute";q=3;w=60, "day";q=100;w=86400'
    expect(answers[0]?.headers.get('RateLimit-Policy')).toBe(policy)
    expect(answers[0]?.headers.get('RateLimit')).toMatch(/^"minute";r=2;t=\d+, "day";r=99;t=\d+$/)
    const { headers, body } = answers[4]!
    expect(headers.get('RateLimit-Policy')).toBe(policy)
    expect(headers.get('RateLimit')).toMatch(/^"minute";r=0;t=\d+, "day";r=97;t=\d+$/)
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(60)
    expect(headers.get('Content-Type')).toContain('application/problem+json')
    expect(body).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Too many calls',
      status: 429,
      'violated-policies': ['minute'],
      error: 'too_many_requests',
      error_description: expect.any(String) as string,
    })
  })

  it('one user of a public application may use a quarter of its limit in all processes together, and another user notices nothing', async () => {
    const options = { perMinute: 400 }
    const one = await start(options, makeStore(data), { publicApplications: true })
    const { issuer, audience } = one
    const two = await start(options, makeStore(data), { publicApplications: true, issuer, audience })
    const client_id = await createPublicApplication(one)
    const [bob, alice] = [
      await connectPublic(one, client_id, { user: 'bob' }),
      await connectPublic(one, client_id),
    ]
    const callAs = async ({ access_token }: Tokens, calls: number) => {
      const statuses: number[] = []
      for (let at = 0; at < calls; at += 2) {
        const answers = await Promise.all([one, two].map((host) => list(host, access_token)))
        statuses.push(...answers.map(({ status }) => status))
      }
      return statuses
    }
    const statuses = await callAs(bob, 140)
    const accepted = statuses.filter((status) => status === 200).length
    expect(accepted).toBeGreaterThanOrEqual(100)
    // Two leases of each process, and a lease is 1/40 of the share.
    expect(accepted).toBeLessThanOrEqual(100 + 2 * 2 * 2)
    expect(statuses.slice(-20)).toEqual(Array.from({ length: 20 }, () => 429))
    expect((await callAs(alice, 90)).every((status) => status === 200)).toBe(true)
    const { headers } = await list(one, alice.access_token)
    expect(headers.get('RateLimit-Policy')).toBe('"minute";q=100;w=60')
    expect(headers.get('RateLimit')).toMatch(/^"minute";r=1?\d;t=\d+$/)
  })

  it.each([
    [undefined, 'q=8;', [200, 200, 200, 200]],
    [0.3, 'q=3;', [200, 200, 200, 429]],
  ])('users of an application with a secret have a share of %s', async (perUser, policy, expected) => {
    const host = await start({ perMinute: 8, ...(perUser !== undefined && { perUser }) })
    const client = await host.createApplication()
    const { access_token } = await connect(host, client)
    const answers = []
    for (const _ of expected) answers.push(await list(host, access_token))
    expect(answers.map(({ status }) => status)).toEqual(expected)
    expect(answers[0]?.headers.get('RateLimit-Policy')).toContain(policy)
    if (perUser === undefined) return
    const other = await connect(host, client, { user: 'bob' })
    expect((await list(host, other.access_token)).status).toBe(200)
  })

  it('counts accepted calls only: calls that are rejected for another reason use up nothing', async () => {
    const host = await start({ perMinute: 2 })
    const token = await (await newClient(host)).token(host)
    for (let call = 0; call < 5; call += 1) {
      expect((await host.call('GET /payments/list', token)).status).toBe(403)
      expect((await list(host, `${token}x`)).status).toBe(401)
    }
    expect((await list(host, token)).status).toBe(200)
    expect((await list(host, token)).status).toBe(200)
    expect((await list(host, token)).status).toBe(429)
  })

  it('each client has its own limit, and setLimits() replaces the default for one client', async () => {
    const host = await start({ perMinute: 2 })
    const [one, other] = [await newClient(host), await newClient(host)]
    await host.gatehouse.apiKeys.setLimits(other.clientId, { perMinute: 5 })
    const counts: number[] = []
    for (const { token } of [one, other]) {
      const own = await token(host)
      const statuses = []
      for (let call = 0; call < 7; call += 1) statuses.push((await list(host, own)).status)
      counts.push(statuses.filter((status) => status === 200).length)
    }
    expect(counts).toEqual([2, 5])
    expect((await host.gatehouse.apiKeys.find(other.clientId))?.limits).toEqual({ perMinute: 5 })
    await host.gatehouse.apiKeys.setLimits(other.clientId, null)
    expect((await host.gatehouse.apiKeys.find(other.clientId))?.limits).toBeUndefined()
  })

  it('a changed limit applies within seconds, while calls run', async () => {
    const host = await start()
    const client = await newClient(host)
    const token = await client.token(host)
    expect((await list(host, token)).headers.has('RateLimit')).toBe(false)
    const clock = controlClock()
    /** The seconds after which calls, five in a second, are answered with the status. */
    const secondsUntil = async (status: number) => {
      for (let calls = 0; calls < 100; calls += 1) {
        if ((await list(host, token)).status === status) return calls / 5
        clock.pass(200)
      }
      return Infinity
    }
    await host.gatehouse.apiKeys.setLimits(client.clientId, { perMinute: 1 })
    expect(await secondsUntil(429)).toBeLessThan(8)
    await host.gatehouse.apiKeys.setLimits(client.clientId, { perMinute: 1000 })
    expect(await secondsUntil(200)).toBeLessThan(8)
  }, 20_000)

  it('two processes together let pass the limit and at most four leases more, also for parallel calls', async () => {
    const limit = 80
    const [one, other] = [await start({ perMinute: limit }), await start({ perMinute: limit })]
    const client = await newClient(one)
    const tokens = [await client.token(one), await client.token(other)] as const
    const statuses: number[] = []
    // While this clock does not move, no call is over its time, and each waits for the store, however busy the machine is.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    for (let round = 0; round < 3; round += 1) {
      const calls = Array.from({ length: 60 }, (_, at) =>
        at % 2 === 0 ? list(one, tokens[0]) : list(other, tokens[1]),
      )
      statuses.push(...(await Promise.all(calls)).map(({ status }) => status))
    }
    const passed = statuses.filter((status) => status === 200).length
    expect(passed).toBeGreaterThanOrEqual(limit)
    // A lease is 1/40 of the limit, and each process has at most two.
    expect(passed).toBeLessThanOrEqual(limit + 4 * (limit / 40))
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
  }, 30_000)

  it('a client below its limit is never rejected, and most calls cost no round trip', async () => {
    const faulty = faultyStore(makeStore(data))
    const host = await start({ perMinute: 600 }, faulty.store)
    const token = await (await newClient(host)).token(host)
    await list(host, token)
    faulty.arm()
    for (let call = 0; call < 100; call += 1) expect((await list(host, token)).status).toBe(200)
    const counts = faulty.calls.filter((call) => call.startsWith('count'))
    expect(counts.length).toBeLessThan(14)
  }, 30_000)

  it('while the store is away, calls go on, and each process counts alone, as log, event and health() say', async () => {
    const faulty = faultyStore(makeStore(data))
    const host = await start({ perMinute: 10 }, faulty.store)
    const events: string[] = []
    host.gatehouse.on('limits.stale', () => events.push('stale'))
    host.gatehouse.on('limits.fresh', () => events.push('fresh'))
    const token = await (await newClient(host)).token(host)
    await list(host, token)
    const checkOf = async () => (await host.gatehouse.health()).checks.find(({ name }) => name === 'limits')
    const counts = makeStore(data).volatile ? 'counts calls alone' : 'are counted together'
    expect(await checkOf()).toMatchObject({
      status: 'pass',
      message: expect.stringContaining(counts) as string,
    })
    faulty.goAway()
    const statuses: number[] = []
    for (let call = 0; call < 15; call += 1) statuses.push((await list(host, token)).status)
    // A failed count may have been applied, so its calls are forgotten, until the store counts as unavailable.
    const passed = statuses.filter((status) => status === 200).length
    expect(passed).toBeGreaterThanOrEqual(9)
    expect(passed).toBeLessThanOrEqual(14)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(events).toEqual(['stale'])
    expect(await checkOf()).toMatchObject({ status: 'warn', remedy: expect.any(String) as string })
    faulty.comeBack()
    await host.gatehouse.apiKeys.list().catch(() => {})
    const clock = controlClock()
    await vi.waitFor(
      async () => {
        clock.pass(2000)
        await list(host, token)
        expect(events).toEqual(['stale', 'fresh'])
      },
      { timeout: 10_000, interval: 25 },
    )
  }, 20_000)

  it('while the store answers, but counts nothing, limits.fresh is not emitted', async () => {
    const store = makeStore(data)
    let isFull = false
    const count: typeof store.count = async (key, amount, options) => {
      if (isFull && (amount > 0 || options.claim > 0)) throw new Error('OOM command not allowed')
      return store.count!(key, amount, options)
    }
    const host = await start({ perMinute: 40 }, { ...store, count })
    const events: string[] = []
    host.gatehouse.on('limits.stale', () => events.push('stale'))
    host.gatehouse.on('limits.fresh', () => events.push('fresh'))
    const token = await (await newClient(host)).token(host)
    const clock = controlClock()
    isFull = true
    for (let call = 0; call < 4; call += 1) {
      await list(host, token)
      clock.pass(6000)
    }
    expect(events).toEqual(['stale'])
    isFull = false
    for (let call = 0; call < 4; call += 1) {
      await list(host, token)
      clock.pass(6000)
    }
    expect(events).toEqual(['stale', 'fresh'])
  })

  it('while the store is away for longer than clients are cached, each client keeps its own limits', async () => {
    const faulty = faultyStore(makeStore(data))
    const host = await start({ perMinute: 5 }, faulty.store)
    const client = await newClient(host)
    await host.gatehouse.apiKeys.setLimits(client.clientId, { perMinute: 100 })
    const token = await client.token(host)
    await list(host, token)
    faulty.goAway()
    const clock = controlClock()
    for (let call = 0; call < 40; call += 1) {
      const { status, headers } = await list(host, token)
      expect({ status, policy: headers.get('RateLimit-Policy') }).toEqual({
        status: 200,
        policy: '"minute";q=100;w=60',
      })
      clock.pass(300)
      await delay(10)
    }
    faulty.comeBack()
  }, 30_000)

  it('parallel calls through two processes pass the limit by no more than two leases each, whatever the limit', async () => {
    for (const limit of [1, 41]) {
      const [one, other] = [await start({ perMinute: limit }), await start({ perMinute: limit })]
      const client = await newClient(one)
      const tokens = [await client.token(one), await client.token(other)] as const
      const calls = Array.from({ length: 4 * limit + 20 }, (_, at) =>
        at % 2 === 0 ? list(one, tokens[0]) : list(other, tokens[1]),
      )
      const passed = (await Promise.all(calls)).filter(({ status }) => status === 200).length
      expect(passed).toBeGreaterThanOrEqual(limit)
      expect(passed).toBeLessThanOrEqual(limit + 4)
    }
  }, 30_000)

  it('a call that passes several guards is counted once, and authenticate() has the headers', async () => {
    const host = await startHost({
      store: makeStore(data),
      mount(app, gatehouse) {
        createLimits(gatehouse, { perMinute: 2 })
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        app.use(gatehouse.gateway.requireScope('invoices:read'))
      },
    })
    hosts.push(host)
    const token = await (await newClient(host)).token(host)
    expect((await list(host, token)).headers.get('RateLimit')).toContain('r=1;')
    const call = { method: 'GET', url: '/api/invoices/list', headers: { authorization: `Bearer ${token}` } }
    const accepted = await host.gatehouse.gateway.authenticate(call)
    expect(accepted).toMatchObject({ ok: true, headers: { 'RateLimit-Policy': '"minute";q=2;w=60' } })
    expect(await host.gatehouse.gateway.authenticate(call)).toMatchObject({
      ok: false,
      status: 429,
      reason: 'rate_limited',
    })
  })

  it('usage counts the calls beyond a limit for their client', async () => {
    const host = await startHost({
      store: makeStore(data),
      mount(app, gatehouse) {
        createLimits(gatehouse, { perMinute: 1 })
        const usage = createUsage(gatehouse, { intervalSeconds: 3600 })
        app.use(async (ctx, next) => {
          if (ctx.path === '/usage') {
            await usage.flush()
            ctx.body = await usage.list({ clientId: String(ctx.query['id']), by: ['outcome'] })
          } else await next()
        })
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
      },
    })
    hosts.push(host)
    const client = await newClient(host)
    const token = await client.token(host)
    for (let call = 0; call < 3; call += 1) await list(host, token)
    const rows = await (await fetch(`${host.origin}/usage?id=${client.clientId}`)).json()
    expect(rows).toContainEqual({ outcome: 'rate_limited', count: 2 })
    expect(rows).toContainEqual({ outcome: 'ok', count: 1 })
  })

  it('invalid limits are rejected, as options and for a client', async () => {
    const host = await startHost({ store: makeStore(data) })
    hosts.push(host)
    const key = await host.createApiKey()
    const invalid = [{ perMinute: 0 }, { perMinute: -1 }, { perDay: 1.5 }, { perHour: 5 }, { perMinute: '5' }]
    for (const options of invalid as LimitsOptions[]) {
      const rejection = expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }) as Error
      expect(() => createLimits(host.gatehouse, options), JSON.stringify(options)).toThrow(rejection)
      await expect(host.gatehouse.apiKeys.setLimits(key.client_id, options)).rejects.toEqual(rejection)
    }
  })
})
