import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { authorize, startHost, type Host } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { startSlowLink, type SlowLink, type RoundTrip } from '../../support/round-trips.ts'

const DAY = 86_400_000

const NOTE = 'set client-usage'
const EXCHANGE = 'evalsha refresh-family'
/** Whether an account has many grants: what lists it has, and what is on them. */
const LIST = 'zrangebylex grants'
const READ_REFRESH = ['get grant', 'get refresh-family']

describeWithRedis('Round trips to Redis', () => {
  let server: RedisServer
  let way: SlowLink
  beforeAll(async () => {
    server = await startRedis()
    way = await startSlowLink(server)
  })
  afterAll(async () => {
    await way.close()
    await server.stop()
  })
  afterEach(() => void vi.useRealTimers())

  test('are counted: what waits for an answer is one more, what is sent together is not', async () => {
    const redis = new Redis(way.port)
    await redis.ping()
    const inTurn = async () => {
      await redis.get('x:one:1')
      await redis.get('x:two:1')
    }
    expect(await way.of(inTurn)).toEqual([['get one'], ['get two']])
    const together = () => Promise.all([redis.get('x:one:1'), redis.get('x:two:1')])
    expect(await way.of(together)).toEqual([['get one', 'get two']])
    redis.disconnect()
  })

  describe.each([
    { enableAutoPipelining: false, refreshTokenGraceSeconds: 0 },
    { enableAutoPipelining: true, refreshTokenGraceSeconds: 10 },
  ])('with %o', ({ enableAutoPipelining, refreshTokenGraceSeconds }) => {
    let redis: Redis
    let host: Host
    beforeAll(async () => {
      redis = new Redis(way.port, { enableAutoPipelining })
      const keyPrefix = `${enableAutoPipelining}:`
      host = await startHost({
        store: redisStore(redis, { keyPrefix }),
        gatehouse: { refreshTokenGraceSeconds, storeTimeoutMs: 5000 },
      })
      // Scripts are known to the server, and the store is marked as in use.
      await refresh(await connected())
    })
    afterAll(async () => {
      await host.close()
      redis.disconnect()
    })

    type Client = Awaited<ReturnType<Host['createApplication']>>
    type Connection = Awaited<ReturnType<typeof connected>>

    /** The round trips of a request to the token endpoint, which must succeed, and its answer. */
    async function token(client: Client, parameters: Record<string, string>) {
      let answer: Awaited<ReturnType<Host['token']>> | undefined
      const trips = await way.of(async () => (answer = await host.token({ ...client, ...parameters })))
      expect(answer).toMatchObject({ status: 200 })
      return { trips, body: answer?.body ?? {} }
    }

    /** A change of the client drops what is remembered of it. */
    const forget = ({ client_id }: Client, kind: 'apiKeys' | 'applications') =>
      host.gatehouse[kind].rename(client_id, `Renamed ${performance.now()}`)

    async function connected(client?: Client) {
      const application = client ?? (await host.createApplication())
      const { code } = await authorize(host, application.client_id, {
        parameters: { scope: 'openid invoices:read' },
      })
      const parameters = { grant_type: 'authorization_code', code }
      const { body } = await host.token({ ...application, ...parameters })
      return { client: application, body }
    }

    const refreshing = (body: Record<string, unknown>) => ({
      grant_type: 'refresh_token',
      refresh_token: String(body['refresh_token']),
    })

    async function refresh(connection: Connection): Promise<RoundTrip[]> {
      const { trips, body } = await token(connection.client, refreshing(connection.body))
      connection.body = body
      return trips
    }

    test('a direct token is none, and one more in the first of an hour; with a client that is not remembered one more', async () => {
      const key = await host.createApiKey()
      const direct = async () => (await token(key, { grant_type: 'client_credentials' })).trips
      expect(await direct()).toEqual([['get client'], [NOTE]])
      expect(await direct()).toEqual([])
      await forget(key, 'apiKeys')
      expect(await direct()).toEqual([['get client']])
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
      expect(await direct()).toEqual([[NOTE]])
    })

    const AFTER_THE_CODE = [
      ['evalsha grants', 'evalsha grants', 'get grant', LIST],
      ['evalsha grant', 'get consent-version', 'get consent-version'],
      [NOTE, 'set refresh-family', LIST],
    ]

    test.each([
      { redirectUris: ['http://localhost:9/callback'] },
      { redirectUris: ['http://localhost:9/callback', 'http://localhost:9/other'] },
    ])('a code exchange is four, with the note that the client got a token: %o', async (fields) => {
      const client = await host.createApplication(fields)
      const { code } = await authorize(host, client.client_id)
      const { trips } = await token(client, { grant_type: 'authorization_code', code })
      expect(trips).toEqual([['get code'], ...AFTER_THE_CODE])
    })

    test('also with a client that is not remembered', async () => {
      const client = await host.createApplication()
      const { code } = await authorize(host, client.client_id)
      await forget(client, 'applications')
      const { trips } = await token(client, { grant_type: 'authorization_code', code })
      expect(trips).toEqual([['get client', 'get code'], ...AFTER_THE_CODE])
    })

    test('a refresh is two, also with a client that is not remembered', async () => {
      const connection = await connected()
      expect(await refresh(connection)).toEqual([READ_REFRESH, [EXCHANGE]])
      await forget(connection.client, 'applications')
      expect(await refresh(connection)).toEqual([['get client', ...READ_REFRESH], [EXCHANGE]])
    })

    test('three on the day on which its grant is prolonged, and four where that changes its place in the list', async () => {
      const connection = await connected()
      const withNote = [EXCHANGE, NOTE]
      const now = Date.now()
      // Places cover thirty days each, so that within as many there are days of either kind.
      const trips: RoundTrip[][] = []
      for (let day = 2; day <= 32; day += 10) {
        vi.useFakeTimers({ toFake: ['Date'], now: now + day * DAY })
        trips.push(await refresh(connection))
      }
      const prolonged = [READ_REFRESH, ['evalsha grant'], withNote]
      const moved = [READ_REFRESH, ['evalsha grants', 'evalsha grants'], ['evalsha grant'], withNote]
      for (const each of trips) expect([prolonged, moved]).toContainEqual(each)
      expect(trips).toContainEqual(moved)
      expect(trips).toContainEqual(prolonged)
    })

    if (refreshTokenGraceSeconds > 0) {
      test('a refresh that is tried again is two', async () => {
        const connection = await connected()
        const again = { ...connection }
        await refresh(connection)
        expect(await refresh({ ...again })).toEqual([READ_REFRESH, [EXCHANGE]])
        expect(await refresh(again)).toEqual([READ_REFRESH, [EXCHANGE]])
        expect(again.body['refresh_token']).toBe(connection.body['refresh_token'])
      })
    }

    test('an API call is none', async () => {
      const { body } = await connected()
      const call = () => host.call('GET /invoices/list', String(body['access_token']))
      expect(await way.of(async () => expect(await call()).toMatchObject({ status: 200 }))).toEqual([])
    })

    test('user info and introspection are one, of a direct token none', async () => {
      const { client, body } = await connected()
      const ask = (credentials: Client, token: unknown) =>
        way.of(async () =>
          expect(
            await host.post('/oauth2/introspect', { ...credentials, token: String(token) }),
          ).toMatchObject({ status: 200, body: { active: true } }),
        )
      expect(await ask(client, body['access_token'])).toEqual([['get grant']])
      expect(await ask(client, body['refresh_token'])).toEqual([READ_REFRESH])
      const userInfo = () =>
        host.fetch(`${host.issuer}/oauth2/userinfo`, {
          headers: { authorization: `Bearer ${String(body['access_token'])}` },
        })
      expect(await way.of(async () => expect((await userInfo()).status).toBe(200))).toEqual([['get grant']])

      const key = await host.createApiKey()
      const direct = await host.token({ ...key, grant_type: 'client_credentials' })
      expect(await ask(key, direct.body['access_token'])).toEqual([])
    })

    test('a list of API keys or applications is two, and an empty one is one', async () => {
      for (const [kind, create] of [
        ['apiKeys', () => host.createApiKey()],
        ['applications', () => host.createApplication()],
      ] as const) {
        await create()
        await create()
        for (const list of [
          () => host.gatehouse[kind].listByOwner('acme', { limit: 2 }),
          () => host.gatehouse[kind].list({ limit: 2 }),
        ]) {
          const trips = await way.of(async () => expect((await list()).items).toHaveLength(2))
          expect(trips).toEqual([
            ['zrangebylex clients'],
            ['get client', 'get client', 'get client-usage', 'get client-usage'],
          ])
        }
        const empty = await way.of(() => host.gatehouse[kind].listByOwner('nobody'))
        expect(empty).toEqual([['zrangebylex clients']])
      }
    })

    test('strangers cause no more reads than they did: a refresh token that is not ours is looked up by nobody ahead', async () => {
      const { client, body } = await connected()
      const forged = String(body['refresh_token']).replace(/.{22}$/, 'A'.repeat(22))
      const trips = await way.of(async () =>
        expect(
          await host.token({ ...client, grant_type: 'refresh_token', refresh_token: forged }),
        ).toMatchObject({ status: 400, body: { error: 'invalid_grant' } }),
      )
      expect(trips).toEqual([['get refresh-family']])

      const wrong = { ...client, client_secret: 'wrong' }
      const rejected = await way.of(async () =>
        expect(
          await host.token({ ...wrong, grant_type: 'refresh_token', refresh_token: forged }),
        ).toMatchObject({ status: 401, body: { error: 'invalid_client' } }),
      )
      expect(rejected).toEqual([])
    })
  })
})
