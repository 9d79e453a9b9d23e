import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createHygiene } from '../../src/clients/hygiene.ts'
import type { KeyPolicy } from '../../src/clients/expiry-policy.ts'
import { hashSecret } from '../../src/clients/stored-secrets.ts'
import { newSecret } from '../support/secrets.ts'
import { describeApiKeys, failure, START } from './each-kind.ts'
import { describeOnEachStore, services } from './setup.ts'

const DAY_MS = 86_400_000
const DAY = 86_400
const days = (count: number) => vi.setSystemTime(Date.now() + count * DAY_MS)
const inDays = (count: number) => Math.floor(Date.now() / 1000) + count * DAY

function withHygiene<Process extends ReturnType<typeof services>>(
  process: Process,
  keyPolicy: KeyPolicy = {},
  users?: readonly string[],
) {
  const parts = {
    ...process.dependencies,
    keyPolicy,
    accounts: {
      find: async (id: string, user?: string) =>
        user === undefined || !users || users.includes(user) ? { id } : undefined,
    },
  }
  return { ...process, parts, hygiene: createHygiene(parts) }
}

describeApiKeys('the findings about a client', (context) => {
  const { kind } = context

  async function start(keyPolicy?: KeyPolicy, users?: readonly string[]) {
    const process = withHygiene(context.start(), keyPolicy, users)
    const listed = async () => (await process.hygiene.list()).items
    return {
      ...process,
      create: (input?: object) => context.created(process, input),
      use: async (clientId: string) => {
        process.lastUses.record(clientId)
        await vi.waitFor(async () => expect(await process.lastUses.get([clientId])).not.toEqual([undefined]))
      },
      listed,
      findings: async () => (await listed()).map(({ findings }) => findings).flat(),
    }
  }

  it('it expires soon in its last 30 days, and needs no attention after its end', async () => {
    const { create, findings } = await start()
    await create({ expiresAt: inDays(35) })
    expect(await findings()).toEqual([])
    days(6)
    expect(await findings()).toEqual(['expires-soon'])
    days(29)
    expect(await findings()).toEqual([])
    // Without a policy, no client needs an expiry.
    await create()
    expect(await findings()).toEqual([])
  })

  it('with a short policy, it expires soon in the last half of its life', async () => {
    const { create, findings } = await start({ maxAgeDays: 20 })
    await create({ expiresAt: inDays(20) })
    days(9)
    expect(await findings()).toEqual(['never-used'])
    days(2)
    expect(await findings()).toEqual(['expires-soon', 'never-used'])
  })

  it('it breaks the policy if it lives longer than allowed, and never expires although it must', async () => {
    const { create, listed, applications } = await start({ maxAgeDays: 90 })
    await create({ name: 'Long', expiresAt: inDays(200) })
    await create({ name: 'Endless' })
    await create({ name: 'Good', expiresAt: inDays(90) })
    expect((await listed()).map(({ client, findings }) => [client.name, findings])).toEqual([
      ['Long', ['breaks-policy']],
      ['Endless', ['never-expires']],
    ])
    await applications.create({ accountId: 'a', name: 'App' })
    expect((await listed()).at(1)).toMatchObject({ client: { name: 'App' }, findings: ['breaks-policy'] })
    const { findings } = await start({ defaultDays: 90 })
    expect(await findings()).toEqual([])
  })

  it('its owner has left, so it gets no tokens, unless it is the key of a gateway', async () => {
    const { create, service, listed } = await start({}, ['anna'])
    await create({ userId: 'anna', resourceServer: true })
    const { clientId } = await create({ userId: 'nora', createdBy: 'anna' })
    await create({ userId: 'nora', createdBy: 'anna', resourceServer: true })
    const found = { client: { clientId }, findings: ['owner-gone'], knownToFormer: [] }
    expect(await listed()).toMatchObject([found])
    await service.handOver(clientId, 'anna')
    expect(await listed()).toEqual([])
  })

  it('it was never used for a week, or not used for 90 days', async () => {
    const { create, use, findings } = await start()
    const { clientId } = await create({ expiresAt: inDays(3650) })
    days(6.9)
    expect(await findings()).toEqual([])
    days(0.2)
    expect(await findings()).toEqual(['never-used'])
    await use(clientId)
    expect(await findings()).toEqual([])
    days(89)
    expect(await findings()).toEqual([])
    days(2)
    expect(await findings()).toEqual(['unused'])
  })

  it('its secret is older than the policy, until it is rotated', async () => {
    const { create, use, service, findings } = await start({ maxAgeDays: 60, defaultDays: 60 })
    const { clientId } = await create({ expiresAt: inDays(60) })
    await use(clientId)
    days(40)
    await service.update(clientId, { expiresAt: inDays(60) })
    expect(await findings()).toEqual([])
    days(21)
    expect(await findings()).toEqual(['old-secret'])
    await service.rotateSecret(clientId)
    expect(await findings()).toEqual([])
  })

  it('two secrets are valid for more than a week', async () => {
    const { create, use, service, listed, findings } = await start()
    const { clientId } = await create({ expiresAt: inDays(365) })
    await use(clientId)
    await service.rotateSecret(clientId, { overlapSeconds: 30 * DAY })
    days(6)
    expect(await findings()).toEqual([])
    days(2)
    expect(await findings()).toEqual(['two-secrets'])
    expect((await listed())[0]?.secrets).toHaveLength(2)
    await service.revokeSecret(clientId, 'old')
    expect(await findings()).toEqual([])
  })

  it('a user who left knows its secret, until it is rotated with a week at most for the old one', async () => {
    const { create, service, listed, findings } = await start({}, ['anna'])
    const { clientId } = await create({ createdBy: 'nora', expiresAt: inDays(365) })
    const { clientId: other } = await create({ createdBy: 'anna', expiresAt: inDays(365) })
    expect(await listed()).toMatchObject([
      { client: { clientId }, findings: ['known-to-former'], knownToFormer: ['nora'] },
    ])
    await service.rotateSecret(clientId, { overlapSeconds: 30 * DAY, shownTo: 'anna' })
    expect(await findings()).toEqual(['known-to-former'])
    await service.revokeSecret(clientId, 'old')
    expect(await findings()).toEqual([])
    await service.rotateSecret(other, { overlapSeconds: 7 * DAY, shownTo: 'nora' })
    await service.rotateSecret(other, { overlapSeconds: 0, shownTo: 'nora' })
    expect(await findings()).toEqual(['known-to-former'])
    await service.disable(other)
    expect(await findings()).toEqual([])
  })

  it('a client that is disabled needs no attention, and one whose secret leaked only a new secret', async () => {
    const { create, service, findings } = await start()
    const { clientId } = await create()
    days(200)
    expect(await findings()).toEqual(['never-used'])
    await service.disable(clientId)
    expect(await findings()).toEqual([])
    await service.enable(clientId)
    expect(await findings()).toEqual(['never-used'])
    await service.reportCompromised(clientId)
    expect(await findings()).toEqual(['compromised'])
    await service.disable(clientId)
    expect(await findings()).toEqual([])
    await service.enable(clientId)
    await service.rotateSecret(clientId)
    expect(await findings()).toEqual(['never-used'])
  })

  it('an error of the host rejects the list', async () => {
    const process = withHygiene(context.start())
    await context.created(process, { createdBy: 'nora' })
    const accounts = { find: () => Promise.reject(new Error('the database is down')) }
    await expect(createHygiene({ ...process.parts, accounts }).list()).rejects.toThrow('the database is down')
  })

  it('the list says which of its options is wrong', async () => {
    const { hygiene } = await start()
    const other = kind === 'apiKey' ? 'application' : 'apiKey'
    for (const options of [
      { limit: 0 },
      { cursor: 'x' },
      { cursor: `${kind}:x` },
      { kind: 'x' },
      { kind: other, cursor: `${kind}:` },
      { accountId: '' },
    ]) {
      await expect(hygiene.list(options as never)).rejects.toEqual(failure('ERR_INVALID_ARGUMENT'))
    }
  })
})

