import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { decodeJwt } from 'jose'
import type { Gatehouse, HostApiKey, Store } from 'koa-gatehouse'
import { connect, startHost, SECRET, type Host, type HostOptions } from '../../support/host.ts'
import { seedKeyRing } from '../../support/ready-keys.ts'
import { describeEachStore } from '../../support/stores.ts'

/** The secret of the house that is moved into; it knows the one of before too. */
const NEW_SECRET = 'the secret of the new house, as long as it takes'

const direct = { grant_type: 'client_credentials' }

async function exported({ gatehouse }: { gatehouse: Gatehouse }): Promise<string[]> {
  const lines: string[] = []
  for await (const line of gatehouse.exportRegistry()) lines.push(line)
  return lines
}

/** All pages of API keys, or of applications. */
async function listed({ gatehouse }: Host, service: 'apiKeys' | 'applications') {
  const items: object[] = []
  let after: string | undefined
  do {
    const page = await gatehouse[service].list({ cursor: after, limit: 2 })
    items.push(...page.items)
    after = page.cursor
  } while (after !== undefined)
  return items
}

describeEachStore('moving house', (makeStore) => {
  let hosts: Host[]
  let old: Host
  beforeEach(async () => {
    hosts = []
    old = await start(makeStore())
  })
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()))
    vi.useRealTimers()
  })

  async function start(store: Store, options: HostOptions = {}): Promise<Host> {
    const host = await startHost({ store, ...options })
    hosts.push(host)
    await host.gatehouse.ready()
    return host
  }

  /** Ends the old house, and opens the new one at its address. */
  async function moveTo(store: Store, options: HostOptions = {}): Promise<Host> {
    hosts = hosts.filter((host) => host !== old)
    await old.close()
    await seedKeyRing(store, NEW_SECRET)
    const gatehouse = { secret: [NEW_SECRET, SECRET], ...options.gatehouse }
    return start(store, { port: old.port, ...options, gatehouse })
  }

  async function tokenOf(host: Host, client: { client_id: string; client_secret: string }): Promise<string> {
    const { status, body } = await host.token({ ...client, ...direct })
    expect(status).toBe(200)
    return String(body['access_token'])
  }

  const statusOf = async (host: Host, token: string) => (await host.call('GET /invoices/list', token)).status

  test('tokens from before are good, those that were revoked are not, and nobody needs a new secret', async () => {
    const [key, other, disabled, deleted] = [
      await old.createApiKey(),
      await old.createApiKey(['invoices']),
      await old.createApiKey(),
      await old.createApiKey(),
    ]
    const application = await old.createApplication()
    const delegated = await connect(old, application)
    const [good, revoked] = [await tokenOf(old, key), await tokenOf(old, key)]
    const [ofDisabled, ofDeleted, ofOther] = [
      await tokenOf(old, disabled),
      await tokenOf(old, deleted),
      await tokenOf(old, other),
    ]
    await old.gatehouse.tokens.revoke(revoked)
    await old.gatehouse.apiKeys.disable(disabled.client_id)
    await old.gatehouse.apiKeys.delete(deleted.client_id)
    const rotated = await old.gatehouse.apiKeys.rotateSecret(other.client_id)
    await vi.waitFor(async () =>
      expect(await listed(old, 'apiKeys')).toMatchObject([{ lastUsedAt: expect.any(Number) }, {}, {}]),
    )
    const lists = [await listed(old, 'apiKeys'), await listed(old, 'applications')]
    const lines = await exported(old)

    const host = await moveTo(makeStore())
    // What this house has issued before anything came is good afterwards.
    const [own, before] = [await host.createApiKey(), await host.gatehouse.signingKeys.list()]
    const ofOwn = await tokenOf(host, own)
    expect(await statusOf(host, good)).toBe(401)
    expect(host.reached).toEqual([])

    const answer = await host.gatehouse.importRegistry(lines)
    expect(answer).toMatchObject({ apiKeys: 3, applications: 1, deletedClients: 1, conflicts: [] })
    expect(answer.signingKeys).toBeGreaterThan(0)
    expect(answer.revocations).toBeGreaterThanOrEqual(3)
    expect(Math.abs(answer.exportedAt - Date.now() / 1000)).toBeLessThan(60)

    for (const token of [good, ofOther, delegated.access_token, ofOwn]) {
      expect(await statusOf(host, token)).toBe(200)
    }
    const dead = await host.call('GET /invoices/list', revoked)
    expect([dead.status, dead.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
    ])
    for (const token of [revoked, ofDisabled, ofDeleted]) expect(await statusOf(host, token)).toBe(401)
    expect(host.reached).toHaveLength(4)

    expect([await listed(host, 'apiKeys'), await listed(host, 'applications')]).toEqual([
      [...lists[0]!, expect.objectContaining({ clientId: own.client_id })],
      lists[1],
    ])
    for (const client of [key, other, { ...other, client_secret: rotated.clientSecret }, application]) {
      expect((await host.token({ ...client, ...direct })).status).toBe(client === application ? 400 : 200)
    }
    for (const gone of [disabled, deleted])
      expect((await host.token({ ...gone, ...direct })).status).toBe(401)
    await expect(
      host.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Anew', clientId: deleted.client_id }),
    ).rejects.toThrow(expect.objectContaining({ code: 'ERR_CONFLICT' }))
    // What is revoked from here on covers tokens of both houses.
    await host.gatehouse.apiKeys.disable(key.client_id)
    expect(await statusOf(host, good)).toBe(401)

    // The keys of the old house sign, and those of the new one stay published.
    const states = new Map((await host.gatehouse.signingKeys.list()).map(({ kid, state }) => [kid, state]))
    const [ours] = before.filter(({ alg, state }) => alg === 'ES256' && state === 'current')
    expect(states.get(ours!.kid)).toBe('previous')
    const { kid } = JSON.parse(Buffer.from(good.split('.')[0]!, 'base64url').toString()) as { kid: string }
    expect(states.get(kid)).toBe('current')
    const jwks = (await (await fetch(`${host.issuer}/oauth2/jwks`)).json()) as { keys: { kid: string }[] }
    const published = jwks.keys.map((key) => key.kid)
    expect(published).toEqual(expect.arrayContaining([kid, ours!.kid]))
  })

  test('what users allowed does not move: applications connect anew, and get no less', async () => {
    const application = await old.createApplication()
    const tokens = await connect(old, application)
    const lines = await exported(old)
    const host = await moveTo(makeStore())
    await host.gatehouse.importRegistry(lines)
    const refresh = { ...application, grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const rejected = await host.token(refresh)
    expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_grant'])
    const anew = await connect(host, application)
    expect(await statusOf(host, anew.access_token)).toBe(200)
    expect(anew.scope).toBe(tokens.scope)
  })

  test('other processes of the new house hear of it at once', async () => {
    const key = await old.createApiKey()
    const [token, revoked] = [await tokenOf(old, key), await tokenOf(old, key)]
    await old.gatehouse.tokens.revoke(revoked)
    const lines = await exported(old)
    const data = crypto.randomUUID()
    const host = await moveTo(makeStore(data))
    const second = await start(makeStore(data), {
      origin: old.origin,
      gatehouse: { secret: [NEW_SECRET, SECRET] },
    })
    const callSecond = async (bearer: string) => {
      const address = `http://localhost:${second.port}/api/invoices/list`
      return (await fetch(address, { headers: { authorization: `Bearer ${bearer}` } })).status
    }
    expect(await callSecond(token)).toBe(401)
    await host.gatehouse.importRegistry(lines)
    await vi.waitFor(async () => expect(await callSecond(token)).toBe(200), { timeout: 5000 })
    await vi.waitFor(async () => expect(await callSecond(revoked)).toBe(401), { timeout: 5000 })
    const kids = async ({ gatehouse }: Host) => (await gatehouse.signingKeys.list()).map(({ kid }) => kid)
    expect(await kids(second)).toEqual(await kids(host))
  })

  test('the same file again changes nothing, and what is exported is the same', async () => {
    await old.createApiKey()
    const key = await old.createApiKey()
    await tokenOf(old, key)
    await old.createApplication()
    await old.gatehouse.apiKeys.delete((await old.createApiKey()).client_id)
    const lines = await exported(old)
    const host = await moveTo(makeStore())
    const first = await host.gatehouse.importRegistry(lines)
    const [there, keys] = [await exported(host), await host.gatehouse.signingKeys.list()]
    const again = await host.gatehouse.importRegistry(lines)
    expect(again).toEqual({
      ...first,
      apiKeys: 0,
      applications: 0,
      deletedClients: 0,
      signingKeys: 0,
      unchanged: 6,
    })
    expect(await host.gatehouse.signingKeys.list()).toEqual(keys)
    const sorted = (file: string[]) => file.slice(1).toSorted()
    expect(sorted(await exported(host))).toEqual(sorted(there))
    const clients = (file: string[]) =>
      file.filter((line) => /"is":"(client|deleted-client|revocation)"/.test(line))
    expect(clients(there)).toEqual(clients(lines))
  })

  test('a client that is here and is another one stays as it is, and is named', async () => {
    const key = await old.createApiKey()
    await old.gatehouse.apiKeys.disable(key.client_id)
    await old.gatehouse.apiKeys.enable(key.client_id)
    const [gone, living] = [await old.createApiKey(), await old.createApiKey()]
    await old.gatehouse.apiKeys.delete(gone.client_id)
    const lines = await exported(old)
    const host = await moveTo(makeStore())
    const { apiKeys } = host.gatehouse
    for (const { client_id: clientId } of [key, gone, living]) {
      await apiKeys.create({ accountId: 'other', name: 'Of this house', clientId, products: ['invoices'] })
    }
    await apiKeys.delete(living.client_id)
    const { conflicts, unchanged } = await host.gatehouse.importRegistry(lines)
    expect(conflicts).toEqual([key, gone, living].map(({ client_id }) => client_id).toSorted())
    expect(unchanged).toBe(1)
    // Its own secret, its own owner; but the epoch is that of the tokens that move along.
    expect(await apiKeys.find(key.client_id)).toMatchObject({
      accountId: 'other',
      epoch: 1,
      name: 'Of this house',
    })
    expect(await apiKeys.find(gone.client_id)).toMatchObject({ accountId: 'other' })
    expect(await apiKeys.find(living.client_id)).toBeUndefined()
    expect((await host.token({ ...key, ...direct })).status).toBe(401)
  })

  test('without the secret that the keys are encrypted under nothing is imported', async () => {
    await old.createApiKey()
    const lines = await exported(old)
    const host = await moveTo(makeStore(), { gatehouse: { secret: NEW_SECRET } })
    const before = await exported(host)
    await expect(host.gatehouse.importRegistry(lines)).rejects.toThrow(
      expect.objectContaining({
        code: 'ERR_SECRET_MISMATCH',
        message: expect.stringContaining('Nothing was changed'),
      }),
    )
    expect((await exported(host)).slice(1)).toEqual(before.slice(1))
    expect(await listed(host, 'apiKeys')).toEqual([])
  })

  test('an operation that had left the products there stays dead here, and what is new is good', async () => {
    const key = await old.createApiKey()
    const token = await tokenOf(old, key)
    const lines = await exported(old)
    const { invoices } = (await import('../../fixtures/products.ts')).products
    const lessOf = {
      invoices: { ...invoices, operations: { 'invoices:create': invoices.operations['invoices:create'] } },
    }
    // Here there is less than there: what tokens of there carry of it is dead, as at any change of products.
    const host = await moveTo(makeStore(), { gatehouse: { products: lessOf } })
    await host.gatehouse.importRegistry(lines)
    expect((await host.call('POST /invoices/create', token)).status).toBe(401)
    const anew = await tokenOf(host, key)
    expect(decodeJwt(anew)).toMatchObject({ scope: 'invoices:create', catalog_epoch: 1 })
    expect((await host.call('POST /invoices/create', anew)).status).toBe(200)
    const again = await host.gatehouse.importRegistry(lines)
    expect(again.unchanged).toBeGreaterThan(0)
    expect(decodeJwt(await tokenOf(host, key))).toMatchObject({ catalog_epoch: 1 })
  })

  test('clients in tables of the host: what was counted of them besides moves', async () => {
    const rows = new Map<string, HostApiKey>()
    const registry = { find: (id: string) => rows.get(id), verifySecret: () => true }
    rows.set('nightly', {
      kind: 'apiKey',
      clientId: 'nightly',
      accountId: 'acme',
      name: 'Nightly',
      products: ['invoices'],
    })
    const client = { client_id: 'nightly', client_secret: 'whatever it is' }
    hosts = []
    await old.close()
    old = await start(makeStore(), { gatehouse: { registry } })
    const before = await tokenOf(old, client)
    await old.gatehouse.tokens.revokeAll({ clientId: 'nightly' })
    await old.gatehouse.tokens.revokeAll({ clientId: 'nightly' })
    const after = await tokenOf(old, client)
    expect(decodeJwt(after)).toMatchObject({ access_epoch: 2 })
    const lines = await exported(old)
    expect(lines.join('')).not.toContain('"is":"client"')

    const host = await moveTo(makeStore(), { gatehouse: { registry } })
    const answer = await host.gatehouse.importRegistry(lines)
    expect(answer).toMatchObject({
      apiKeys: 0,
      hostEpochs: 1,
      unchanged: expect.any(Number),
      conflicts: [],
    })
    expect([await statusOf(host, before), await statusOf(host, after)]).toEqual([401, 200])
    expect(decodeJwt(await tokenOf(host, client))).toMatchObject({ access_epoch: 2 })
    await host.gatehouse.tokens.revokeAll({ clientId: 'nightly' })
    expect(await statusOf(host, after)).toBe(401)

    // Neither kind of house takes what the other one keeps.
    const other = await start(makeStore())
    await expect(other.gatehouse.importRegistry(lines)).rejects.toThrow(
      expect.objectContaining({
        code: 'ERR_INVALID_ARGUMENT',
        message: expect.stringContaining('option "registry"'),
      }),
    )
    await expect(host.gatehouse.importRegistry(await exported(other))).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_REGISTRY_READ_ONLY' }),
    )
  })
})
