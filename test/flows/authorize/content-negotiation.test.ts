// Also runs on: Koa 2
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { faultyStore, type FaultyStore } from '../../support/faulty-store.ts'
import { authorizationUrl, startHost, type Host } from '../../support/host.ts'
import { send } from '../../support/raw-request.ts'

/** The Accept header of a browser that opens an address. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

/**
 * Accept headers of callers that get JSON. Such a caller prefers JSON, accepts every type (as curl does),
 * sends no Accept header, or accepts neither JSON nor HTML.
 */
const PROGRAMS = ['application/json', '*/*', undefined, 'application/json, text/html;q=0.5', 'image/png']
const BROWSERS = ['text/html', BROWSER, 'text/html;q=0.9, application/json;q=0.1']

async function ask(url: string | URL, accept: string | undefined, init: RequestInit = {}) {
  const headers = new Headers(init.headers)
  // If a request has no Accept header, fetch sends `Accept: */*`. So the test sends an empty header in place
  // of a missing header.
  headers.set('accept', accept ?? '')
  const response = await fetch(url, { ...init, headers, redirect: 'manual' })
  const text = await response.text()
  const { status } = response
  const type = response.headers.get('content-type')?.split(';')[0]
  return { status, headers: response.headers, type, text }
}

/** Expects a JSON response that contains only this error. */
function expectJson(answer: Awaited<ReturnType<typeof ask>>, status: number, body: object): void {
  expect({ status: answer.status, type: answer.type }).toEqual({ status, type: 'application/json' })
  expect(JSON.parse(answer.text)).toEqual(body)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('vary')).toMatch(/\bAccept\b/i)
}

function expectPage(answer: Awaited<ReturnType<typeof ask>>, status: number, error: string): void {
  expect({ status: answer.status, type: answer.type }).toEqual({ status, type: 'text/html' })
  expect(answer.text).toContain(`<code>${error}</code>`)
  expect(answer.text.includes('Wait a few minutes')).toBe(status === 503)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('vary')).toMatch(/\bAccept\b/i)
}

describe('another host name than that of the issuer', () => {
  it.each([
    ['127.0.0.1:3000', 'http://localhost:3000'],
    ['[::1]:3000', 'http://localhost:3000'],
    ['localhost:3000', 'http://127.0.0.1:3000'],
    ['www.example.com', 'https://example.com'],
    ['example.com', 'https://www.example.com'],
  ])('at %s, a page before the sign-in page has a link to %s', async (name, origin) => {
    const host = await startHost({ origin })
    const { search } = authorizationUrl(host, (await host.createApplication()).client_id)
    const open = (at: string, target: string) =>
      send(host.port, { target, headers: { host: at, accept: 'text/html', 'accept-language': 'de' } })

    const page = await open(name, `/auth/oauth2/authorize${search}`)
    expect(page.status).toBe(400)
    const [, link = '', text] = /<a href="([^"]+)">([^<]+)</.exec(page.text) ?? []
    const { href, host: right, pathname, search: query } = new URL(link.replaceAll('&amp;', '&'))
    expect(href.startsWith(`${host.issuer}/oauth2/authorize${search}&`)).toBe(true)
    expect([text, right]).toEqual([right, new URL(origin).host])
    expect(page.text).toContain('Fahren Sie unter')
    expect((await open(name, '/auth/oauth2/logout')).status).toBe(400)
    // The link leads to the sign-in page, even behind a proxy that changes the name.
    for (const at of [right, name]) expect((await open(at, pathname + query)).status).toBe(303)
    // Any further name may be that of a proxy.
    for (const at of ['backend:3000', '127.0.0.1:8080'])
      expect((await open(at, `/auth/oauth2/authorize${search}`)).status).toBe(303)
    await host.close()
  })
})

