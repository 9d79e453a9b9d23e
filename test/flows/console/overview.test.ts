import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { connect } from '../../support/host.ts'
import { panelOf, textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const GERMAN = { 'accept-language': 'de' }

/** The entries of the navigation. */
const entriesOf = (body: string) =>
  [...(/<nav class="nav"[^]*?<\/nav>/.exec(body)?.[0] ?? '').matchAll(/<a [^>]*>([^<]*)</g)].map(
    ([, text]) => text,
  )

/** The place of each text in the page, which must be there. */
function placesOf(text: string, ...wanted: readonly string[]): number[] {
  expect(wanted.filter((each) => !text.includes(each))).toEqual([])
  return wanted.map((each) => text.indexOf(each))
}

const sorted = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other)

describe('the overview', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())
  const open = async (person: string) => host.visit(person).get('/console')

  it('an account without anything sees its connected applications, and then what a developer does first, and its level', async () => {
    const { status, body } = await open('alice')
    expect(status).toBe(200)
    const text = textOf(body)
    expect(text).toContain('What do you want to do?')
    expect(text).toContain('Verification level: basic')
    expect(text).not.toMatch(/Latest activity|API calls|Needs attention|Nothing needs attention/)
    const places = placesOf(text, 'Show connected applications', 'Get a token', 'Call the API')
    expect(places).toEqual(sorted(places))
    const steps = panelOf({ body } as never, 'steps')
    expect(textOf(steps)).toMatch(/^For developers Create an API key or an application .* Get a token Call/)
    expect(steps).not.toContain('Done')
    for (const path of ['/console/api-keys/new', '/console/applications/new'])
      expect(steps).toMatch(new RegExp(`class="button (primary)?" href="${path}"`))
  })

  it('an account sees its newest clients and connections with links, and its latest activity', async () => {
    for (const name of ['First key', 'Second key', 'Third key', 'Fourth key']) {
      await host.gatehouse.apiKeys.create({ accountId: 'acme', name })
    }
    const application = await host.createApplication({ accountId: 'bob', name: 'Tax helper' })
    await connect(host, application, { browser: host.visit('acme').browser })
    const { body } = await open('acme')
    const text = textOf(body)
    expect(text).toMatch(/Fourth key.*Third key.*Second key.*4 in total/)
    expect(text).not.toMatch(/First key.*4 in total/)
    expect(text).toMatch(/Tax helper.*1 in total/)
    expect(text).toContain('Application allowed to use the account')
    expect(text.match(/UTC\b(?!\))/g)).toHaveLength(5)
    expect(body).toContain('href="/console/activity"')
    expect(body).toMatch(/href="\/console\/api-keys\/key_/)
    expect(textOf((await open('bob')).body)).not.toContain('Fourth key')
  })
})

describe('the navigation of an account without clients', () => {
  it('leads to its connected applications, and has one entry for developers until there is a client', async () => {
    const host = await startConsole({ store: memoryStore() })
    const { get } = host.visit('alice')
    const entries = async (path: string, headers = {}) => entriesOf((await get(path, headers)).body)
    const few = ['Overview', 'Connected applications', 'Activity']
    for (const path of ['', '/connected-applications', '/activity', '/hygiene'])
      expect([path, ...(await entries(`/console${path}`))]).toEqual([path, ...few, 'For developers'])
    expect((await get('/console')).body).toMatch(/href="\/console\/api-keys"\s*>For developers/)
    expect(await entries('/console', GERMAN)).toContain('Für Entwickler')
    // What is open stays in it.
    expect(await entries('/console/api-keys')).toEqual(['Overview', 'API keys', ...few.slice(1)])
    expect(await entries('/console/token-inspector')).toEqual([...few, 'Token inspector'])
    await host.gatehouse.applications.create({ accountId: 'alice', name: 'Own', redirectUris: [] })
    const all = ['Overview', 'API keys', 'Applications', 'Connected applications', 'Usage', 'Activity']
    expect(await entries('/console')).toEqual([...all, 'Token inspector'])
    // Operators inspect tokens of all accounts.
    expect(entriesOf((await host.visit('root').get('/console')).body)).toEqual([
      ...all,
      'Token inspector',
      'Operator',
    ])
    await host.close()
  })
})

describe('what the overview shows', () => {
  it('a caller sees only what the host permits, and no button for what it denies', async () => {
    const allowed = new Set<string>()
    const host = await startConsole({
      store: memoryStore(),
      accounts: { can: (_ctx, permission) => allowed.has(permission) },
    })
    await host.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Hidden key' })
    const open = async () => (await host.visit('acme').get('/console')).body
    expect(await open()).not.toMatch(/Hidden key|api-keys\/|Latest activity|id="calls"/)
    allowed.add('keys:read')
    expect(await open()).not.toContain('id="calls"')
    allowed.add('applications:read')
    const body = await open()
    expect(body).toContain('Hidden key')
    expect(body).toContain('id="calls"')
    expect(body).not.toMatch(/Latest activity|applications\/new|id="steps"/)
    expect(textOf(body)).toContain('ask an admin of your account. Inspect a token')
    allowed.add('keys:create')
    const creator = await open()
    expect(textOf(creator)).not.toContain('ask an admin')
    expect(creator).toContain('id="steps"')
    await host.close()
  })
})

