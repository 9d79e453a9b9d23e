// Also runs on: Redis
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { compileHostProgram, type HostProcessOptions, type HostProgram } from '../../support/host-process.ts'
import { authorize, connect, startHost, type Host, type HostOptions } from '../../support/host.ts'
import { describeEachRedis, describeEachStore } from '../../support/stores.ts'

type Answer = Awaited<ReturnType<Host['token']>>
type Client = Awaited<ReturnType<Host['createApplication']>>

const PARALLEL = 100
const REUSED = ['code.reused', 'refresh_token.reused'] as const

/**
 * Sends one request many times in parallel, and asserts that exactly one request succeeds. `send` gets the
 * index of each request.
 */
async function race(
  send: (index: number) => Promise<Answer>,
  count = PARALLEL,
): Promise<{ winner: Answer; losers: Answer[] }> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => send(index)))
  const winners = answers.filter(({ status }) => status === 200)
  const losers = answers.filter(({ status }) => status !== 200)
  expect(winners).toHaveLength(1)
  expect(losers).toHaveLength(count - 1)
  for (const loser of losers) expectInvalidGrant(loser)
  return { winner: winners[0] as Answer, losers }
}

function expectInvalidGrant(answer: Answer): void {
  expect({ status: answer.status, error: answer.body['error'] }).toEqual({
    status: 400,
    error: 'invalid_grant',
  })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.text).not.toContain('_token":')
}

function refreshing(client: Client, token: unknown) {
  return { ...client, grant_type: 'refresh_token', refresh_token: String(token) }
}

function exchanging(client: Client, code: string) {
  return { ...client, grant_type: 'authorization_code', code }
}

/** Returns a list that records the events `code.reused` and `refresh_token.reused` of a host. */
function recordReuse(host: Host): { name: string; clientId: string; accountId: string; grantId: string }[] {
  const events: { name: string; clientId: string; accountId: string; grantId: string }[] = []
  for (const name of REUSED) host.gatehouse.on(name, (event) => events.push({ name, ...event }))
  return events
}

/** Changes parts of a refresh token, as an attacker who knows the format could do. */
function forge(token: string, change: Partial<Record<'grantId' | 'generation' | 'random' | 'mac', string>>) {
  const [grantId, generation, random, mac] = token.split('.')
  const parts = { grantId, generation, random, mac, ...change }
  return [parts.grantId, parts.generation, parts.random, parts.mac].join('.')
}

const random = (bytes: number) => randomBytes(bytes).toString('base64url')

