// Also runs on: Redis
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { decodeJwt } from 'jose'
import type { Store } from 'koa-gatehouse'
import type { ImportedRegistry, ImportOptions } from 'koa-gatehouse/backup'
import { connect, startHost, SECRET, type Host, type HostOptions } from '../../support/host.ts'
import { importBeforeStart } from '../../support/import-before-start.ts'
import { describeEachStore } from '../../support/stores.ts'
import { importRegistry } from '../../../src/backup.ts'
import { exported, statusOf, tokenOf } from '../../parts/backup/setup.ts'

/** The current secret of the new processes. Their option `secret` also lists the old secret. */
const NEW_SECRET = 'the secret of the new processes, long enough'

const direct = { grant_type: 'client_credentials' }

/** Lists all API keys, or all applications, page by page. */
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

describeEachStore('export and import of the registry', (makeStore) => {
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

  /**
   * Stops the old process, imports the exported lines into another store, and starts a new process on that
   * store. The new process has the address of the old process.
   */
  async function moveTo(
    store: Store,
    lines: readonly string[],
    options: HostOptions & { import?: ImportOptions } = {},
  ): Promise<{ host: Host; answer: ImportedRegistry }> {
    hosts = hosts.filter((host) => host !== old)
    await old.close()
    const gatehouse = { secret: [NEW_SECRET, SECRET], ...options.gatehouse }
    const all = { store, port: old.port, ...options, gatehouse }
    const answer = await importBeforeStart(lines, all, options.import)
    return { host: await start(store, all), answer }
  }

  it('after an import into an empty store, earlier tokens are valid, revoked tokens are rejected, and secrets stay the same', async () => {
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

    const { host, answer } = await moveTo(makeStore(), lines)
    expect(answer).toMatchObject({ apiKeys: 3, applications: 1, deletedClients: 1, conflicts: [] })
    expect(answer.signingKeys).toBeGreaterThan(0)
    expect(answer.revocations).toBeGreaterThanOrEqual(3)
    expect(Math.abs(answer.exportedAt - Date.now() / 1000)).toBeLessThan(60)

    for (const token of [good, ofOther, delegated.access_token]) {
      expect(await statusOf(host, token)).toBe(200)
    }
    const rejected = await host.call('GET /invoices/list', revoked)
    expect([rejected.status, rejected.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
    ])
    for (const token of [revoked, ofDisabled, ofDeleted]) expect(await statusOf(host, token)).toBe(401)
    expect(host.reached).toHaveLength(3)

    expect([await listed(host, 'apiKeys'), await listed(host, 'applications')]).toEqual(lists)
    for (const client of [key, other, { ...other, client_secret: rotated.clientSecret }, application]) {
      expect((await host.token({ ...client, ...direct })).status).toBe(client === application ? 400 : 200)
    }
    for (const client of [disabled, deleted])
      expect((await host.token({ ...client, ...direct })).status).toBe(401)
    await expect(
      host.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Key', clientId: deleted.client_id }),
    ).rejects.toThrow(expect.objectContaining({ code: 'ERR_CONFLICT' }))
    // A revocation after the import also covers tokens that the old process issued.
    await host.gatehouse.apiKeys.disable(key.client_id)
    expect(await statusOf(host, good)).toBe(401)

    // The imported keys sign new tokens.
    const { kid } = JSON.parse(Buffer.from(good.split('.')[0]!, 'base64url').toString()) as { kid: string }
    const states = new Map((await host.gatehouse.signingKeys.list()).map((one) => [one.kid, one.state]))
    expect(states.get(kid)).toBe('current')
    const jwks = (await (await fetch(`${host.issuer}/oauth2/jwks`)).json()) as { keys: { kid: string }[] }
    expect(jwks.keys.map((one) => one.kid)).toContain(kid)
  })

  it('grants are not exported, so after an import a refresh token is rejected, and the user authorizes the application again', async () => {
    const application = await old.createApplication()
    const tokens = await connect(old, application)
    const lines = await exported(old)
    const { host } = await moveTo(makeStore(), lines)
    const refresh = { ...application, grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const rejected = await host.token(refresh)
    expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_grant'])
    const newTokens = await connect(host, application)
    expect(await statusOf(host, newTokens.access_token)).toBe(200)
    expect(newTokens.scope).toBe(tokens.scope)
  })

  it('an import into a store in use can leave out the signing keys, and every process knows the imported clients and revocations', async () => {
    const key = await old.createApiKey()
    const [token, revoked] = [await tokenOf(old, key), await tokenOf(old, key)]
    await old.gatehouse.tokens.revoke(revoked)
    const lines = await exported(old)
    const data = crypto.randomUUID()
    const gatehouse = { secret: [NEW_SECRET, SECRET] }
    const [host, second] = [
      await start(makeStore(data), { gatehouse }),
      await start(makeStore(data), { gatehouse }),
    ]
    const ownToken = await tokenOf(host, await host.createApiKey())
    const keys = await host.gatehouse.signingKeys.list()
    const answer = await importRegistry(host.gatehouse, lines, { signingKeys: false })
    expect(answer).toMatchObject({ apiKeys: 1, signingKeys: 0, conflicts: [] })
    expect(await host.gatehouse.signingKeys.list()).toEqual(keys)
    for (const process of [host, second]) {
      expect((await process.token({ ...key, ...direct })).status).toBe(200)
      for (const rejected of [token, revoked]) expect(await statusOf(process, rejected)).toBe(401)
    }
    expect(await statusOf(host, ownToken)).toBe(200)
  })

  it('importing the same file again changes nothing, and the next export has the same content as before', async () => {
    await old.createApiKey()
    const key = await old.createApiKey()
    await tokenOf(old, key)
    await old.createApplication()
    await old.gatehouse.apiKeys.delete((await old.createApiKey()).client_id)
    const lines = await exported(old)
    const { host, answer: first } = await moveTo(makeStore(), lines)
    const [imported, keys] = [await exported(host), await host.gatehouse.signingKeys.list()]
    const again = await importRegistry(host.gatehouse, lines)
    expect(again).toEqual({
      ...first,
      apiKeys: 0,
      applications: 0,
      deletedClients: 0,
      blockedHosts: 0,
      signingKeys: 0,
      unchanged: 6,
    })
    expect(await host.gatehouse.signingKeys.list()).toEqual(keys)
    const sorted = (file: string[]) => file.slice(1).toSorted()
    expect(sorted(await exported(host))).toEqual(sorted(imported))
    const clients = (file: string[]) =>
      file.filter((line) => /"is":"(client|deleted-client|revocation)"/.test(line))
    expect(clients(imported)).toEqual(clients(lines))
  })

  it('an import does not change a different client with the same id, and `conflicts` names this client', async () => {
    const key = await old.createApiKey()
    await old.gatehouse.apiKeys.disable(key.client_id)
    await old.gatehouse.apiKeys.enable(key.client_id)
    const [deletedInFile, deletedHere] = [await old.createApiKey(), await old.createApiKey()]
    await old.gatehouse.apiKeys.delete(deletedInFile.client_id)
    const lines = await exported(old)
    const host = await start(makeStore(), { gatehouse: { secret: [NEW_SECRET, SECRET] } })
    const { apiKeys } = host.gatehouse
    for (const { client_id: clientId } of [key, deletedInFile, deletedHere]) {
      await apiKeys.create({ accountId: 'other', name: 'Of this store', clientId, products: ['invoices'] })
    }
    await apiKeys.delete(deletedHere.client_id)
    const { conflicts, unchanged } = await importRegistry(host.gatehouse, lines, { signingKeys: false })
    expect(conflicts).toEqual([key, deletedInFile, deletedHere].map(({ client_id }) => client_id).toSorted())
    expect(unchanged).toBe(1)
    expect(await apiKeys.find(key.client_id)).toMatchObject({ accountId: 'other', name: 'Of this store' })
    expect(await apiKeys.find(deletedInFile.client_id)).toMatchObject({ accountId: 'other' })
    expect(await apiKeys.find(deletedHere.client_id)).toBeUndefined()
    expect((await host.token({ ...key, ...direct })).status).toBe(401)
  })

  it('after an import, tokens with an operation that is missing from the new products are rejected, and new tokens are valid', async () => {
    const key = await old.createApiKey()
    const token = await tokenOf(old, key)
    const lines = await exported(old)
    const { invoices } = (await import('../../fixtures/products.ts')).products
    const lessOf = {
      invoices: { ...invoices, operations: { 'invoices:create': invoices.operations['invoices:create'] } },
    }
    // The new process lacks the operation `invoices:read`. So it rejects all earlier tokens that carry this
    // operation, even for the operation that remains.
    const { host } = await moveTo(makeStore(), lines, { gatehouse: { products: lessOf } })
    expect((await host.call('POST /invoices/create', token)).status).toBe(401)
    const newToken = await tokenOf(host, key)
    expect(decodeJwt(newToken)).toMatchObject({ scope: 'invoices:create', catalog_epoch: 1 })
    expect((await host.call('POST /invoices/create', newToken)).status).toBe(200)
    const again = await importRegistry(host.gatehouse, lines)
    expect(again.unchanged).toBeGreaterThan(0)
    expect(decodeJwt(await tokenOf(host, key))).toMatchObject({ catalog_epoch: 1 })
  })
})