describe('the first steps and the calls on the overview', () => {
  let host: ConsoleHost
  afterEach(async () => {
    await host.close()
    vi.useRealTimers()
  })

  const read = async (headers = {}) => (await host.visit('acme').get('/console', headers)).body
  const steps = async (headers = {}) => textOf(panelOf({ body: await read(headers) } as never, 'steps'))

  it('the steps of a new account are ticked off, and vanish after the first call', async () => {
    host = await startConsole({ store: memoryStore() })
    const key = await host.createApiKey(['invoices'])
    // It is newer, but it can call nothing yet.
    await host.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Draft', products: [] })
    expect(await steps()).toBe(
      'First steps Create an API key or an application Done Get a token Open the guide of Nightly export Call the API',
    )
    expect(await read()).toContain(`href="/console/api-keys/${key.client_id}/guide"`)
    expect(textOf(await read())).toMatch(/API calls today \(UTC\) 0 Calls in 7 days 0 Details/)
    await host.callAs(key)
    await vi.waitFor(async () =>
      expect(await steps()).toMatch(/Get a token Done Call the API Open the guide/),
    )
    expect(await steps(GERMAN)).toMatch(/^Erste Schritte .* Erledigt API aufrufen Anleitung für/)
    await host.callAs(key, 'GET /invoices/list')
    expect(await steps()).toBe('')
  })

  it('without usage, the first token is the last step, and there are no numbers', async () => {
    host = await startConsole({ store: memoryStore(), console: { usage: undefined } })
    expect(await steps()).toMatch(/Create an API key .* Get a token$/)
    const key = await host.createApiKey(['invoices'])
    expect(await steps()).toMatch(/Done Get a token Open the guide of Nightly export$/)
    await host.callAs(key, 'GET /invoices/list')
    await vi.waitFor(async () => expect(await steps()).toBe(''))
    expect(await read()).not.toMatch(/class="numbers"|<svg|API calls/)
  })

  it('an account whose client is older than a week is not new, even if it has made no call for a week', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-10T12:30:00Z') })
    host = await startConsole({ store: memoryStore() })
    const key = await host.createApiKey(['invoices'])
    await host.callAs(key)
    await vi.waitFor(async () => expect(await steps()).toContain('Get a token Done'))
    vi.setSystemTime(Date.now() + 8 * 86_400_000)
    expect(await steps()).toBe('')
  })

  it('numbers come first: the calls of today and of seven days, what was rejected, and which client had what problem when', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-10T12:30:00Z') })
    host = await startConsole({ store: memoryStore() })
    const key = await host.createApiKey(['invoices'])
    await host.callAs(key, 'GET /invoices/list', 'GET /invoices/list', 'GET /payments/list')
    await host.token({ ...key, grant_type: 'client_credentials', scope: 'payments:transfer' })
    await host.callAs(key, 'GET /invoices/list')
    const body = await read()
    const text = textOf(body)
    expect(text).toContain('API calls today (UTC) 4 Calls in 7 days 4 Rejected 25% Failed 0%')
    expect(body).toContain('<title>Mar 10, 2026: 4 calls (Successful: 3, Rejected: 1)</title>')
    expect(body).toContain('href="/console/usage?days=7"')
    const places = placesOf(text, 'Calls in 7 days', 'Most frequent errors', '1 in total', 'Latest activity')
    expect(places).toEqual(sorted(places))
    // What went wrong is not among what was looked at.
    expect(text).not.toContain('Nothing needs attention')
    const problems = panelOf({ body } as never, 'problems')
    expect(textOf(problems)).toContain('Most frequent errors, 24 hours')
    expect(problems.split(`href="/console/api-keys/${key.client_id}/usage"`)).toHaveLength(3)
    expect(textOf(problems)).toMatch(
      /Nightly export The operation is not allowed \(403\) .*? 1 Mar 10, 12:00 PM UTC/,
    )
    expect(textOf(problems)).toMatch(/Nightly export Token request: .*? 1 Mar 10, 12:00 PM UTC/)
    const german = textOf(await read(GERMAN))
    expect(german).toMatch(/API-Aufrufe heute \(UTC\) 4 Aufrufe in 7 Tagen 4 Abgelehnt 25\s?% /)
    expect(german).toContain('Zuletzt (Stunde)')
    const other = await host.visit('alice').get('/console')
    expect(other.body).not.toMatch(/class="numbers"|id="problems"/)
  })
})