describeEachStore('one-time use of codes and refresh tokens', (makeStore) => {
  let host: Host
  let client: Client
  let reused: ReturnType<typeof recordReuse>

  async function open(options: HostOptions = {}): Promise<void> {
    host = await startHost({ store: makeStore(), ...options })
    client = await host.createApplication()
    reused = recordReuse(host)
  }
  const refresh = (token: unknown, by = client) => host.token(refreshing(by, token))

  afterEach(() => host.close())

  it(`one of ${PARALLEL} parallel exchanges of one code succeeds, and the other exchanges revoke its tokens`, async () => {
    await open()
    const { code } = await authorize(host, client.client_id)
    const { winner } = await race(() => host.token(exchanging(client, code)))
    expectInvalidGrant(await refresh(winner.body['refresh_token']))
    expect(new Set(reused.map(({ name }) => name))).toEqual(new Set(['code.reused']))
    expect(reused[0]).toMatchObject({ clientId: client.client_id, accountId: 'alice' })
  })

  it(`one of ${PARALLEL} parallel exchanges of one refresh token succeeds, and the other exchanges revoke the family`, async () => {
    await open()
    const { refresh_token } = await connect(host, client)
    const { winner } = await race(() => refresh(refresh_token))
    expect(winner.body['refresh_token']).not.toBe(refresh_token)
    expectInvalidGrant(await refresh(winner.body['refresh_token']))
    expect(new Set(reused.map(({ name }) => name))).toEqual(new Set(['refresh_token.reused']))
    expect(reused[0]).toMatchObject({ clientId: client.client_id, accountId: 'alice' })
  })

  it('reusing a refresh token revokes its family, even if the token was exchanged several generations ago', async () => {
    await open()
    const first = await connect(host, client)
    let newest: unknown = first.refresh_token
    for (let round = 0; round < 3; round += 1) newest = (await refresh(newest)).body['refresh_token']
    expect(reused).toEqual([])
    expectInvalidGrant(await refresh(first.refresh_token))
    expect(reused).toHaveLength(1)
    expectInvalidGrant(await refresh(newest))
    expectInvalidGrant(await refresh(first.refresh_token))
    expect(reused).toHaveLength(1)
  })

  it('reusing a code revokes the refresh token family that its first use started', async () => {
    await open()
    const { code } = await authorize(host, client.client_id)
    const first = await host.token(exchanging(client, code))
    const second = await refresh(first.body['refresh_token'])
    expect(second.status).toBe(200)
    expectInvalidGrant(await host.token(exchanging(client, code)))
    expect(reused).toMatchObject([{ name: 'code.reused', clientId: client.client_id, accountId: 'alice' }])
    expectInvalidGrant(await refresh(second.body['refresh_token']))
    expectInvalidGrant(await host.token(exchanging(client, code)))
  })

  it('reusing a refresh token leaves other grants of the same application valid', async () => {
    await open()
    const [one, other] = [await connect(host, client), await connect(host, client)]
    await refresh(one.refresh_token)
    expectInvalidGrant(await refresh(one.refresh_token))
    expect((await refresh(other.refresh_token)).status).toBe(200)
  })

  it('a refresh token that another client sends is rejected, and its family stays valid', async () => {
    await open()
    const otherClient = await host.createApplication({ name: 'Stranger' })
    const first = await connect(host, client)
    expectInvalidGrant(await refresh(first.refresh_token, otherClient))
    const second = await refresh(first.refresh_token)
    expect(second.status).toBe(200)
    expectInvalidGrant(await refresh(first.refresh_token, otherClient))
    expectInvalidGrant(await refresh(second.body['refresh_token'], otherClient))
    expect(reused).toEqual([])
    expect((await refresh(second.body['refresh_token'])).status).toBe(200)
  })

  it('a code that another application sends is rejected before and after its use, and revokes nothing', async () => {
    await open()
    const otherClient = await host.createApplication({ name: 'Stranger' })
    const { code } = await authorize(host, client.client_id)
    expectInvalidGrant(await host.token(exchanging(otherClient, code)))
    const own = await host.token(exchanging(client, code))
    expect(own.status).toBe(200)
    expectInvalidGrant(await host.token(exchanging(otherClient, code)))
    expect(reused).toEqual([])
    expect((await refresh(own.body['refresh_token'])).status).toBe(200)
  })

  it('forged refresh tokens are rejected, and revoke nothing', async () => {
    await open()
    const first = await connect(host, client)
    const second = await refresh(first.refresh_token)
    const used = first.refresh_token
    const current = String(second.body['refresh_token'])
    const macOf = (body: string) => createHmac('sha256', 'guessed').update(body).digest('base64url')
    const forged = {
      'of an unknown family': forge(current, { grantId: random(16) }),
      'of the current generation with other randomness': forge(current, { random: random(32) }),
      'of the current generation with another mac': forge(current, { mac: random(16) }),
      'of an older generation with another mac': forge(used, { mac: random(16) }),
      'of an older generation, signed with a guessed key': forge(used, {
        mac: macOf(used.slice(0, used.lastIndexOf('.'))).slice(0, 22),
      }),
      'of an older generation with other randomness': forge(used, { random: random(32) }),
      'of the current generation, changed to the first generation': forge(current, { generation: '0' }),
      'of a future generation': forge(current, { generation: '7' }),
      'of a generation that is too large for a number': forge(current, { generation: '9'.repeat(30) }),
      'of a negative generation': forge(used, { generation: '-1' }),
      'with a leading zero in the generation': forge(used, { generation: '00' }),
      'with a line feed at the end': `${current}\n`,
      'with a family id that looks like a stored key': forge(current, {
        grantId: '../signing-keys:ring',
      }),
      garbage: 'garbage',
      dots: '....',
      'a JSON Web Token': second.body['access_token'] as string,
      '10,000 characters': 'x'.repeat(10_000),
      'with a family id of 10,000 characters': forge(current, { grantId: 'a'.repeat(10_000) }),
    }
    for (const [what, token] of Object.entries(forged)) {
      const { status, body } = await refresh(token)
      expect({ what, status, error: body['error'] }).toEqual({ what, status: 400, error: 'invalid_grant' })
    }
    expect(reused).toEqual([])
    expect((await refresh(current)).status).toBe(200)
  })

  it('after a rotation of the option `secret`, current refresh tokens work, and the reuse of used refresh tokens is detected', async () => {
    const data = randomUUID()
    const [before, after] = [
      'the secret of yesterday, 32 bytes and more',
      'the secret of today, 32 bytes and more',
    ]
    await open({ store: makeStore(data), secret: before })
    const [one, other] = [await connect(host, client), await connect(host, client)]
    const { issuer, audience } = host
    const used = one.refresh_token
    const current = (await refresh(used)).body['refresh_token']
    await host.close()

    host = await startHost({
      store: makeStore(data),
      gatehouse: { issuer, audience, secret: [after, before] },
    })
    reused = recordReuse(host)
    const next = await refresh(current)
    expect(next.status).toBe(200)
    expectInvalidGrant(await refresh(used))
    expect(reused).toMatchObject([{ name: 'refresh_token.reused' }])
    expectInvalidGrant(await refresh(next.body['refresh_token']))
    expect((await refresh(other.refresh_token)).status).toBe(200)
  })
})

