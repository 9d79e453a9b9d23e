import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const direct = { grant_type: 'client_credentials' }
const CALL = 'GET /invoices/list'
/** Stands in the place of a record. */
const FOREIGN = '{"v":1,"foreign":"mark"}'

type Credentials = { client_id: string; client_secret: string }

describeEachStore('Where a record cannot be read', (makeStore) => {
  let host: Host
  let store: Store
  let told: { details: Record<string, unknown>; message: string }[]
  beforeEach(async () => {
    told = []
    const tell = (details: object, message: string) =>
      void told.push({ details: details as Record<string, unknown>, message })
    store = makeStore()
    host = await startHost({
      store,
      gatehouse: { logger: { debug() {}, info() {}, warn() {}, error: tell } },
    })
  })
  afterEach(() => host.close())

  /** Puts something else in the place of a record; answers how to put it right. */
  async function spoil(key: string): Promise<() => Promise<void>> {
    const text = await store.get(key)
    expect(text).toBeDefined()
    await store.set(key, FOREIGN)
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

  /** An error that names these keys, and quotes nothing of what stands there. */
  async function expectTold(call: Promise<unknown>, ...keys: string[]): Promise<void> {
    const error: unknown = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({ code: 'ERR_STORE_CORRUPT', status: 500 })
    for (const key of keys) expect(String(error)).toContain(`"${key}"`)
    expect(String(error)).not.toMatch(/foreign|mark/)
  }

  it('lists have all others, leave the entry where it is, and the log says what they lack', async () => {
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
    const mend = [await spoil(keys[0] ?? ''), await spoil(keys[1] ?? ''), await spoil(keys[2] ?? '')]

    const ids = ({ items }: { items: { clientId: string }[] }) => items.map(({ clientId }) => clientId)
    const others = [one.client_id, three.client_id]
    expect(ids(await apiKeys.list())).toEqual(others)
    expect(ids(await apiKeys.listByOwner('acme'))).toEqual(others)
    expect(ids(await applications.list())).toEqual([other.client_id])
    expect(ids(await applications.listByOwner('acme'))).toEqual([other.client_id])
    expect(ids(await grants.list({ accountId: 'alice' }))).toEqual([application.client_id])
    expect(told.map(({ details }) => details['key'])).toEqual([keys[0], keys[0], keys[1], keys[1], keys[2]])
    for (const { details, message } of told) {
      expect(message).toMatch(/^a list omits an? .* whose record is corrupt$/)
      expect(details['err']).toMatchObject({ code: 'ERR_STORE_CORRUPT' })
    }
    // Pages are as full as they would be.
    const page = await apiKeys.list({ limit: 2 })
    expect([ids(page), page.cursor]).toEqual([others, undefined])
    const first = await apiKeys.list({ limit: 1 })
    expect(ids(await apiKeys.list({ limit: 1, cursor: first.cursor }))).toEqual([three.client_id])

    // Old entries are not tidied up either.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
    try {
      await apiKeys.list()
      await apiKeys.listByOwner('acme')
    } finally {
      vi.useRealTimers()
    }
    for (const right of mend) await right()
    expect(ids(await apiKeys.list())).toEqual([one.client_id, two.client_id, three.client_id])
    expect(ids(await apiKeys.listByOwner('acme'))).toHaveLength(3)
    // In the order of a second: both may be of the same one.
    const both = [other.client_id, application.client_id]
    expect(ids(await grants.list({ accountId: 'alice' })).toSorted()).toEqual(both.toSorted())
  })

  it('of an API key: all tokens of its account are revoked, its own by its id, and nobody believes that all is well', async () => {
    const { tokens, apiKeys } = host.gatehouse
    const [bad, good] = [await host.createApiKey(), await host.createApiKey()]
    const application = await host.createApplication()
    const before = [await directToken(bad), await directToken(good)]
    const delegated = await connect(host, application, { user: 'acme' })
    before.push(delegated.access_token)
    const mend = await spoil(`client:${bad.client_id}`)

    const all = { accountId: 'acme' }
    await expectTold(tokens.revokeAll(all), `client:${bad.client_id}`)
    for (const token of before) expect(await statusOf(token)).toBe(401)
    expect((await host.gatehouse.grants.list({ accountId: 'acme' })).items).toEqual([])
    // What the others get from now on is good, and is revoked when it is done again.
    const next = await directToken(good)
    expect(await statusOf(next)).toBe(200)
    await expectTold(tokens.revokeAll(all), `client:${bad.client_id}`)
    expect(await statusOf(next)).toBe(401)
    // Nothing of it is left to be finished.
    expect(await store.range('revocations:pending', { limit: 10 })).toEqual([])

    // Put right it goes on: what it got before stays dead, and what it gets now is good.
    await mend()
    await host.gatehouse.apiKeys.rename(bad.client_id, 'As it was')
    await host.token({ ...bad, ...direct })
    expect(await statusOf(await directToken(bad))).toBe(200)
    expect(await statusOf(before[0])).toBe(401)
    expect((await apiKeys.find(bad.client_id))?.epoch).toBeGreaterThan(0)
    expect(await tokens.revokeAll(all)).toEqual({ clients: 3, grants: 0 })
  })

  it('of an API key: its tokens are revoked by its id', async () => {
    const key = await host.createApiKey()
    const token = await directToken(key)
    await spoil(`client:${key.client_id}`)
    await expectTold(
      host.gatehouse.tokens.revokeAll({ clientId: key.client_id }, { actor: 'ann' }),
      `client:${key.client_id}`,
    )
    expect(await statusOf(token)).toBe(401)
    expect(await store.range('revocations:pending', { limit: 10 })).toEqual([])
  })

  it('of a grant: everything that its account has allowed ends, that grant by its id', async () => {
    const { grants, tokens } = host.gatehouse
    const application = await host.createApplication()
    const bad = await connect(host, application)
    const grantId = await grantOf('alice')
    const good = await connect(host, await host.createApplication())
    const mend = await spoil(`grant:${grantId}`)
    await expectTold(grants.revokeAll({ accountId: 'alice' }), `grant:${grantId}`)
    await expectTold(tokens.revokeAll({ accountId: 'alice' }), `grant:${grantId}`)
    for (const { access_token } of [bad, good]) expect(await statusOf(access_token)).toBe(401)
    expect(await store.range('revocations:pending', { limit: 10 })).toEqual([])
    // Whatever becomes of the record: what was there has ended.
    await mend()
    const { status, body } = await host.token({
      ...application,
      grant_type: 'refresh_token',
      refresh_token: bad.refresh_token ?? '',
    })
    expect([status, body['error']]).toEqual([400, 'invalid_grant'])
    expect(await statusOf(bad.access_token)).toBe(401)
    await grants.revokeAll({ accountId: 'alice' })
    expect((await grants.list({ accountId: 'alice' })).items).toEqual([])
  })

  it('of a grant: whose it is cannot be told, so it ends with those of any one application; those of others live', async () => {
    const { grants } = host.gatehouse
    const [one, two] = [await host.createApplication(), await host.createApplication()]
    const bad = await connect(host, one)
    const grantId = await grantOf('alice')
    const good = await connect(host, two)
    await spoil(`grant:${grantId}`)
    await expectTold(grants.revokeAll({ accountId: 'alice', clientId: one.client_id }), `grant:${grantId}`)
    expect(await statusOf(bad.access_token)).toBe(401)
    expect(await statusOf(good.access_token)).toBe(200)
    expect((await grants.list({ accountId: 'alice' })).items).toHaveLength(1)
  })

  it('of a grant: it can be revoked by its id', async () => {
    const bad = await connect(host, await host.createApplication())
    const grantId = await grantOf('alice')
    await spoil(`grant:${grantId}`)
    await expectTold(host.gatehouse.grants.revoke(grantId), `grant:${grantId}`)
    expect(await statusOf(bad.access_token)).toBe(401)
    expect(await store.get(`grant:${grantId}`)).toBe(FOREIGN)
  })

  it('and an account changed: its other API keys and applications are looked at, and this one is named', async () => {
    const bad = await host.createApiKey()
    const application = await host.createApplication({ products: ['payments'] })
    const [token, delegated] = [await directToken(bad), await connect(host, application)]
    await spoil(`client:${bad.client_id}`)
    host.accounts.set('acme', { id: 'acme', kycLevel: 'none' })
    expect((await host.call('GET /payments/list', delegated.access_token)).status).toBe(200)
    await expectTold(host.gatehouse.accounts.changed('acme'), `client:${bad.client_id}`)
    expect((await host.call('GET /payments/list', delegated.access_token)).status).toBe(401)
    // Nothing says that it lost anything.
    expect(await statusOf(token)).toBe(200)
    // Now everything of the account has to end.
    host.accounts.delete('acme')
    await expectTold(host.gatehouse.accounts.changed('acme'), `client:${bad.client_id}`)
    expect(await statusOf(token)).toBe(401)
  })

  it('an export has all others, and says what it lacks: in the log, in its last line, and in the answer of an import', async () => {
    const [bad, good] = [await host.createApiKey(), await host.createApiKey()]
    const gone = await host.createApiKey()
    await host.gatehouse.apiKeys.delete(gone.client_id)
    await directToken(good)
    await vi.waitFor(async () => expect(await store.get(`client-usage:${good.client_id}`)).toBeDefined())
    await spoil(`client-usage:${good.client_id}`)
    const names = [`client:${bad.client_id}`, `client:${gone.client_id}`]
    for (const name of names) await spoil(name)
    // One that was begun of it is in the file too: it is not known what it took.
    await expect(host.gatehouse.apiKeys.disable(bad.client_id)).rejects.toMatchObject({
      code: 'ERR_STORE_CORRUPT',
    })

    const file: string[] = []
    for await (const line of host.gatehouse.exportRegistry()) file.push(line)
    expect(file.join('')).toContain(good.client_id)
    expect(file.join('')).not.toMatch(/foreign|mark/)
    expect(file.filter((line) => line.includes(bad.client_id))).toEqual([
      expect.stringMatching(/^\{"is":"revocation"/),
      expect.stringMatching(/^\{"is":"end"/),
    ])
    const trailer = JSON.parse(file.at(-1) ?? '') as { skipped: string[] }
    expect(trailer.skipped.toSorted()).toEqual(names.toSorted())
    const lacks = told.filter(({ message }) => message.startsWith('an exported registry lacks'))
    expect(lacks.map(({ details }) => String(details['key'])).toSorted()).toEqual(names.toSorted())

    const second = await startHost({ store: makeStore() })
    try {
      const imported = await second.gatehouse.importRegistry(file)
      expect(imported).toMatchObject({
        apiKeys: 1,
        deletedClients: 0,
        conflicts: [],
        skipped: trailer.skipped,
      })
      const [key] = (await second.gatehouse.apiKeys.list()).items
      expect([key?.clientId, key?.lastUsedAt]).toEqual([good.client_id, undefined])
    } finally {
      await second.close()
    }
  })

  it('an import names it as a conflict, leaves it as it is, and goes on with all others', async () => {
    const keys = [await host.createApiKey(), await host.createApiKey(), await host.createApiKey()]
    const [bad = '', good = '', gone = ''] = keys.map(({ client_id }) => client_id)
    await host.gatehouse.apiKeys.delete(gone)
    await directToken(keys[1] as Credentials)
    await vi.waitFor(async () => expect(await store.get(`client-usage:${good}`)).toBeDefined())
    const file: string[] = []
    for await (const line of host.gatehouse.exportRegistry()) file.push(line)
    for (const name of [`client:${bad}`, `client:${gone}`, `client-usage:${good}`]) await spoil(name)
    const { conflicts, unchanged, skipped } = await host.gatehouse.importRegistry(file)
    expect(conflicts).toEqual([bad, gone].toSorted())
    expect(unchanged).toBeGreaterThan(0)
    expect(skipped).toEqual([])
    expect(await store.getMany([`client:${bad}`, `client:${gone}`])).toEqual([FOREIGN, FOREIGN])
    expect((await host.gatehouse.apiKeys.find(good))?.lastUsedAt).toBeGreaterThan(0)
  })

  it('a note of when an API key was last used: it is as if it never was', async () => {
    const key = await host.createApiKey()
    await store.set(`client-usage:${key.client_id}`, FOREIGN)
    const found = await host.gatehouse.apiKeys.find(key.client_id)
    expect([found?.clientId, found?.lastUsedAt]).toEqual([key.client_id, undefined])
    expect((await host.gatehouse.apiKeys.list()).items).toEqual([found])
    expect(told).toEqual([])
  })
})
