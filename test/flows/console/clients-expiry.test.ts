import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const DAY_MS = 86_400_000
const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
/** The end of a day, in epoch seconds. */
const endOf = (day: string) => (Date.parse(day) + DAY_MS) / 1000
const written = (day: string) =>
  new Date(day).toLocaleDateString('en', { dateStyle: 'medium', timeZone: 'UTC' })
/** What the form sends for a typed day, and without an expiry. */
const on = (expiresAt: string) => ({ expiry: 'other', expiresAt })
const NEVER = { expiry: '' }

describe('the expiry on the pages of the console', () => {
  let host: ConsoleHost
  let strict: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
    strict = await startConsole({
      store: memoryStore(),
      gatehouse: { keyPolicy: { maxAgeDays: 90, defaultDays: 30 } },
    })
  })
  afterAll(() => Promise.all([host.close(), strict.close()]))
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['api-keys', 'apiKeys'],
    ['applications', 'applications'],
  ] as const)('%s: it is chosen at the creation, shown, moved and removed', async (section, service) => {
    const visitor = host.visit('acme')
    const form = await visitor.open(`/console/${section}/new`)
    const day = dayIn(20)
    await visitor.submit(form, 'create', { name: 'Short', product: 'invoices', ...on(day) })
    const { items } = await host.gatehouse[service].listByOwner('acme')
    const { clientId, expiresAt } = items[0]!
    expect(expiresAt).toBe(endOf(day))
    expect(textOf((await visitor.open(`/console/${section}`)).body)).toMatch(
      /Short[^]*Expires in (19|20) days/,
    )

    const path = `/console/${section}/${clientId}/restrictions`
    const page = await visitor.open(path)
    expect(page.body).toContain(`value="${day}"`)
    // The chosen day is shown, not the midnight after it.
    const summary = await visitor.open(`/console/${section}/${clientId}`)
    expect(textOf(summary.body)).toContain(`Expiry ${written(day)} (in 20 days)`)
    // The same day changes nothing.
    await visitor.submit(page, 'restrict', on(day))
    const earlier = dayIn(10)
    const moved = await visitor.submit(page, 'restrict', on(earlier))
    expect(textOf(moved.body)).toContain('The settings are saved.')
    expect((await host.gatehouse[service].find(clientId))?.expiresAt).toBe(endOf(earlier))
    // A form of an old tab changes nothing.
    const old = await visitor.submit(page, 'restrict', NEVER)
    expect([old.status, textOf(old.body)]).toEqual([422, expect.stringContaining('It was changed meanwhile')])
    expect((await host.gatehouse[service].find(clientId))?.expiresAt).toBe(endOf(earlier))
    const removed = await visitor.submit(moved, 'restrict', NEVER)
    expect((await host.gatehouse[service].find(clientId))?.expiresAt).toBeUndefined()
    expect(removed.url.pathname).toBe(path)
    const activity = textOf((await visitor.open(`/console/${section}/${clientId}/activity`)).body)
    expect(activity).toMatch(/expiry: .* → never[^]*expiry: .* → /)
    const changes = (await host.gatehouse.audit.list({ clientId })).items.map(({ change }) => change)
    expect(changes.filter((change) => change === 'expiresAt')).toHaveLength(2)
  })

  it('the form says before which day the present tokens would stop working', async () => {
    const noon = (Math.ceil(Date.now() / DAY_MS) + 0.5) * DAY_MS
    vi.useFakeTimers({ toFake: ['Date'], now: noon })
    const { apiKeys, applications } = host.gatehouse
    const [key, application] = [await host.createApiKey(), await host.createApplication()]
    const warnings = async (path: string) =>
      [
        ...textOf((await host.visit('acme').open(`/console${path}/restrictions`)).body).matchAll(
          /a day before ([^,]+, \d+)/g,
        ),
      ].map(([, day]) => new Date(`${day} UTC`).toISOString().slice(0, 10))
    // Tokens of an API key live 10 days, those of an application an hour.
    expect(await warnings(`/api-keys/${key.client_id}`)).toEqual([dayIn(10)])
    expect(await warnings(`/applications/${application.client_id}`)).toEqual([])
    await apiKeys.update(key.client_id, { expiresAt: endOf(dayIn(5)) })
    await applications.update(application.client_id, { expiresAt: endOf(dayIn(5)) })
    expect(await warnings(`/api-keys/${key.client_id}`)).toEqual([dayIn(5)])
    expect(await warnings(`/applications/${application.client_id}`)).toEqual([])
    await apiKeys.update(key.client_id, { expiresAt: endOf(dayIn(50)) })

    const [visitor, path] = [host.visit('acme'), `/console/api-keys/${key.client_id}/restrictions`]
    const { body } = await host.requestDirectToken(key)
    const status = async () => (await host.call('GET /invoices/list', String(body['access_token']))).status
    const moved = await visitor.submit(await visitor.open(path), 'restrict', { expiresAt: dayIn(10) })
    expect(await status()).toBe(200)
    await visitor.submit(moved, 'restrict', { expiresAt: dayIn(9) })
    expect(await status()).toBe(401)
  })

  it('a day within the policy is the default, and another one is rejected with the form as it was', async () => {
    const visitor = strict.visit('acme')
    const form = await visitor.open('/console/api-keys/new')
    expect(form.body).toMatch(new RegExp(`value="${dayIn(30)}"|value="${dayIn(29)}"`))
    expect(textOf(form.body)).toContain('At most 90 days from today.')
    for (const [expiresAt, problem] of [
      ['', 'has a value of the wrong kind'],
      ['2001-01-01', 'must be in the future'],
      [dayIn(100), 'must be at most 90 days ahead'],
      ['soon', 'has a value of the wrong kind'],
      ['2099-99-99', 'has a value of the wrong kind'],
      // A day that does not exist does not become a day of the next month.
      [`${new Date().getUTCFullYear() + 1}-02-30`, 'has a value of the wrong kind'],
    ] as const) {
      const answer = await visitor.submit(form, 'create', {
        name: 'Key',
        product: 'invoices',
        ...on(expiresAt),
      })
      expect([answer.status, textOf(answer.body)], expiresAt).toEqual([422, expect.stringContaining(problem)])
      expect(answer.body).toContain('value="Key"')
    }
    const { items } = await strict.gatehouse.apiKeys.listByOwner('acme')
    expect(items).toEqual([])
    await visitor.submit(form, 'create', { name: 'Key', product: 'invoices' })
    const [created] = (await strict.gatehouse.apiKeys.listByOwner('acme')).items
    const page = await visitor.open(`/console/api-keys/${created!.clientId}/restrictions`)
    const answer = await visitor.submit(page, 'restrict', NEVER)
    expect([answer.status, textOf(answer.body)]).toEqual([422, expect.stringContaining('must not be empty')])
  })

  it('an expiry in 30, 60, 90 or 365 days is one choice, within the policy, with the day that it means', async () => {
    const choicesOf = (body: string) =>
      [...body.matchAll(/name="expiry"\s+value="([^"]*)"\s*(checked)?/g)].map(([, value, checked]) =>
        checked ? `${value} checked` : value,
      )
    const visitor = host.visit('acme')
    const form = await visitor.open('/console/api-keys/new')
    expect(choicesOf(form.body)).toEqual([...[30, 60, 90, 365].map(dayIn), ' checked', 'other'])
    expect(textOf(form.body)).toContain(`90 days ${written(dayIn(90))}`)
    await visitor.submit(form, 'create', { name: 'Quick', product: 'invoices', expiry: dayIn(90) })
    const [quick] = (await host.gatehouse.apiKeys.listByOwner('acme')).items
    expect(quick?.expiresAt).toBe(endOf(dayIn(90)))
    const path = `/console/api-keys/${quick!.clientId}`
    const page = await visitor.open(`${path}/restrictions`)
    expect(choicesOf(page.body)).toContain(`${dayIn(90)} checked`)
    await visitor.submit(page, 'restrict', { expiry: dayIn(30) })
    expect(textOf((await visitor.open(path)).body)).toContain(`Expiry ${written(dayIn(30))}`)

    const limited = await strict.visit('acme').open('/console/api-keys/new')
    expect(choicesOf(limited.body)).toEqual([`${dayIn(30)} checked`, dayIn(60), dayIn(90), 'other'])
  })

  it('the page of a client that breaks a new policy says so, and the client works', async () => {
    const store = memoryStore()
    const before = await startConsole({ store })
    const client = await before.createApiKey()
    await before.close()
    const after = await startConsole({ store, gatehouse: { keyPolicy: { required: true } } })
    try {
      const page = await after.visit('acme').open(`/console/api-keys/${client.client_id}/restrictions`)
      expect(textOf(page.body)).toContain('this service now requires an earlier expiry')
      expect((await after.requestDirectToken(client)).status).toBe(200)
    } finally {
      await after.close()
    }
  })
})
