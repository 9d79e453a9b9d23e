import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { decodeProtectedHeader } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { compileHostProgram, type HostProgram } from '../../support/host-process.ts'
import { connect, startHost, type Host } from '../../support/host.ts'
import { dumpRedis } from '../../support/redis-dump.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { startRedis, type RedisServer } from '../../support/redis-server.ts'

const TODAY = 'the secret of today, which is long enough'
const YESTERDAY = 'the secret of yesterday, also long enough'

describeWithRedis('the start of several processes on one Redis', () => {
  let redis: RedisServer
  let keyPrefix: string
  const clients: Redis[] = []
  const hosts: Host[] = []

  beforeAll(async () => {
    redis = await startRedis()
  })
  beforeEach(() => {
    keyPrefix = `${randomUUID()}:`
  })
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()))
    for (const client of clients.splice(0)) client.disconnect()
  })
  afterAll(() => redis?.stop())

  /** Starts a host of the same service. It has the issuer and the audience of the first host. */
  async function open(secret: string | string[] = TODAY): Promise<Host> {
    const client = new Redis(redis.url)
    clients.push(client)
    const [first] = hosts
    const host = await startHost({
      store: redisStore(client, { keyPrefix }),
      gatehouse: { secret, ...(first && { issuer: first.issuer, audience: first.audience }) },
    })
    hosts.push(host)
    return host
  }

  const publishedBy = async (address: string) =>
    (await (await fetch(`${address}/oauth2/jwks`)).json()) as { keys: { kid: string; alg: string }[] }
  const keyRings = async () =>
    (await dumpRedis(redis)).filter(
      ({ key }) => key.endsWith('signing-keys:ring') && key.startsWith(keyPrefix),
    )

  it("four services that start at the same time on an empty store create one key ring and accept one another's tokens", async () => {
    for (let count = 0; count < 4; count += 1) await open()
    await Promise.all(hosts.map(({ gatehouse }) => gatehouse.ready()))
    expect(await keyRings()).toHaveLength(1)

    const [first] = hosts as [Host, ...Host[]]
    const key = await first.createApiKey()
    const tokens = await Promise.all(
      hosts.map(async (host) => {
        const { body } = await host.requestDirectToken(key)
        return String(body['access_token'])
      }),
    )
    const kids = tokens.map((token) => decodeProtectedHeader(token).kid)
    expect(new Set(kids).size).toBe(1)
    for (const { gatehouse, audience } of hosts) {
      for (const token of tokens) {
        const outcome = await gatehouse.gateway.authenticate({
          method: 'GET',
          url: `${audience}/invoices/list`,
          headers: { authorization: `Bearer ${token}` },
        })
        expect(outcome).toMatchObject({ ok: true })
      }
    }
  })

  it('four processes that start at the same time on an empty store create one key ring', async () => {
    let program: HostProgram | undefined
    try {
      program = await compileHostProgram()
      const { start } = program
      const options = {
        redisUrl: redis.url,
        keyPrefix,
        secret: TODAY,
        issuer: 'http://localhost:9/auth',
        audience: 'http://localhost:9/api',
      }
      const processes = await Promise.all(Array.from({ length: 4 }, () => start(options)))
      expect(await keyRings()).toHaveLength(1)
      const sets = await Promise.all(processes.map(({ address }) => publishedBy(address)))
      expect(sets[0]?.keys.map(({ alg }) => alg)).toEqual(['ES256', 'RS256', 'ES256', 'RS256'])
      for (const set of sets) expect(set).toEqual(sets[0])
    } finally {
      await program?.remove()
    }
  })

  it('after a restart the signing keys are the same, and access tokens and refresh tokens stay valid', async () => {
    const before = await open()
    const [key, application] = [await before.createApiKey(), await before.createApplication()]
    const direct = await before.requestDirectToken(key)
    const delegated = await connect(before, application)
    const keys = await publishedBy(before.issuer)
    await before.gatehouse.close()

    const after = await open()
    expect(await publishedBy(after.origin + '/auth')).toEqual(keys)
    for (const token of [String(direct.body['access_token']), delegated.access_token]) {
      const outcome = await after.gatehouse.gateway.authenticate({
        method: 'GET',
        url: `${after.audience}/invoices/list`,
        headers: { authorization: `Bearer ${token}` },
      })
      expect(outcome).toMatchObject({ ok: true })
    }
    const { status } = await after.refresh(application, delegated.refresh_token)
    expect(status).toBe(200)
  })

  it('a start with another secret fails with ERR_SECRET_MISMATCH, requests fail without details, and the store stays unchanged', async () => {
    const before = await open(YESTERDAY)
    const key = await before.createApiKey()
    await connect(before, await before.createApplication())
    await before.gatehouse.close()
    const dump = async () =>
      (await dumpRedis(redis))
        .filter((entry) => entry.key.startsWith(keyPrefix))
        .map(({ key, values }) => [key, values])
    const stored = await dump()
    expect(stored.length).toBeGreaterThan(5)

    const after = await open(TODAY)
    await expect(after.gatehouse.ready()).rejects.toMatchObject({
      code: 'ERR_SECRET_MISMATCH',
      message: expect.stringMatching(
        /encrypted under another `secret`.*later entry of the list.*Nothing was changed/,
      ),
    })
    const rejection = await after.requestDirectToken(key)
    expect(rejection.status).toBe(500)
    expect(rejection.body).toEqual({
      error: 'server_error',
      error_description: 'something went wrong on our side',
    })
    expect(await dump()).toEqual(stored)
  })

  it('with a list of secrets, gatehouse decrypts the signing keys with an older secret and encrypts them with the first secret', async () => {
    const before = await open(YESTERDAY)
    await before.gatehouse.ready()
    const keys = await publishedBy(before.issuer)
    const tooEarly = await open(TODAY)
    await expect(tooEarly.gatehouse.ready()).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
    for (const secret of [[TODAY, YESTERDAY], TODAY]) {
      const host = await open(secret)
      await host.gatehouse.ready()
      expect(await publishedBy(`${host.origin}/auth`)).toEqual(keys)
    }
    const tooLate = await open(YESTERDAY)
    await expect(tooLate.gatehouse.ready()).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
  })

  it('a start with a corrupt key ring fails with ERR_STORE_CORRUPT, and the key ring stays unchanged', async () => {
    const client = new Redis(redis.url)
    clients.push(client)
    await client.set(`${keyPrefix}signing-keys:ring`, 'not a key ring')
    const host = await open()
    await expect(host.gatehouse.ready()).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
    expect(await client.get(`${keyPrefix}signing-keys:ring`)).toBe('not a key ring')
  })
})