describeOnEachStore('the list of clients that need attention', (stores) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }))
  afterEach(() => void vi.useRealTimers())

  async function filled(count: number) {
    const process = withHygiene(services(stores.open()))
    for (let at = 0; at < count; at += 1) {
      const input = { accountId: at % 2 === 0 ? 'even' : 'odd', name: `N${at}`, products: ['invoices'] }
      const { application } = await process.applications.create(input)
      await process.apiKeys.create(input)
      // Every third application needs no attention.
      if (at % 3 === 0) await process.applications.disable(application.clientId)
    }
    days(8)
    return process
  }

  it.each([1, 4])('with %i items a page, all pages together have each client once', async (limit) => {
    const { hygiene } = await filled(9)
    for (const options of [{}, { accountId: 'odd' }, { kind: 'application' as const }]) {
      const names: string[] = []
      let cursor: string | undefined
      let pages = 0
      do {
        const page = await hygiene.list({ ...options, limit, cursor })
        expect(page.items.length).toBeLessThanOrEqual(limit)
        if (page.items.length === 0) expect(names).toEqual([])
        names.push(...page.items.map(({ client }) => `${client.kind} ${client.name}`))
        cursor = page.cursor
        pages += 1
      } while (cursor !== undefined)
      const all = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((at) => !('accountId' in options) || at % 2 === 1)
      const expected = [
        ...('kind' in options ? [] : all.map((at) => `apiKey N${at}`)),
        ...all.filter((at) => at % 3 !== 0).map((at) => `application N${at}`),
      ]
      expect(names).toEqual(expected)
      expect(pages).toBe(Math.ceil(expected.length / limit))
    }
  })

  it('the client with the worst finding comes first, whatever its kind and the size of a page', async () => {
    const { hygiene, apiKeys, applications } = withHygiene(services(stores.open()), { required: true }, [])
    const clients = { accountId: 'a', expiresAt: inDays(900) }
    await apiKeys.create({ ...clients, name: 'Never used' })
    days(10)
    await apiKeys.create({ ...clients, name: 'Endless', expiresAt: null })
    await applications.create({ ...clients, name: 'Ending', expiresAt: inDays(9) })
    await applications.create({ ...clients, name: 'Without owner', userId: 'nora', createdBy: undefined })
    await apiKeys.create({ ...clients, name: 'Known', createdBy: 'nora' })
    for (const limit of [1, 2, 50]) {
      const listed: unknown[] = []
      for (let cursor: string | undefined, pages = 0; pages === 0 || cursor; pages += 1) {
        const page = await hygiene.list({ limit, cursor })
        listed.push(...page.items.map(({ client, findings }) => [client.name, ...findings]))
        cursor = page.cursor
      }
      expect(listed).toEqual([
        ['Known', 'known-to-former'],
        ['Without owner', 'known-to-former', 'owner-gone'],
        ['Ending', 'expires-soon'],
        ['Endless', 'never-expires'],
        ['Never used', 'never-used'],
      ])
    }
  })

  it('a product is in use if an API key or an application has it', async () => {
    const { hygiene, apiKeys, applications } = withHygiene(services(stores.open()))
    expect(await hygiene.list()).toEqual({ items: [] })
    expect(await hygiene.unusedProducts()).toEqual(['invoices', 'payments', 'reports'])
    await apiKeys.create({ accountId: 'a', name: 'N', products: ['payments'] })
    const input = { accountId: 'a', name: 'N', products: ['reports'] }
    const { application } = await applications.create(input)
    expect(await hygiene.unusedProducts()).toEqual(['invoices'])
    await applications.delete(application.clientId)
    expect(await hygiene.unusedProducts()).toEqual(['invoices', 'reports'])
  })

  it('a corrupt record is left out, and the others are listed', async () => {
    const { hygiene, apiKeys, dependencies } = await filled(3)
    const { items } = await apiKeys.list()
    await dependencies.store.set(`client:${items[1]!.clientId}`, '{')
    const listed = await hygiene.list({ kind: 'apiKey' })
    expect(listed.items.map(({ client }) => client.name)).toEqual(['N0', 'N2'])
  })

  it('more than 1000 clients are examined in several calls', async () => {
    const process = withHygiene(services(stores.open()))
    const create = (name: string) =>
      process.apiKeys.create({
        accountId: `a${name}`,
        name,
        secretHash: hashSecret(newSecret()),
        expiresAt: START / 1000 + 900 * DAY,
      })
    await Promise.all(Array.from({ length: 1100 }, (_, at) => create(String(at))))
    await process.apiKeys.create({ accountId: 'a', name: 'Ending', expiresAt: inDays(9) })
    const first = await process.hygiene.list()
    const second = await process.hygiene.list({ cursor: first.cursor })
    expect([first.items, second.items]).toEqual([[], []])
    const third = await process.hygiene.list({ cursor: second.cursor })
    expect(third.items.map(({ client }) => client.name)).toEqual(['Ending'])
    expect(third.cursor).toBeUndefined()
  })
})

describeApiKeys('the keys of resource servers', (context) => {
  it('without products, they are keys of gateways: only a known, expiring or second secret needs attention', async () => {
    for (const policy of [{}, { maxAgeDays: 60, required: true }]) {
      const process = withHygiene(context.start(), policy, [])
      const create = async (input: object = {}) =>
        (await process.apiKeys.create({ accountId: 'a', name: 'N', resourceServer: true, ...input })).apiKey
      const listed = async () => (await process.hygiene.list()).items.map(({ findings }) => findings)
      const { clientId } = await create()
      // They need no tokens, so a use is not expected.
      await create({ expiresAt: inDays(900) })
      days(100)
      expect(await listed()).toEqual([])
      await create({ expiresAt: inDays(29), createdBy: 'left' })
      await process.apiKeys.rotateSecret(clientId, { overlapSeconds: 90 * DAY })
      days(10)
      expect(await listed()).toEqual([['known-to-former', 'expires-soon'], ['two-secrets']])
    }
  })
})
