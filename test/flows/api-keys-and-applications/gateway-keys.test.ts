import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import type { NewApiKey } from 'koa-gatehouse'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'
import type { KeyPolicy } from '../../../src/clients/expiry-policy.ts'
import { startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const DAY = 86_400
const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * DAY
const OF_GATEWAY = { accountId: 'acme', name: 'Gateway', resourceServer: true } as const

describeEachStore('the key of a gateway', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => {
    vi.useRealTimers()
    await Promise.all(hosts.splice(0).map((host) => host.close()))
  })

  async function start(keyPolicy: KeyPolicy = {}, data: string = randomUUID()) {
    const host = await startHost({ store: makeStore(data), gatehouse: { keyPolicy } })
    hosts.push(host)
    await host.gatehouse.ready()
    const { apiKeys, hygiene } = host.gatehouse
    return {
      ...host,
      ...host.gatehouse,
      data,
      create: async (input: Partial<NewApiKey> = {}) =>
        (await apiKeys.create({ accountId: 'acme', name: 'Key', ...input })).apiKey,
      findings: async () => (await hygiene.list()).items.flatMap(({ findings }) => findings),
    }
  }

  it('the key of a gateway is made in one call, and never expires, whatever the policy', async () => {
    for (const policy of [{ defaultDays: 90 }, { maxAgeDays: 365 }, { required: true }]) {
      const { create, apiKeys, findings } = await start(policy)
      const key = await create(OF_GATEWAY)
      expect(key).toMatchObject({ resourceServer: true, products: [] })
      expect(key.expiresAt).toBeUndefined()
      expect(await apiKeys.whyNoToken(key.clientId)).toBe('gateway')
      expect(await findings()).toEqual([])
    }
  })

  it('the key of a gateway keeps an expiry that was given, however late, and loses it on request although the policy requires one', async () => {
    const { create, apiKeys } = await start({ maxAgeDays: 30, required: true })
    const expiresAt = inDays(900)
    const key = await create({ ...OF_GATEWAY, expiresAt })
    expect(key.expiresAt).toBe(expiresAt)
    const later = inDays(1000)
    expect(await apiKeys.update(key.clientId, { expiresAt: later })).toMatchObject({ expiresAt: later })
    expect((await apiKeys.update(key.clientId, { expiresAt: null })).expiresAt).toBeUndefined()
    const withProduct = { ...OF_GATEWAY, products: ['invoices'] }
    await expect(create({ ...withProduct, expiresAt })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    expect((await create(withProduct)).expiresAt).toBe(inDays(30))
  })

  it('the key of a gateway loses the expiry that came from the policy when a key without products gets the mark, and keeps any other', async () => {
    const { create, apiKeys } = await start({ defaultDays: 90 })
    const mark = async (clientId: string) => (await apiKeys.setResourceServer(clientId, true)).expiresAt
    const byDefault = await create()
    expect(byDefault.expiresAt).toBeCloseTo(inDays(90), -1)
    expect(await mark(byDefault.clientId)).toBeUndefined()
    expect(await apiKeys.find(byDefault.clientId)).not.toHaveProperty('expiresByDefault')

    const given = await create({ expiresAt: inDays(90) })
    expect(await mark(given.clientId)).toBe(given.expiresAt)
    const moved = await create()
    await apiKeys.update(moved.clientId, { expiresAt: inDays(60) })
    expect(await mark(moved.clientId)).toBeCloseTo(inDays(60), -1)
    const confirmed = await create()
    await apiKeys.update(confirmed.clientId, { expiresAt: confirmed.expiresAt! })
    expect(await mark(confirmed.clientId)).toBe(confirmed.expiresAt)
    const withProduct = await create({ products: ['invoices'] })
    expect(await mark(withProduct.clientId)).toBe(withProduct.expiresAt)
    await apiKeys.removeProduct(withProduct.clientId, 'invoices')
    expect(await mark(withProduct.clientId)).toBeUndefined()
  })

  it('an export says whether an expiry came from the policy, and an import keeps it', async () => {
    const { create, gatehouse } = await start({ defaultDays: 90 })
    const [byDefault, given] = [await create(), await create({ expiresAt: inDays(90) })]
    const lines: string[] = []
    for await (const line of exportRegistry(gatehouse)) lines.push(line)
    const { gatehouse: other, apiKeys } = await start()
    await importRegistry(other, lines, { signingKeys: false })
    expect((await apiKeys.setResourceServer(byDefault.clientId, true)).expiresAt).toBeUndefined()
    expect((await apiKeys.setResourceServer(given.clientId, true)).expiresAt).toBe(given.expiresAt)
  })

  it('the key of a gateway breaks the policy as any other key as soon as it has a product, or loses the mark', async () => {
    const { create, apiKeys, findings } = await start({ required: true })
    const { clientId } = await create(OF_GATEWAY)
    await apiKeys.addProduct(clientId, 'invoices')
    expect(await findings()).toEqual(['never-expires'])
    await apiKeys.removeProduct(clientId, 'invoices')
    expect(await findings()).toEqual([])
    await apiKeys.setResourceServer(clientId, false)
    expect(await findings()).toEqual(['never-expires'])
    const rejected = expect.objectContaining({ problems: [expect.objectContaining({ code: 'required' })] })
    await expect(apiKeys.update(clientId, { expiresAt: null })).rejects.toEqual(rejected)
  })

  it('the key of a gateway is last used when its gateway authenticates, and says why it gets no token', async () => {
    const { apiKeys, origin, requestDirectToken } = await start()
    const { apiKey, clientSecret } = await apiKeys.create(OF_GATEWAY)
    const { clientId } = apiKey
    expect(apiKey.lastUsedAt).toBeUndefined()
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    const feed = await fetch(`${origin}/auth/oauth2/revocations`, {
      headers: { authorization: `Basic ${basic}` },
    })
    expect(feed.status).toBe(200)
    await vi.waitFor(async () => expect((await apiKeys.find(clientId))?.lastUsedAt).toBeDefined())
    const [used, [secret]] = [await apiKeys.find(clientId), await apiKeys.listSecrets(clientId)]
    expect(used?.lastUsedAt).toBe(secret?.lastUsedAt)

    const { status, body } = await requestDirectToken({ client_id: clientId, client_secret: clientSecret })
    expect([status, body['error']]).toEqual([400, 'unauthorized_client'])
    expect(body['error_description']).toContain('belongs to a gateway')
    await apiKeys.disable(clientId)
    expect(await apiKeys.whyNoToken(clientId)).toBe('disabled')
  })

  it('the key of a gateway is named by health() from 30 days before its expiry on, and health() fails after the expiry, but stays ready', async () => {
    const { create, apiKeys, applications, data } = await start()
    const later = await create({ ...OF_GATEWAY, expiresAt: inDays(31) })
    await create({ expiresAt: inDays(10) })
    await applications.create({ accountId: 'acme', name: 'App', expiresAt: inDays(10) })
    /** Starts a process, because running processes read the keys only once a minute. It must show this check. */
    async function expectCheck(expected: object | undefined): Promise<void> {
      const next = await start({}, data)
      // The first check is made in the background.
      await delay(100)
      await vi.waitFor(async () => {
        const { ready, checks } = await next.health()
        expect(ready).toBe(true)
        const check = checks.find(({ name }) => name === 'gateway keys')
        if (expected) expect(check).toMatchObject(expected)
        else expect(check).toBeUndefined()
      })
    }
    await expectCheck(undefined)
    const soon = await create({ expiresAt: inDays(29) })
    await apiKeys.setResourceServer(soon.clientId, true)
    await expectCheck({
      status: 'warn',
      message: `API keys of resource servers expire within 30 days: ${soon.clientId}`,
      remedy: expect.stringContaining('expiresAt: null'),
    })

    const expiresAt = inDays(0) + 60
    const expiring = await create({ ...OF_GATEWAY, expiresAt })
    vi.useFakeTimers({ toFake: ['Date'], now: expiresAt * 1000 + 20 })
    const both = expect.stringContaining(`${expiring.clientId}, ${soon.clientId}`)
    await expectCheck({ status: 'fail', message: both })

    await apiKeys.update(soon.clientId, { expiresAt: null })
    await apiKeys.disable(expiring.clientId)
    await apiKeys.delete(later.clientId)
    await expectCheck(undefined)
  })
})
