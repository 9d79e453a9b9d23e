import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { createUsage, type Usage, type UsageOptions } from '../../../src/usage.ts'
import { createConsole } from '../../../src/console.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { createAccountUsage } from '../../../src/parts/usage/account-usage.ts'
import { createUsageRecords, dayOf } from '../../../src/parts/usage/usage-records.ts'
import { unescapeHtml } from '../../support/browser.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const DAY_MS = 86_400_000
const NOON = Date.parse('2026-03-10T12:30:00Z')

/** Without the clock of the store, the test decides about the time. */
function withoutClock(store: Store): Store {
  const copy = { ...store }
  delete copy.inspect
  return copy
}

/** The numbers beside the lines of the chart. */
const linesIn = (body: string) =>
  [...body.matchAll(/<text class="value"[^>]*>([^<]*)</g)].map(([, number]) => number)

/** The section of a page with this id, in one line. */
const sectionOf = (body: string, id: string) =>
  (new RegExp(`<section [^>]*id="${id}"[^]*?</section>`).exec(body)?.[0] ?? '').replaceAll(/\s*\n\s*/g, '')

describe('the pages about usage', () => {
  let host: ConsoleHost
  let usage: Usage
  afterEach(async () => {
    await host.close()
    vi.useRealTimers()
  })

  async function start(store = memoryStore(), options: UsageOptions = {}): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date'], now: NOON })
    await startAgain(store, options)
  }
  async function startAgain(store: Store, options: UsageOptions = {}): Promise<void> {
    host = await startConsole({
      store: withoutClock(store),
      gatehouse: { signingKeys: { rotateAfterSeconds: 3660 * 86_400 } },
      mount(app, gatehouse) {
        usage = createUsage(gatehouse, { intervalSeconds: 3600, ...options })
        app.use(createConsole(gatehouse, { usage }))
      },
    })
  }

  async function callAs(key: { client_id: string; client_secret: string }, ...targets: readonly string[]) {
    const { body } = await host.requestDirectToken(key)
    for (const target of targets) await host.call(target, String(body['access_token']))
    await usage.flush()
  }

  it('the page of a client shows its API calls by result, and apart from them its token requests and what to do', async () => {
    await start()
    const key = await host.createApiKey(['invoices'])
    await callAs(key, 'GET /invoices/list', 'GET /invoices/list', 'GET /payments/list')
    await host.token({ ...key, grant_type: 'client_credentials', scope: 'payments:transfer' })
    await usage.flush()
    const { open } = host.visit('acme')
    const path = `/console/api-keys/${key.client_id}`
    const summary = (await open(path)).body
    expect(summary).toMatch(new RegExp(`API calls, 24 hours \\(UTC\\)[^]*href="${path}/usage">Details<`))
    // Every six hours, counted back from the hour that is now.
    const labels = [...summary.matchAll(/<text x="[^>]*>([^<]*)</g)].map(([, label]) => label)
    expect(labels).toEqual(['6:00 PM', '12:00 AM', '6:00 AM', '12:00 PM'])
    // In the hours of seven days, the name of a day is below its noon.
    const week = (await open(`${path}/usage?days=7`)).body
    const hours = [...week.matchAll(/<text x="([^%]+)%"[^>]*>([^<]*)</g)].map(
      ([, place, label]) => `${label}: ${Math.floor((Number(place) * 7 * 24) / 100)}`,
    )
    expect(hours).toEqual(['Mar 4: 12', 'Mar 6: 60', 'Mar 8: 108', 'Mar 10: 156'])
    expect(summary).toMatch(/<li>Read your invoices<\/li>\s*<li>Create invoices<\/li>/)
    const unused = await host.createApiKey(['invoices'])
    expect((await open(`/console/api-keys/${unused.client_id}`)).body).not.toContain('>Details<')
    const { body, status } = await open(`${path}/usage`)
    expect(status).toBe(200)
    expect(body).toContain('<title>Mar 10, 2026: 3 calls (Successful: 2, Rejected: 1)</title>')
    expect(linesIn(body)).toEqual(['0', '1', '2', '3'])
    expect(body).toContain('Add the operation to the client, or stop calling it.')
    expect(body).toContain('Token requests: 1 issued, 1 rejected.')
    expect(sectionOf(body, 'problems')).toContain('Token request')
    expect(sectionOf(body, 'operations')).not.toContain('Token request')
  })

  it('the pages of an account and of operators say which client was rejected how often, with a link', async () => {
    await start()
    const [key, other] = [await host.createApiKey(['invoices']), await host.createApiKey(['payments'])]
    await callAs(key, 'GET /invoices/list', 'GET /payments/list')
    await callAs(other, 'GET /payments/list', 'GET /invoices/list', 'GET /invoices/list')
    await host.call('GET /invoices/list', 'no-token')
    await usage.flush()
    const account = (await host.visit('acme').open('/console/usage')).body
    expect(account).toContain('5 calls')
    expect(sectionOf(account, 'problems')).toMatch(
      new RegExp(`/console/api-keys/${other.client_id}/usage".*>2<.*${key.client_id}/usage".*>1<`),
    )
    expect(sectionOf(account, 'clients')).toMatch(
      new RegExp(`class="cards +sums".*${other.client_id}/usage".*"Calls">3<.*>2<.*>0<`),
    )
    const all = (await host.visit('root').open('/console/operator/usage')).body
    expect(all).toContain('6 calls')
    const problems = sectionOf(all, 'problems')
    expect(problems).toContain(`/console/operator/clients/${other.client_id}/usage"`)
    expect(problems).toMatch(/Not a valid token \(401\).*>1</)
    const one = await host.visit('root').open(`/console/operator/clients/${key.client_id}/usage`)
    expect(one.body).toContain('2 calls')
  })

  it('links choose a time, and a time for which usage is not kept is not offered', async () => {
    await start(memoryStore(), { days: 45, hourDays: 3 })
    const key = await host.createApiKey(['invoices'])
    await callAs(key, 'GET /invoices/list')
    const { open } = host.visit('acme')
    const path = `/console/api-keys/${key.client_id}/usage`
    const titleOf = async (search: string) =>
      /<title>(Mar.*?): 1 call/.exec((await open(path + search)).body)?.[1]
    expect(await titleOf('?days=1')).toBe('Mar 10, 12:00 PM UTC')
    expect(await titleOf('?days=7')).toBe('Mar 10, 2026')
    const longest = await open(`${path}?days=90`)
    expect(longest.body).toMatch(new RegExp(`href="${path}\\?days=30" aria-current="true"`))
    expect(longest.body).not.toContain('days=90')
    expect((await open(`${path}?days=x`)).body).toBe((await open(path)).body)
  })

  it('what is shown can be downloaded as CSV, by those who may see it, and no name becomes a formula', async () => {
    await start()
    const key = await host.createApiKey(['invoices'])
    await host.gatehouse.apiKeys.update(key.client_id, { name: '=1+"1",é' })
    await callAs(key, 'GET /invoices/list', 'GET /payments/list')
    const { open, get } = host.visit('acme')
    const path = `/console/api-keys/${key.client_id}/usage`
    const linkIn = async (page: string) =>
      /href="([^"]*csv=[^"]*)" download/.exec((await open(page)).body)?.[1]
    const link = unescapeHtml((await linkIn(`${path}?days=1`)) ?? '')
    const csv = await get(link)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('content-disposition')).toBe(
      'attachment; filename="usage-2026-03-09-to-2026-03-10.csv"',
    )
    expect(csv.headers.get('cache-control')).toBe('no-store')
    expect(csv.body).toBe(
      [
        'at,kind,result,count',
        '2026-03-10T12:00:00Z,call,rejected,1',
        '2026-03-10T12:00:00Z,call,successful,1',
        '2026-03-10T12:00:00Z,token_request,successful,1',
        '',
      ].join('\r\n'),
    )
    const ofClients = await get('/console/usage?csv=clients')
    expect(ofClients.body).toContain('clientId,clientName,kind,result,outcome,count\r\n')
    expect(ofClients.body).toContain(`\n${key.client_id},"'=1+""1"",é",call,successful,ok,1\r\n`)
    const ofOperations = await get('/console/usage?csv=operations')
    expect(ofOperations.body).toContain('\ncall,invoices:read,successful,ok,1\r\n')
    expect((await host.visit('bob').get(link)).status).toBe(404)
    expect((await host.visit('acme').get('/console/operator/usage?csv=times')).status).toBe(403)
    expect((await host.visit('root').get('/console/operator/usage?csv=clients')).body).toContain(
      key.client_id,
    )
  })

  /** Each of 25 keys was called on each of 90 days, and was rejected sometimes. */
  async function fillDays(): Promise<void> {
    const store = memoryStore()
    await start(store)
    const keys = await Promise.all(Array.from({ length: 25 }, () => host.createApiKey(['invoices'])))
    let day = NOON
    const bounds = { days: 400, hourDays: 7, now: () => day, logger: silentLogger }
    const records = createUsageRecords(withoutClock(store), bounds)
    const registry = { find: async () => ({ accountId: 'acme' }) as never }
    const accounts = createAccountUsage({ registry, store, logger: silentLogger }, records)
    const hours = JSON.stringify({
      9: { 'invoices:read': { ok: 123_456, rate_limited: 12, invalid_token: 3 } },
    })
    for (let back = 89; back >= 0; back -= 1) {
      day = NOON - back * DAY_MS
      const source = { day: dayOf(day), source: 'process', isFirst: true, hours }
      await Promise.all(keys.map(({ client_id: clientId }) => accounts.write({ ...source, clientId })))
      await accounts.storeAccounts()
    }
  }

  it('the page of an account about 90 days has less than 60 kB, and each day as a bar and a row', async () => {
    await fillDays()
    for (const language of ['en', 'de']) {
      const { body } = await host.visit('acme').get('/console/usage?days=90', { 'Accept-Language': language })
      expect(Buffer.byteLength(body)).toBeLessThan(60_000)
      expect(body.match(/<title>[^<]*3[.,]086[.,]775 /g)).toHaveLength(90)
      expect(sectionOf(body, 'calls').match(/<th scope="row">/g)).toHaveLength(90)
      expect(sectionOf(body, 'clients').match(/<th scope="row">/g)).toHaveLength(20)
    }
  })

  it('the table of 24 hours has hours, and that of seven days has days', async () => {
    await start()
    const key = await host.createApiKey(['invoices'])
    await callAs(key, 'GET /invoices/list')
    vi.setSystemTime(NOON + 5 * 3_600_000)
    await callAs(key, 'GET /invoices/list', 'GET /payments/list')
    const rowsIn = async (days: number) => {
      const { body } = await host.visit('acme').open(`/console/api-keys/${key.client_id}/usage?days=${days}`)
      const table = sectionOf(body, 'calls').split('<table').at(1) ?? ''
      return [...table.matchAll(/<tr><th scope="row">.*?<\/tr>/g)].map(([row]) => textOf(row))
    }
    expect(await rowsIn(1)).toEqual(['Mar 10, 12:00 PM UTC 1 1 0 0', 'Mar 10, 5:00 PM UTC 2 1 1 0'])
    expect(await rowsIn(7)).toEqual(['Mar 10, 2026 3 2 1 0'])
  })

  it('a button removes the operations that an API key has not called for 90 days, and no others', async () => {
    const store = memoryStore()
    await start(store)
    const key = await host.createApiKey()
    await callAs(key, 'POST /invoices/create')
    expect((await host.visit('acme').open('/console/hygiene/operations')).body).toContain(
      'Usage is known for less than 90 days.',
    )
    await host.close()
    vi.setSystemTime(NOON + 91 * DAY_MS)
    await startAgain(store)
    await callAs(key, 'GET /invoices/list')
    const { open, submit } = host.visit('acme')
    const page = await open('/console/hygiene/operations')
    expect(page.body).toContain('Remove 3 operations')
    // It is called after the page was shown.
    await callAs(key, 'GET /payments/list')
    const done = await submit(page, 'removeOperations')
    expect(done.body).toContain('The operations were removed.')
    const { removedOperations } = (await host.gatehouse.apiKeys.find(key.client_id)) ?? {}
    expect(removedOperations).toEqual(['invoices:create', 'payments:transfer'])
    expect((await open('/console/hygiene/operations')).body).toContain('Every operation was called.')
    expect((await open('/console/hygiene')).body).toContain('/console/hygiene/operations')
  })

  /** The texts of the pages that ask before something of a key stops. */
  async function questions(clientId: string): Promise<string[]> {
    const own = `/console/api-keys/${clientId}`
    const operator = `/console/operator/clients/${clientId}`
    const confirm = [
      'disable',
      'removeProduct&product=invoices',
      'removeOperation&operation=invoices:read',
      'rotateSecret',
      'revokeSecret&which=old',
      'removeKey&kid=old',
    ]
    const pages = [
      ...confirm.map((action) => `${own}?confirm=${action}`),
      ...['delete', 'report-compromised', 'hand-over'].map((path) => `${own}/${path}`),
      ...['disable', 'revokeTokens', 'reportCompromised'].map((action) => `${operator}?confirm=${action}`),
    ]
    const opened = pages.map((path) => host.visit(path.startsWith(own) ? 'acme' : 'root').open(path))
    return (await Promise.all(opened)).map(({ body }) => textOf(body.slice(body.indexOf('<h1>'))))
  }

  it('each page that asks before something of a key stops says which key, its last use and its calls today', async () => {
    await start()
    const [busy, idle] = [await host.createApiKey(['invoices']), await host.createApiKey(['invoices'])]
    await callAs(busy, 'GET /invoices/list', 'GET /payments/list')
    vi.setSystemTime(NOON + 2 * 3_600_000)
    const used = 'In use API calls today (UTC) 2 '
    const unused = 'Name Nightly export Last token never API calls today (UTC) 0 '
    for (const [key, use] of [
      [busy, used],
      [idle, unused],
    ] as const) {
      const texts = await questions(key.client_id)
      expect(texts).toHaveLength(12)
      expect(texts.filter((text) => !text.includes(`${use}What happens`))).toEqual([])
    }
  })

  it('without the option `usage`, the console has no page and no link about usage', async () => {
    host = await startConsole({ store: memoryStore(), console: { usage: undefined, limits: undefined } })
    const key = await host.createApiKey()
    const { open, get } = host.visit('acme')
    expect((await get('/console/usage')).status).toBe(404)
    for (const path of ['', `/api-keys/${key.client_id}`, '/hygiene'])
      expect((await open(`/console${path}`)).body).not.toMatch(/usage|operations"/)
    expect((await host.visit('root').open('/console/operator')).body).not.toContain('/operator/usage')
    for (const text of await questions(key.client_id)) {
      expect(text).toContain('Last token never')
      expect(text).not.toContain('API calls')
    }
  })
})
