// Also runs on: Redis
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { compileHostProgram, type HostProcessOptions, type HostProgram } from '../../support/host-process.ts'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachShared, describeEachStore } from '../../support/stores.ts'

type Answer = Awaited<ReturnType<Host['token']>>
type Client = Awaited<ReturnType<Host['createApplication']>>

const PARALLEL = 50
const REUSED = ['code.reused', 'refresh_token.reused'] as const

/**
 * Sends one request many times in parallel, and asserts that exactly one request succeeds. `send` gets the
 * index of each request.
 */
async function race(send: (index: number) => Promise<Answer>): Promise<{ winner: Answer; losers: Answer[] }> {
  const answers = await Promise.all(Array.from({ length: PARALLEL }, (_, index) => send(index)))
  const winners = answers.filter(({ status }) => status === 200)
  const losers = answers.filter(({ status }) => status !== 200)
  expect(winners).toHaveLength(1)
  expect(losers).toHaveLength(PARALLEL - 1)
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

/** The fast path leaves such a request to oidc-provider. */
const THROUGH_PROVIDER = { 'content-type': 'application/x-www-form-urlencoded; x=y' }

const random = (bytes: number) => randomBytes(bytes).toString('base64url')

describeEachStore('one-time use of codes and refresh tokens', (makeStore) => {
  let host: Host
  let client: Client
  let reused: ReturnType<typeof recordReuse>

  const refresh = (token: unknown, by = client) => host.token(refreshing(by, token))

  beforeEach(async () => {
    host = await startHost({ store: makeStore() })
    client = await host.createApplication()
    reused = recordReuse(host)
  })
  afterEach(() => host.close())

  it(`one of ${PARALLEL} parallel exchanges of one code succeeds, and the other exchanges revoke its tokens`, async () => {
    const { code } = await authorize(host, client.client_id)
    const { winner } = await race(() => host.token(exchanging(client, code)))
    expectInvalidGrant(await refresh(winner.body['refresh_token']))
    expect(new Set(reused.map(({ name }) => name))).toEqual(new Set(['code.reused']))
    expect(reused[0]).toMatchObject({ clientId: client.client_id, accountId: 'alice' })
  })

  it.each([
    ['the fast path', () => ({})],
    ['oidc-provider', () => THROUGH_PROVIDER],
    ['both', (index: number) => (index % 2 === 0 ? {} : THROUGH_PROVIDER)],
  ])(
    `one of ${PARALLEL} parallel exchanges of one refresh token through %s succeeds, and the other exchanges revoke the family`,
    async (_way, headersOf) => {
      const { refresh_token } = await connect(host, client)
      const { winner } = await race((index) =>
        host.token(refreshing(client, refresh_token), headersOf(index)),
      )
      expect(winner.body['refresh_token']).not.toBe(refresh_token)
      expectInvalidGrant(await refresh(winner.body['refresh_token']))
      expect(new Set(reused.map(({ name }) => name))).toEqual(new Set(['refresh_token.reused']))
      const event = {
        clientId: client.client_id,
        accountId: 'alice',
        afterSeconds: expect.any(Number) as number,
      }
      for (const each of reused) expect(each).toMatchObject(event)
    },
  )

  it('a refresh token that another client sends is rejected, and its family stays valid', async () => {
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
    const first = await connect(host, client)
    const second = await refresh(first.refresh_token)
    const used = first.refresh_token
    const current = String(second.body['refresh_token'])
    const forged = {
      'of an unknown family': forge(current, { grantId: random(16) }),
      'of the current generation with other randomness': forge(current, { random: random(32) }),
      'of the current generation with another mac': forge(current, { mac: random(16) }),
      'of an older generation with another mac': forge(used, { mac: random(16) }),
      'of an older generation with other randomness': forge(used, { random: random(32) }),
      'of the current generation, changed to the first generation': forge(current, { generation: '0' }),
      'of a future generation': forge(current, { generation: '7' }),
      'with a line feed at the end': `${current}\n`,
      'with a family id that looks like a stored key': forge(current, { grantId: '../signing-keys:ring' }),
      'a JSON Web Token': String(second.body['access_token']),
      '10,000 characters': 'x'.repeat(10_000),
    }
    for (const [what, token] of Object.entries(forged)) {
      const { status, body } = await refresh(token)
      expect({ what, status, error: body['error'] }).toEqual({ what, status: 400, error: 'invalid_grant' })
    }
    expect(reused).toEqual([])
    expect((await refresh(current)).status).toBe(200)
  })
})

describeEachShared('one-time use of codes and refresh tokens, with two processes', (deploy, deployment) => {
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

    it(`one of ${PARALLEL} parallel exchanges of one code at two processes succeeds, and its tokens are revoked`, async () => {
      const { firstHost, client, send, events } = service
      const { code } = await authorize(firstHost, client.client_id)
      const { winner } = await race(send(exchanging(client, code)))
      expectInvalidGrant(await send(refreshing(client, winner.body['refresh_token']))(0))
      expectInvalidGrant(await send(refreshing(client, winner.body['refresh_token']))(1))
      await vi.waitFor(() => expect(events()).toContain('code.reused'))
    })

    it(`one of ${PARALLEL} parallel exchanges of one refresh token at two processes succeeds, and its family is revoked`, async () => {
      const { firstHost, client, send, events } = service
      const { refresh_token } = await connect(firstHost, client)
      const { winner } = await race(send(refreshing(client, refresh_token)))
      expect(winner.body['refresh_token']).not.toBe(refresh_token)
      expectInvalidGrant(await send(refreshing(client, winner.body['refresh_token']))(0))
      expectInvalidGrant(await send(refreshing(client, winner.body['refresh_token']))(1))
      await vi.waitFor(() => expect(events()).toContain('refresh_token.reused'))
    })
  })

  it(`with a grace period, ${PARALLEL} parallel exchanges of one refresh token succeed with the same next token`, async () => {
    const { firstHost, secondProcess, client, send, events, close } = await open({
      // Longer than a busy machine needs for all requests.
      refreshTokenGraceSeconds: 60,
    })
    try {
      const { refresh_token } = await connect(firstHost, client)
      const sendOnce = send(refreshing(client, refresh_token))
      const answers = await Promise.all(Array.from({ length: PARALLEL }, (_, index) => sendOnce(index)))
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(PARALLEL).fill(200))
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