describe('an authorization error that cannot be sent to the application', () => {
  let host: Host
  let unknown: URL
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
    unknown = authorizationUrl(host, 'app_unknown')
  })
  afterAll(() => host.close())

  const expected = { error: 'invalid_client', error_description: expect.any(String), state: 'xyz' }

  it('an authorization request of an unknown client is answered with JSON to a program (fixed bug: the answer was always a page), and with the error page to a browser', async () => {
    for (const accept of PROGRAMS) expectJson(await ask(unknown, accept), 400, expected)
    for (const accept of BROWSERS) expectPage(await ask(unknown, accept), 400, 'invalid_client')
  })

  it('the code and the English description are in a closed part of the page, below the sentences for the user', async () => {
    const { text } = await ask(unknown, BROWSER)
    const [, shown = '', closed = ''] = /<main[^>]*>([^]*)<details([^]*)<\/details>/.exec(text) ?? []
    expect(shown).not.toMatch(/invalid_client|client_id/)
    expect(closed).not.toMatch(/^[^>]*\bopen\b/)
    expect(closed).toContain('client_id')
  })

  it('the JSON error of an authorization request without state has no state', async () => {
    const without = authorizationUrl(host, 'app_unknown', { state: '' })
    const { state: _state, ...rest } = expected
    expectJson(await ask(without, 'application/json'), 400, rest)
  })

  it('an authorization request with an unregistered redirect URI is answered in JSON to a program', async () => {
    const { client_id } = await host.createApplication()
    const url = authorizationUrl(host, client_id, { redirect_uri: 'https://evil.example/' })
    const answer = await ask(url, 'application/json')
    expectJson(answer, 400, { ...expected, error: 'invalid_redirect_uri' })
  })

  it('an authorization request whose form cannot be read is answered in the accepted type', async () => {
    const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
    const url = `${host.issuer}/oauth2/authorize`
    const body = { error: 'invalid_request', error_description: 'the form could not be read' }
    expectJson(await ask(url, 'application/json', init), 415, body)
    expectPage(await ask(url, BROWSER, init), 415, 'invalid_request')
  })

  it('an authorization error that can be sent to the application redirects browsers and programs', async () => {
    const { client_id } = await host.createApplication()
    const url = authorizationUrl(host, client_id, { scope: 'nothing:real' })
    for (const accept of ['application/json', BROWSER]) {
      const { status, headers } = await ask(url, accept)
      expect(status).toBe(303)
      expect(headers.get('location')).toContain('error=invalid_scope')
    }
  })

  it('a sign-out with an unknown application is answered in the accepted type', async () => {
    const url = `${host.issuer}/oauth2/logout?client_id=app_unknown&post_logout_redirect_uri=https://evil.example/`
    const body = { error: 'invalid_request', error_description: expect.any(String) }
    const answer = await ask(url, 'application/json')
    expect({ status: answer.status, type: answer.type }).toEqual({ status: 400, type: 'application/json' })
    expect(JSON.parse(answer.text)).toEqual(body)
    expectPage(await ask(url, BROWSER), 400, 'invalid_request')
  })
})

describe('a failure of the store or of a callback', () => {
  let host: Host
  let faulty: FaultyStore
  let clientId: string
  let find: (accountId: string) => unknown
  beforeEach(async () => {
    faulty = faultyStore(memoryStore())
    find = (id) => ({ id })
    host = await startHost({
      store: faulty.store,
      gatehouse: { storeTimeoutMs: 50, accounts: { find: (id: string) => find(id) as never } },
    })
    clientId = (await host.createApplication()).client_id
  })
  afterEach(() => host.close())

  const unavailable = {
    error: 'temporarily_unavailable',
    error_description: 'not available for the moment; try again',
  }
  const failed = { error: 'server_error', error_description: 'something went wrong on our side' }

  it('while the store is unavailable, the authorization endpoint answers 503 in the accepted type', async () => {
    const url = authorizationUrl(host, clientId)
    faulty.goAway()
    for (const accept of PROGRAMS) {
      const answer = await ask(url, accept)
      expectJson(answer, 503, { ...unavailable, state: 'xyz' })
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    for (const accept of BROWSERS) expectPage(await ask(url, accept), 503, unavailable.error)
  })

  it('while the store is unavailable, the address of an interaction answers 503 in the accepted type', async () => {
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, clientId))
    const cookie = [...browser.cookies].map(([key, { value }]) => `${key.split('|')[0]}=${value}`).join('; ')
    faulty.goAway()
    expectJson(await ask(page.url, 'application/json', { headers: { cookie } }), 503, unavailable)
    expectPage(await ask(page.url, BROWSER, { headers: { cookie } }), 503, unavailable.error)
  })

  it('if a host callback throws, the token endpoint answers with a plain server_error (fixed bug: the answer was "oops! something went wrong")', async () => {
    const key = await host.createApiKey()
    find = () => {
      throw new Error('the database of the host: password=hunter2')
    }
    const { status, body, headers } = await host.requestDirectToken(key)
    expect({ status, body }).toEqual({ status: 500, body: failed })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('the token endpoint answers a failure with JSON even if the client accepts only HTML', async () => {
    const key = await host.createApiKey()
    faulty.goAway()
    const { status, body } = await host.token(
      { ...key, grant_type: 'client_credentials' },
      { accept: 'text/html' },
    )
    expect({ status, body }).toEqual({ status: 503, body: unavailable })
  })
})
