// Also runs on: Redis
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'

const direct = { grant_type: 'client_credentials' }
const CALL = 'GET /invoices/list'
/** A value that is not a valid record of any kind. */
const CORRUPT = '{"v":1,"foreign":"mark"}'
/** What a process logs when it meets a corrupt record first. */
const MET = /^the store has a corrupt record$/

type Credentials = { client_id: string; client_secret: string }

describeEachStore('revocation with corrupt records', (makeStore) => {
  let host: Host
  let store: Store
  let logged: { details: Record<string, unknown>; message: string }[]
  beforeEach(async () => {
    logged = []
    const record = (details: object, message: string) =>
      void logged.push({ details: details as Record<string, unknown>, message })
    store = makeStore()
    host = await startHost({
      store,
      gatehouse: { logger: { debug() {}, info() {}, warn() {}, error: record } },
    })
  })
  afterEach(() => host.close())

  /** The store keys of the log entries with this message, in their order. */
  const loggedKeys = (message: RegExp) =>
    logged.filter((entry) => message.test(entry.message)).map(({ details }) => details['key'])

  /** Replaces a record with a corrupt record. Returns a function that restores the original record. */
  async function corrupt(key: string): Promise<() => Promise<void>> {
    const text = await store.get(key)
    expect(text).toBeDefined()
    await store.set(key, CORRUPT)
    return () => store.set(key, text ?? '')
  }

  async function directToken(key: Credentials): Promise<string> {
    const { status, body } = await host.token({ ...key, ...direct })
    expect(status).toBe(200)
    return String(body['access_token'])
  }

  const statusOf = async (token: unknown) => (await host.call(CALL, String(token))).status

  async function grantOf(accountId: string): Promise<string> {
    const [grant] = (await host.gatehouse.grants.list({ accountId })).items
    expect(grant).toBeDefined()
    return grant?.grantId ?? ''
  }

  /** Asserts that a call fails with an error that names these records and does not quote their content. */
  async function expectCorrupt(call: Promise<unknown>, ...keys: string[]): Promise<void> {
    const error: unknown = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ code: 'ERR_STORE_CORRUPT', status: 500 })
    for (const key of keys) expect(String(error)).toContain(`"${key}"`)
    expect(String(error)).not.toMatch(/foreign|"mark/)
  }

  it('lists omit corrupt records, log the omitted records, and keep them in the index', async () => {
    const { apiKeys, applications, grants } = host.gatehouse
    const [one, two, three] = [
      await host.createApiKey(),
      await host.createApiKey(),
      await host.createApiKey(),
    ]
    const application = await host.createApplication()
    const other = await host.createApplication()
    await connect(host, other)
    const grantId = await grantOf('alice')
    await connect(host, application)
    const keys = [`client:${two.client_id}`, `client:${application.client_id}`, `grant:${grantId}`]
    const restore = [await corrupt(keys[0] ?? ''), await corrupt(keys[1] ?? ''), await corrupt(keys[2] ?? '')]

    const ids = ({ items }: { items: { clientId: string }[] }) => items.map(({ clientId }) => clientId)
    const others = [one.client_id, three.client_id]
    expect(ids(await apiKeys.list())).toEqual(others)
    expect(ids(await apiKeys.listByOwner('acme'))).toEqual(others.toReversed())
    expect(ids(await applications.list())).toEqual([other.client_id])
    expect(ids(await applications.listByOwner('acme'))).toEqual([other.client_id])
    expect(ids(await grants.list({ accountId: 'alice' }))).toEqual([application.client_id])
    // Each list logs what it omits. The process also logs each corrupt record when it meets the record first.
    const omitted = /^a list omits an? .* whose record is corrupt$/
    expect(loggedKeys(omitted)).toEqual([keys[0], keys[0], keys[1], keys[1], keys[2]])
    expect(loggedKeys(MET)).toEqual(keys)
    expect(logged).toHaveLength(8)
    for (const { details } of logged) expect(details['err']).toMatchObject({ code: 'ERR_STORE_CORRUPT' })
    // The page contains as many clients as its limit, although a corrupt record was omitted.
    const page = await apiKeys.list({ limit: 2 })
    expect([ids(page), page.cursor]).toEqual([others, undefined])
    const first = await apiKeys.list({ limit: 1 })
    expect(ids(await apiKeys.list({ limit: 1, cursor: first.cursor }))).toEqual([three.client_id])

    // The clean-up of old index entries also keeps the entries of corrupt records.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
    try {
      await apiKeys.list()
      await apiKeys.listByOwner('acme')
    } finally {
      vi.useRealTimers()
    }
    for (const undo of restore) await undo()
    expect(ids(await apiKeys.list())).toEqual([one.client_id, two.client_id, three.client_id])
    expect(ids(await apiKeys.listByOwner('acme'))).toHaveLength(3)
    // Both grants may have been created within the same second, so their order is undefined.
    const both = [other.client_id, application.client_id]
    expect(ids(await grants.list({ accountId: 'alice' })).toSorted()).toEqual(both.toSorted())
  })

  it('revoking all tokens of an account reports a corrupt API key, and still revokes the tokens of every client of the account', async () => {
    const { tokens, apiKeys } = host.gatehouse
    const [broken, intact] = [await host.createApiKey(), await host.createApiKey()]
    const application = await host.createApplication()
    const before = [await directToken(broken), await directToken(intact)]
    const delegated = await connect(host, application, { user: 'acme' })
    before.push(delegated.access_token)
    const restore = await corrupt(`client:${broken.client_id}`)

    const all = { accountId: 'acme' }
    await expectCorrupt(tokens.revokeAll(all), `client:${broken.client_id}`)
    for (const token of before) expect(await statusOf(token)).toBe(401)
    expect((await host.gatehouse.grants.list({ accountId: 'acme' })).items).toEqual([])
    // New tokens of the intact clients are valid, until revokeAll() is called again.
    const next = await directToken(intact)
    expect(await statusOf(next)).toBe(200)
    await expectCorrupt(tokens.revokeAll(all), `client:${broken.client_id}`)
    expect(await statusOf(next)).toBe(401)
    // No revocation stays pending.
    expect(await store.range('revocations:pending', { limit: 10 })).toEqual([])

    // When its record is restored, the corrupt API key works again. Its old tokens stay rejected, and its new
    // tokens are valid.
    await restore()
    await host.gatehouse.apiKeys.update(broken.client_id, { name: 'Restored' })
    await host.token({ ...broken, ...direct })
    expect(await statusOf(await directToken(broken))).toBe(200)
    expect(await statusOf(before[0])).toBe(401)
    expect((await apiKeys.find(broken.client_id))?.epoch).toBeGreaterThan(0)
    expect(await tokens.revokeAll(all)).toEqual({ clients: 3, grants: 0 })
  })

  it('revoking all tokens of one corrupt API key reports the corrupt record, and still revokes the tokens', async () => {
    const key = await host.createApiKey()
    const token = await directToken(key)
    await corrupt(`client:${key.client_id}`)
    await expectCorrupt(
      host.gatehouse.tokens.revokeAll({ clientId: key.client_id }, { actor: 'ann' }),
      `client:${key.client_id}`,
    )
    expect(await statusOf(token)).toBe(401)
    expect(await store.range('revocations:pending', { limit: 10 })).toEqual([])
  })

  it('revoking all grants of an account reports a corrupt grant, and still revokes every grant of the account', async () => {
    const { grants, tokens } = host.gatehouse
    const application = await host.createApplication()
    const broken = await connect(host, application)
    const grantId = await grantOf('alice')
    const intact = await connect(host, await host.createApplication())
    const restore = await corrupt(`grant:${grantId}`)
    await expectCorrupt(grants.revokeAll({ accountId: 'alice' }), `grant:${grantId}`)
    await expectCorrupt(tokens.revokeAll({ accountId: 'alice' }), `grant:${grantId}`)
    for (const { access_token } of [broken, intact]) expect(await statusOf(access_token)).toBe(401)
    expect(await store.range('revocations:pending', { limit: 10 })).toEqual([])
    // When the record of the grant is restored, the grant stays revoked.
    await restore()
    const { status, body } = await host.refresh(application, broken.refresh_token ?? '')
    expect([status, body['error']]).toEqual([400, 'invalid_grant'])
    expect(await statusOf(broken.access_token)).toBe(401)
    await grants.revokeAll({ accountId: 'alice' })
    expect((await grants.list({ accountId: 'alice' })).items).toEqual([])
  })

  it('revoking the grants for one application also revokes a corrupt grant, and grants for other applications stay valid', async () => {
    const { grants } = host.gatehouse
    const [one, two] = [await host.createApplication(), await host.createApplication()]
    const broken = await connect(host, one)
    const grantId = await grantOf('alice')
    const intact = await connect(host, two)
    await corrupt(`grant:${grantId}`)
    await expectCorrupt(grants.revokeAll({ accountId: 'alice', clientId: one.client_id }), `grant:${grantId}`)
    expect(await statusOf(broken.access_token)).toBe(401)
    expect(await statusOf(intact.access_token)).toBe(200)
    expect((await grants.list({ accountId: 'alice' })).items).toHaveLength(1)
  })

  it('a corrupt grant can be revoked by its id', async () => {
    const broken = await connect(host, await host.createApplication())
    const grantId = await grantOf('alice')
    await corrupt(`grant:${grantId}`)
    await expectCorrupt(host.gatehouse.grants.revoke(grantId), `grant:${grantId}`)
    expect(await statusOf(broken.access_token)).toBe(401)
    expect(await store.get(`grant:${grantId}`)).toBe(CORRUPT)
  })

  it('accounts.changed() reports a corrupt API key, and still revokes tokens of the other clients of the account', async () => {
    const broken = await host.createApiKey()
    const application = await host.createApplication({ products: ['payments'] })
    const [token, delegated] = [await directToken(broken), await connect(host, application)]
    await corrupt(`client:${broken.client_id}`)
    host.accounts.set('acme', { id: 'acme', kycLevel: 'none' })
    expect((await host.call('GET /payments/list', delegated.access_token)).status).toBe(200)
    await expectCorrupt(host.gatehouse.accounts.changed('acme'), `client:${broken.client_id}`)
    expect((await host.call('GET /payments/list', delegated.access_token)).status).toBe(401)
    // A lower KYC level does not revoke tokens of API keys, so the tokens of the corrupt API key stay valid.
    expect(await statusOf(token)).toBe(200)
    // Removing the account revokes all tokens of its clients.
    host.accounts.delete('acme')
    await expectCorrupt(host.gatehouse.accounts.changed('acme'), `client:${broken.client_id}`)
    expect(await statusOf(token)).toBe(401)
  })

  it('an export omits corrupt records, and reports them in the log, in its last line, and in the result of an import', async () => {
    const [broken, intact] = [await host.createApiKey(), await host.createApiKey()]
    const deleted = await host.createApiKey()
    await host.gatehouse.apiKeys.delete(deleted.client_id)
    await directToken(intact)
    await vi.waitFor(async () => expect(await store.get(`client-usage:${intact.client_id}`)).toBeDefined())
    await corrupt(`client-usage:${intact.client_id}`)
    const names = [`client:${broken.client_id}`, `client:${deleted.client_id}`]
    for (const name of names) await corrupt(name)
    // Disabling a corrupt client fails and leaves a pending revocation. The export contains this revocation
    // for all tokens of the client, because the corrupt record does not tell which tokens are affected.
    await expect(host.gatehouse.apiKeys.disable(broken.client_id)).rejects.toMatchObject({
      code: 'ERR_STORE_CORRUPT',
    })

    const file: string[] = []
    for await (const line of exportRegistry(host.gatehouse)) file.push(line)
    expect(file.join('')).toContain(intact.client_id)
    expect(file.join('')).not.toMatch(/foreign|"mark/)
    expect(file.filter((line) => line.includes(broken.client_id))).toEqual([
      expect.stringMatching(/^\{"is":"revocation"/),
      expect.stringMatching(/^\{"is":"end"/),
    ])
    const trailer = JSON.parse(file.at(-1) ?? '') as { skipped: string[] }
    expect(trailer.skipped.toSorted()).toEqual(names.toSorted())
    const omitted = logged.filter(({ message }) => message.startsWith('a corrupt record was left out'))
    expect(omitted.map(({ details }) => String(details['key'])).toSorted()).toEqual(names.toSorted())

    const second = await startHost({ store: makeStore() })
    try {
      const imported = await importRegistry(second.gatehouse, file)
      expect(imported).toMatchObject({
        apiKeys: 1,
        deletedClients: 0,
        blockedHosts: 0,
        conflicts: [],
        skipped: trailer.skipped,
      })
      const [key] = (await second.gatehouse.apiKeys.list()).items
      expect([key?.clientId, key?.lastUsedAt]).toEqual([intact.client_id, undefined])
    } finally {
      await second.close()
    }
  })

  it('an import reports a corrupt record as a conflict, leaves the record unchanged, and imports all other records', async () => {
    const keys = [await host.createApiKey(), await host.createApiKey(), await host.createApiKey()]
    const [broken = '', intact = '', deleted = ''] = keys.map(({ client_id }) => client_id)
    await host.gatehouse.apiKeys.delete(deleted)
    await directToken(keys[1] as Credentials)
    await vi.waitFor(async () => expect(await store.get(`client-usage:${intact}`)).toBeDefined())
    const file: string[] = []
    for await (const line of exportRegistry(host.gatehouse)) file.push(line)
    for (const name of [`client:${broken}`, `client:${deleted}`, `client-usage:${intact}`])
      await corrupt(name)
    const { conflicts, unchanged, skipped } = await importRegistry(host.gatehouse, file)
    expect(conflicts).toEqual([broken, deleted].toSorted())
    expect(unchanged).toBeGreaterThan(0)
    expect(skipped).toEqual([])
    expect(await store.getMany([`client:${broken}`, `client:${deleted}`])).toEqual([CORRUPT, CORRUPT])
    expect((await host.gatehouse.apiKeys.find(intact))?.lastUsedAt).toBeGreaterThan(0)
  })

  it('if the record of the last use of a client is corrupt, the client is listed without lastUsedAt, and the record is logged once', async () => {
    const key = await host.createApiKey()
    await store.set(`client-usage:${key.client_id}`, CORRUPT)
    const found = await host.gatehouse.apiKeys.find(key.client_id)
    expect([found?.clientId, found?.lastUsedAt]).toEqual([key.client_id, undefined])
    expect((await host.gatehouse.apiKeys.list()).items).toEqual([found])
    expect(loggedKeys(MET)).toEqual([`client-usage:${key.client_id}`])
    expect(logged).toHaveLength(1)
  })
})
