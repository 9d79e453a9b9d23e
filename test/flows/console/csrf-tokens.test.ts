import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { request } from '../management/setup.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'
import { createConsole } from '../../../src/console.ts'
import { createManagementApi } from '../../../src/management.ts'

const DAY_MS = 86_400_000
const PATH = '/console/api-keys/new'
const FIELDS = { name: 'Typed by hand', product: ['invoices'] }

describe('the CSRF tokens of console and management API', () => {
  let host: ConsoleHost
  beforeEach(async () => {
    host = await startConsole({
      store: memoryStore(),
      mount(app, gatehouse) {
        app.use(createConsole(gatehouse))
        app.use(createManagementApi(gatehouse))
      },
    })
  })
  afterEach(async () => {
    vi.useRealTimers()
    await host.close()
  })

  const elapse = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  const keys = async () => (await host.gatehouse.apiKeys.listByOwner('acme')).items
  const tokenIn = (body: string) => /name="csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''

  it('the token of another browser, person or surface is rejected, and nothing is changed', async () => {
    const visitor = host.visit('acme')
    const page = await visitor.open(PATH)
    const own = host.browser()
    const other = tokenIn((await host.visit('bob').open(PATH)).body)
    const session = await own.request(new URL(`${host.origin}/account/api/session`), {})
    expect(session.status).toBe(401)
    for (const csrf of [other, '', 'x', tokenIn(page.body).replace(/^./, 'z')]) {
      expect((await visitor.submit(page, 'create', { ...FIELDS, csrf })).status).toBe(403)
    }
    const api = await visitor.get('/account/api/session')
    const { csrfToken } = JSON.parse(api.body) as { csrfToken: string }
    expect((await visitor.submit(page, 'create', { ...FIELDS, csrf: csrfToken })).status).toBe(403)
    expect(await keys()).toEqual([])
    expect((await visitor.submit(page, 'create', FIELDS)).status).toBe(200)
  })

  it('the token of the same person in another browser is rejected', async () => {
    const page = await host.visit('acme').open(PATH)
    const second = await startConsole({
      store: memoryStore(),
      gatehouse: { issuer: host.issuer, audience: host.audience },
    })
    const elsewhere = await second.visit('acme').open(PATH)
    const answer = await second
      .visit('acme')
      .submit(elsewhere, 'create', { ...FIELDS, csrf: tokenIn(page.body) })
    expect(answer.status).toBe(403)
    expect((await second.gatehouse.apiKeys.listByOwner('acme')).items).toEqual([])
    await second.close()
  })

  it('a form that is older than 24 hours changes nothing, keeps what was typed, and can be sent again', async () => {
    const visitor = host.visit('acme')
    const page = await visitor.open(PATH)
    elapse(DAY_MS - 60_000)
    expect((await visitor.submit(page, 'create', FIELDS)).status).toBe(200)
    expect(await keys()).toHaveLength(1)
    elapse(120_000)
    const late = await visitor.submit(page, 'create', { ...FIELDS, request: 'another-request' })
    expect(late.status).toBe(422)
    expect(textOf(late.body)).toContain('more than 24 hours old')
    expect(late.body).toContain('value="Typed by hand"')
    expect(await keys()).toHaveLength(1)
    expect((await visitor.submit(late, 'create')).status).toBe(200)
    expect(await keys()).toHaveLength(2)
  })

  it('the management API rejects a token that is older than 24 hours, and one without its cookie', async () => {
    const visitor = host.visit('acme')
    const { body, headers } = await visitor.get('/account/api/session')
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^gatehouse_csrf_[\w-]{10}=[\w-]{22}; Path=\/account\/api; HttpOnly; SameSite=Lax$/,
      ),
    ])
    const { csrfToken } = JSON.parse(body) as { csrfToken: string }
    const create = () =>
      visitor.browser.request(new URL(`${host.origin}/account/api/api-keys`), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
          'x-csrf-token': csrfToken,
        },
        body: JSON.stringify({ name: 'One' }),
      })
    expect((await create()).status).toBe(201)
    elapse(DAY_MS + 1000)
    const late = await create()
    expect(late.status).toBe(403)
    expect(late.body).toContain('more than 24 hours old')
    expect(await keys()).toHaveLength(1)
    expect((await request(host, 'GET', '/session')).status).toBe(401)
  })
})
