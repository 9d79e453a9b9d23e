import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorize, startHost, type Host } from '../../support/host.ts'

const SCOPE = 'invoices:read'

/** An API, other forms of its address that name the same resource, and addresses that name another resource. */
const APIS = [
  {
    audience: 'http://api.localhost:9',
    same: [
      'http://api.localhost:9/',
      'HTTP://api.localhost:9',
      'http://API.LocalHost:9/',
      'http://api.localhost:9',
    ],
    other: [
      'http://api.localhost:9//',
      'http://api.localhost:9/.',
      'http://api.localhost:9/x',
      'http://api.localhost:9?',
      'http://api.localhost:9/#',
      'http://api.localhost:9\\',
      'http://user@api.localhost:9/',
      'http://api.localhost/',
      'https://api.localhost:9/',
      'http://api.localhost.:9/',
      'api.localhost:9',
    ],
  },
  {
    audience: 'https://api.example.com/v1',
    same: [
      'HTTPS://api.example.com/v1',
      'https://API.example.COM/v1',
      'https://api.example.com:443/v1',
      'https://api.example.com/v1',
    ],
    other: [
      'https://api.example.com/v1/',
      'https://api.example.com/V1',
      'https://api.example.com/x/../v1',
      'https://api.example.com/%76%31',
      'https://api.example.com//v1',
      'https://api.example.com/',
      'https://api.example.com\\v1',
    ],
  },
]

describe.each(APIS)('the resource parameter, for the API $audience', ({ audience, same, other }) => {
  let host: Host
  let key: Awaited<ReturnType<Host['createApiKey']>>
  beforeAll(async () => {
    host = await startHost({ gatehouse: { audience } })
    key = await host.createApiKey()
  })
  afterAll(() => host.close())

  const audienceOf = (body: Record<string, unknown>) => decodeJwt(String(body['access_token'])).aud

  it('all forms of the address name the API in a direct token request, alone and together, and other addresses do not', async () => {
    // A second parameter of no meaning makes a request unusual, so that oidc-provider answers it.
    for (const extra of [{}, { unknown: 'x' }]) {
      for (const resource of same) {
        const { status, body } = await host.requestDirectToken(key, { resource, ...extra })
        expect([resource, status, audienceOf(body)]).toEqual([resource, 200, audience])
      }
      for (const resource of other) {
        const { status, body } = await host.requestDirectToken(key, { resource, ...extra })
        expect([resource, status, body['error']]).toEqual([resource, 400, 'invalid_target'])
      }
    }
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...key })
    for (const resource of same) form.append('resource', resource)
    const response = await host.fetch(`${host.issuer}/oauth2/token`, { method: 'POST', body: form })
    expect(response.status).toBe(200)
    expect(audienceOf((await response.json()) as Record<string, unknown>)).toBe(audience)
  })

  it('all forms of the address name the API in requests of an application, and a consent for one form counts for all', async () => {
    const application = await host.createApplication()
    const browser = host.browser()
    const counts: number[] = []
    for (const form of [...same, undefined]) {
      const { code, pages } = await authorize(host, application.client_id, {
        browser,
        parameters: { scope: SCOPE, ...(form !== undefined && { resource: form }) },
      })
      counts.push(pages.length)
      const resource = same[counts.length % same.length]!
      const exchanged = await host.exchangeCode(application, code, { resource })
      expect([form, exchanged.status, audienceOf(exchanged.body)]).toEqual([form, 200, audience])
      const refreshed = await host.refresh(application, exchanged.body['refresh_token'], { resource })
      expect([form, refreshed.status, audienceOf(refreshed.body)]).toEqual([form, 200, audience])
    }
    // The first request shows the sign-in page and the consent page, all others return at once.
    expect(counts).toEqual([3, ...same.map(() => 1)])
    const { items } = await host.gatehouse.grants.list({ accountId: 'alice' })
    expect(items.at(-1)?.scopes).toEqual([SCOPE])

    const resource = other[0]!
    const parameters = { scope: SCOPE, resource }
    const { callback } = await authorize(host, application.client_id, { browser, parameters })
    expect(callback.searchParams.get('error')).toBe('invalid_target')
    const { code } = await authorize(host, application.client_id, { browser, parameters: { scope: SCOPE } })
    const rejected = await host.exchangeCode(application, code, { resource })
    expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_target'])
  })

  it('a value of more than 2,000 characters names no resource, and a shorter one is parsed', async () => {
    const { protocol, hostname, port, pathname } = new URL(audience)
    const spelled = (zeros: number) =>
      `${protocol}//${hostname}:${'0'.repeat(zeros)}${port || 443}${pathname}`
    expect((await host.requestDirectToken(key, { resource: spelled(1900) })).status).toBe(200)
    const { status, body } = await host.requestDirectToken(key, { resource: spelled(2000) })
    expect([status, body]).toEqual([
      400,
      {
        error: 'invalid_target',
        error_description: `unknown resource; leave it out or send ${audience}`,
      },
    ])
  })
})
