import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'
import { createConsole } from '../../../src/console.ts'

describe('the lists of API keys and applications', () => {
  let host: ConsoleHost
  beforeEach(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterEach(() => host.close())

  const createKey = (fields: object = {}) =>
    host.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Nightly export', ...fields })

  it('a row has the name, the products, the state, the last use and the day of creation', async () => {
    const { apiKey } = await createKey({ products: ['invoices', 'payments'] })
    await createKey({ name: 'Without product' })
    const disabled = await createKey({ name: 'Off', products: ['invoices'] })
    await host.gatehouse.apiKeys.disable(disabled.apiKey.clientId)
    const used = await host.createApiKey(['invoices'])
    expect((await host.requestDirectToken(used)).status).toBe(200)

    const { body } = await host.visit('acme').get('/console/api-keys')
    const rows = rowsOf(body).toReversed()
    expect(rows).toHaveLength(4)
    expect(rows[0]).toContain(`href="/console/api-keys/${apiKey.clientId}"`)
    expect(textOf(rows[0])).toMatch(
      /^Nightly export gatehouse_…\w{4} Invoices, Payments Active never 0 just now/,
    )
    expect(textOf(rows[1])).toMatch(/^Without product \S+ none No product yet never/)
    expect(textOf(rows[2])).toMatch(/^Off \S+ Invoices Disabled never/)
    expect(rows[2]).toContain('<span class="badge off">Disabled</span>')
    expect(textOf(rows[3])).toContain('Active within the last hour')
  })

  it('a row has the hint of the secret, and the owner and the expiry if a client of the page has one', async () => {
    await createKey({ name: 'Plain', userId: undefined })
    const list = async () => (await host.visit('acme').get('/console/api-keys')).body
    expect(textOf(await list())).toMatch(/Plain gatehouse_…\w{4} /)
    expect(await list()).not.toMatch(/Belongs to|>Expiry<|role="search"/)
    const expiresAt = Date.UTC(2040, 0, 2) / 1000
    await createKey({ name: 'Own', userId: 'anna', expiresAt })
    const rows = rowsOf(await list()).map((row) => textOf(row))
    expect(rows[0]).toMatch(/^Own gatehouse_…\w{4} Anna Ash none No product yet Jan 1, 2040 never/)
    expect(rows[1]).toMatch(/^Plain gatehouse_…\w{4} The account none No product yet never never/)
    // From the second row on, the list can be filtered and sorted.
    expect(await list()).toContain('role="search"')
    await createKey({ name: 'Sooner', expiresAt: expiresAt - 86_400 })
    const sorted = await host.visit('acme').get('/console/api-keys?sort=expiry')
    const names = rowsOf(sorted.body).map((row) => /<bdi>(\w+)/.exec(row)?.[1])
    expect(names).toEqual(['Sooner', 'Own', 'Plain'])
  })

  it('a row has the API calls of seven days, but not that of a gateway, and without usage there is no such column', async () => {
    const key = await host.createApiKey(['invoices'])
    await createKey({ name: 'Edge', resourceServer: true })
    await createKey({ name: 'Idle' })
    await host.callAs(key, 'GET /invoices/list', 'GET /payments/list')
    const read = async (path: string, person = 'acme') => (await host.visit(person).get(path)).body
    const list = await read('/console/api-keys')
    expect(textOf(list)).toContain('Last token Calls in 7 days Created')
    const none = '<span aria-hidden="true">–</span><span class="unseen">none</span>'
    const callsIn = (body: string) =>
      [...body.matchAll(/<td class="number" data-label="Calls in 7 days">(.*?)<\/td>/g)].map(
        ([, text]) => text,
      )
    expect(callsIn(list)).toEqual(['0', none, '2'])
    expect(callsIn(await read('/console/operator/accounts/acme', 'root'))).toEqual(['0', none, '2'])
    expect(list).toMatch(/<th class="number" scope="col">\s*Calls in 7 days/)
    expect(list).not.toMatch(/<option value="calls/)
    await host.close()
    host = await startConsole({ store: memoryStore(), console: { usage: undefined } })
    await createKey()
    expect(await read('/console/api-keys')).not.toContain('in 7 days')
  })

  it('a page has 25 rows and a link to the next page', async () => {
    for (let number = 1; number <= 26; number += 1) await createKey({ name: `Key ${number}` })
    const visitor = host.visit('acme')
    const first = await visitor.get('/console/api-keys')
    expect(rowsOf(first.body)).toHaveLength(25)
    expect(Buffer.byteLength(first.body)).toBeLessThan(20_480)
    const next = /href="([^"]+)" rel="next"/.exec(first.body)?.[1] ?? ''
    const second = await visitor.get(next)
    expect(rowsOf(second.body).map((row) => textOf(row))).toEqual([expect.stringContaining('Key 1 ')])
    expect(second.body).toContain('>First page</a>')
    expect(second.body).not.toContain('rel="next"')
  })

  it('a list has only clients of its kind and of the account of the caller', async () => {
    await createKey({ name: 'Key of acme' })
    await createKey({ name: 'Key of bob', accountId: 'bob' })
    await host.createApplication({ name: 'Application of acme' })
    const keys = (await host.visit('acme').get('/console/api-keys')).body
    expect(keys).toContain('Key of acme')
    expect(keys).not.toMatch(/Key of bob|Application of acme/)
    const applications = (await host.visit('acme').get('/console/applications')).body
    expect(applications).toContain('Application of acme')
    expect(applications).not.toContain('Key of')
  })

  it('a part that is mounted alone has its list at its own path', async () => {
    await host.close()
    host = await startConsole({
      store: memoryStore(),
      mount: (app, gatehouse) => app.use(createConsole(gatehouse).apiKeys({ path: '/developer/keys' })),
    })
    const { apiKey } = await createKey()
    const { body } = await host.visit('acme').get('/developer/keys')
    expect(body).toContain(`href="/developer/keys/${apiKey.clientId}"`)
    expect(body).toContain('href="/developer/keys/new"')
    expect(body).not.toContain('/applications')
  })
})

/** The rows of the table of a page, as markup. */
function rowsOf(body: string): string[] {
  return (/<tbody>([^]*?)<\/tbody>/.exec(body)?.[1]?.match(/<tr>[^]*?<\/tr>/g) ?? []).map(String)
}
