import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { authorize, startHost, type Host } from '../../support/host.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'
import { startSlowLink, type SlowLink, type RoundTrip } from '../../support/round-trips.ts'

const DAY = 86_400_000

/** The last use of the client, and of its secret. */
const RECORD_USE = ['set client-usage', 'set secret-usage']
const EXCHANGE = 'evalsha refresh-family'
/** The command that counts the grants of an account, because the number of grants is limited. */
const LIST = 'zrangebylex grants'
const READ_REFRESH = ['get grant', 'get refresh-family']

describeWithRedis('round trips to Redis', () => {
  let server: RedisServer
  let link: SlowLink
  beforeAll(async () => {
    server = await startRedis()
    link = await startSlowLink(server)
  })
  afterAll(async () => {
    await link.close()
    await server.stop()
  })
  afterEach(() => void vi.useRealTimers())

  it('each sequential command counts as one round trip, and parallel commands count as one round trip together', async () => {
    const redis = new Redis(link.port)
    await redis.ping()
    const inTurn = async () => {
      await redis.get('x:one:1')
      await redis.get('x:two:1')
    }
    expect(await link.of(inTurn)).toEqual([['get one'], ['get two']])
    const together = () => Promise.all([redis.get('x:one:1'), redis.get('x:two:1')])
    expect(await link.of(together)).toEqual([['get one', 'get two']])
    redis.disconnect()
  })

  describe.each([
    { enableAutoPipelining: false, refreshTokenGraceSeconds: 0 },
    { enableAutoPipelining: true, refreshTokenGraceSeconds: 10 },
  ])('with %o', ({ enableAutoPipelining, refreshTokenGraceSeconds }) => {
    let redis: Redis
    let host: Host
    beforeAll(async () => {
      redis = new Redis(link.port, { enableAutoPipelining })
      const keyPrefix = `${enableAutoPipelining}:`
      host = await startHost({
        store: redisStore(redis, { keyPrefix }),
        gatehouse: { refreshTokenGraceSeconds, storeTimeoutMs: 5000 },
      })
      // The first requests on a new store load the scripts into Redis and make additional writes. They run
      // here, so that no test counts them.
      await refresh(await connected())
    })
    afterAll(async () => {
      await host.close()
      redis.disconnect()
    })

    type Client = Awaited<ReturnType<Host['createApplication']>>
    type Connection = Awaited<ReturnType<typeof connected>>

    /** Sends a token request, which must succeed. Returns its round trips and the body of the response. */
    async function token(client: Client, parameters: Record<string, string>) {
      let answer: Awaited<ReturnType<Host['token']>> | undefined
      const trips = await link.of(async () => (answer = await host.token({ ...client, ...parameters })))
      expect(answer).toMatchObject({ status: 200 })
      return { trips, body: answer?.body ?? {} }
    }

    /** Removes a client from the cache by changing it. */
    const uncache = ({ client_id }: Client, kind: 'apiKeys' | 'applications') =>
      host.gatehouse[kind].update(client_id, { name: `Renamed ${performance.now()}` })

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

    it('a direct token takes no round trip, but the first token of an hour and an uncached client take one round trip each', async () => {
      const key = await host.createApiKey()
      const direct = async () => (await token(key, { grant_type: 'client_credentials' })).trips
      expect(await direct()).toEqual([['get client'], RECORD_USE])
      expect(await direct()).toEqual([])
      await uncache(key, 'apiKeys')
      expect(await direct()).toEqual([['get client']])
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
      expect(await direct()).toEqual([RECORD_USE])
    })

    const AFTER_THE_CODE = [
      ['evalsha grants', 'evalsha grants', 'get grant', LIST],
      ['evalsha consent-version', 'evalsha grant'],
      ['set client-usage', 'set refresh-family', 'set secret-usage', LIST],
    ]

    it.each([
      { redirectUris: ['http://localhost:9/callback'] },
      { redirectUris: ['http://localhost:9/callback', 'http://localhost:9/other'] },
    ])(
      "a code exchange of an application with %o takes four round trips, including the record of the client's last use",
      async (fields) => {
        const client = await host.createApplication(fields)
        const { code } = await authorize(host, client.client_id)
        const { trips } = await token(client, { grant_type: 'authorization_code', code })
        expect(trips).toEqual([['get code'], ...AFTER_THE_CODE])
      },
    )

    it('a code exchange with an uncached client takes four round trips', async () => {
      const client = await host.createApplication()
      const { code } = await authorize(host, client.client_id)
      await uncache(client, 'applications')
      const { trips } = await token(client, { grant_type: 'authorization_code', code })
      expect(trips).toEqual([['get client', 'get code'], ...AFTER_THE_CODE])
    })

    it('a refresh takes two round trips, even if the client is not cached', async () => {
      const connection = await connected()
      expect(await refresh(connection)).toEqual([READ_REFRESH, [EXCHANGE]])
      await uncache(connection.client, 'applications')
      expect(await refresh(connection)).toEqual([['get client', ...READ_REFRESH], [EXCHANGE]])
    })

    it('a refresh takes three round trips when it extends its grant, and four round trips when the grant moves to another expiry bucket', async () => {
      const connection = await connected()
      const exchangeAndUse = [EXCHANGE, ...RECORD_USE]
      const now = Date.now()
      // The grants of an account are listed in buckets by the time when they expire. Each bucket covers
      // thirty days. So within thirty days some refreshes move the grant to another bucket, and some
      // refreshes do not.
      const trips: RoundTrip[][] = []
      for (let day = 2; day <= 32; day += 10) {
        vi.useFakeTimers({ toFake: ['Date'], now: now + day * DAY })
        trips.push(await refresh(connection))
      }
      const extended = [READ_REFRESH, ['evalsha grant'], exchangeAndUse]
      const moved = [READ_REFRESH, ['evalsha grants', 'evalsha grants'], ['evalsha grant'], exchangeAndUse]
      for (const each of trips) expect([extended, moved]).toContainEqual(each)
      expect(trips).toContainEqual(moved)
      expect(trips).toContainEqual(extended)
    })

    if (refreshTokenGraceSeconds > 0) {
      it('a retried refresh takes two round trips', async () => {
        const connection = await connected()
        const again = { ...connection }
        await refresh(connection)
        expect(await refresh({ ...again })).toEqual([READ_REFRESH, [EXCHANGE]])
        expect(await refresh(again)).toEqual([READ_REFRESH, [EXCHANGE]])
        expect(again.body['refresh_token']).toBe(connection.body['refresh_token'])
      })
    }

    it('an API call takes no round trip', async () => {
      const { body } = await connected()
      const call = () => host.call('GET /invoices/list', String(body['access_token']))
      expect(await link.of(async () => expect(await call()).toMatchObject({ status: 200 }))).toEqual([])
    })

    it('user info and introspection take one round trip, and the introspection of a direct token takes no round trip', async () => {
      const { client, body } = await connected()
      const ask = (credentials: Client, token: unknown) =>
        link.of(async () =>
          expect(
            await host.post('/oauth2/introspect', { ...credentials, token: String(token) }),
          ).toMatchObject({ status: 200, body: { active: true } }),
        )
      expect(await ask(client, body['access_token'])).toEqual([['get grant']])
      expect(await ask(client, body['refresh_token'])).toEqual([READ_REFRESH])
      const userInfo = () => host.userInfo(String(body['access_token']))
      expect(await link.of(async () => expect((await userInfo()).status).toBe(200))).toEqual([['get grant']])

      const key = await host.createApiKey()
      const direct = await host.requestDirectToken(key)
      expect(await ask(key, direct.body['access_token'])).toEqual([])
    })

    it('a list of API keys or applications takes two round trips, and an empty list takes one round trip', async () => {
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
          const trips = await link.of(async () => expect((await list()).items).toHaveLength(2))
          // The list of an owner reads all clients of the account, also those of the tests above.
          expect(trips.map((trip) => [...new Set(trip)])).toEqual([
            ['zrangebylex clients'],
            ['evalsha client', 'evalsha client-usage'],
          ])
        }
        const empty = await link.of(() => host.gatehouse[kind].listByOwner('unknown'))
        expect(empty).toEqual([['zrangebylex clients']])
      }
    })

    it('a forged refresh token causes one read if the client is authenticated, and no read if the client is not authenticated', async () => {
      const { client, body } = await connected()
      const forged = String(body['refresh_token']).replace(/.{22}$/, 'A'.repeat(22))
      const trips = await link.of(async () =>
        expect(await host.refresh(client, forged)).toMatchObject({
          status: 400,
          body: { error: 'invalid_grant' },
        }),
      )
      expect(trips).toEqual([['get refresh-family']])

      const wrong = { ...client, client_secret: 'wrong' }
      const rejected = await link.of(async () =>
        expect(await host.refresh(wrong, forged)).toMatchObject({
          status: 401,
          body: { error: 'invalid_client' },
        }),
      )
      expect(rejected).toEqual([])
    })
  })
})