describeEachRedis('one-time use of codes and refresh tokens, with two processes', (deploy, deployment) => {
  let program: HostProgram
  beforeAll(async () => {
    program = await compileHostProgram()
  })
  afterAll(() => program?.remove())

  /** Starts a service of two processes. The first process is the process of this test. */
  async function open(options: Pick<HostProcessOptions, 'refreshTokenGraceSeconds'> = {}) {
    const data = randomUUID()
    // Many parallel requests can keep a slow machine busy for longer than the default timeout of the store.
    const gatehouse = { ...options, storeTimeoutMs: 20_000 }
    const firstHost = await startHost({ store: deploy(data), gatehouse })
    const { issuer, audience } = firstHost
    const secondProcess = await program.start({
      deployment,
      keyPrefix: `${data}:`,
      issuer,
      audience,
      ...gatehouse,
    })
    const client = await firstHost.createApplication()
    const reused = recordReuse(firstHost)
    return {
      firstHost,
      secondProcess,
      client,
      /**
       * Sends requests with an even index to the first process, and requests with an odd index to the second
       * process.
       */
      send: (body: Record<string, string>) => (index: number) =>
        index % 2 === 0
          ? firstHost.token(body)
          : firstHost.post(`${secondProcess.address}/oauth2/token`, body),
      /** The events of both processes. */
      events: () => [...reused.map(({ name }) => name), ...secondProcess.events],
      async close() {
        await secondProcess.stop()
        await firstHost.close()
      },
    }
  }

  describe('two processes without a grace period', () => {
    let service: Awaited<ReturnType<typeof open>>
    beforeAll(async () => {
      service = await open()
    })
    afterAll(() => service?.close())

    it('one of 200 parallel exchanges of one code at two processes succeeds, and its tokens are revoked', async () => {
      const { firstHost, client, send, events } = service
      const { code } = await authorize(firstHost, client.client_id)
      const { winner } = await race(send(exchanging(client, code)), 200)
      expectInvalidGrant(await send(refreshing(client, winner.body['refresh_token']))(0))
      expectInvalidGrant(await send(refreshing(client, winner.body['refresh_token']))(1))
      await vi.waitFor(() => expect(events()).toContain('code.reused'))
    })

    it('one of 1,000 parallel exchanges of one refresh token at two processes succeeds, and its family is revoked', async () => {
      const { firstHost, client, send, events } = service
      const { refresh_token } = await connect(firstHost, client)
      const { winner } = await race(send(refreshing(client, refresh_token)), 1000)
      expect(winner.body['refresh_token']).not.toBe(refresh_token)
      expectInvalidGrant(await send(refreshing(client, winner.body['refresh_token']))(0))
      expectInvalidGrant(await send(refreshing(client, winner.body['refresh_token']))(1))
      await vi.waitFor(() => expect(events()).toContain('refresh_token.reused'))
    }, 60_000)

    it('a process exchanges refresh tokens that another process issued, and both processes detect a reuse', async () => {
      const { firstHost, client, send } = service
      const { code } = await authorize(firstHost, client.client_id)
      const first = await send(exchanging(client, code))(1)
      expect(first.status).toBe(200)
      const second = await send(refreshing(client, first.body['refresh_token']))(0)
      expect(second.status).toBe(200)
      expectInvalidGrant(await send(refreshing(client, first.body['refresh_token']))(1))
      expectInvalidGrant(await send(refreshing(client, second.body['refresh_token']))(0))
    })
  })

  it('with a grace period, 200 parallel exchanges of one refresh token succeed with the same next token', async () => {
    const { firstHost, secondProcess, client, send, events, close } = await open({
      refreshTokenGraceSeconds: 10,
    })
    try {
      const { refresh_token } = await connect(firstHost, client)
      const sendOnce = send(refreshing(client, refresh_token))
      const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => sendOnce(index)))
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(200).fill(200))
      const [next, ...more] = new Set(answers.map(({ body }) => body['refresh_token']))
      expect(more).toEqual([])
      expect(next).not.toBe(refresh_token)
      await vi.waitFor(() => expect(secondProcess.events).toContain('refresh_token.retried'))
      // The family stays valid in both processes.
      const later = await send(refreshing(client, next))(1)
      expect(later.status).toBe(200)
      expect((await send(refreshing(client, later.body['refresh_token']))(0)).status).toBe(200)
      expect(events()).not.toContain('refresh_token.reused')
    } finally {
      await close()
    }
  })
})
