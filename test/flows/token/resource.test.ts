import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorize, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

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
      'https://api.example.com',
      'https://api.example.com\\v1',
    ],
  },
]

describeEachStore('the resource parameter', (makeStore) => {
  describe.each(APIS)('for the API $audience', ({ audience, same, other }) => {
    let host: Host
    beforeAll(async () => {
      host = await startHost({ store: makeStore(), gatehouse: { audience } })
      await host.gatehouse.ready()
    })
    afterAll(() => host.close())

    const audienceOf = (body: Record<string, unknown>) => decodeJwt(String(body['access_token'])).aud

    it.each(same)(
      '%s names the API in every request, and aud is the configured address',
      async (resource) => {
        const key = await host.createApiKey()
        // A second parameter of no meaning makes a request unusual, so that oidc-provider answers it.
        for (const extra of [{}, { unknown: 'x' }]) {
          const direct = await host.requestDirectToken(key, { resource, ...extra })
          expect([direct.status, audienceOf(direct.body)]).toEqual([200, audience])
        }

        const application = await host.createApplication()
        const { code } = await authorize(host, application.client_id, {
          parameters: { scope: `openid ${SCOPE}`, resource },
        })
        const exchanged = await host.exchangeCode(application, code, { resource })
        expect([exchanged.status, audienceOf(exchanged.body)]).toEqual([200, audience])
        const refreshed = await host.refresh(application, exchanged.body['refresh_token'], { resource })
        expect([refreshed.status, audienceOf(refreshed.body)]).toEqual([200, audience])
        const { items } = await host.gatehouse.grants.list({ accountId: 'alice' })
        const grant = items.find(({ clientId }) => clientId === application.client_id)
        expect(grant?.scopes).toEqual(['openid', SCOPE])

        // Requests without `resource`, and with another form of it, go on with the same grant.
        for (const form of [undefined, ...same]) {
          const { code: next, pages } = await authorize(host, application.client_id, {
            parameters: { scope: SCOPE, ...(form !== undefined && { resource: form }) },
          })
          expect(pages.length).toBeGreaterThan(0)
          const { status, body } = await host.exchangeCode(application, next, { resource })
          expect([form, status, audienceOf(body)]).toEqual([form, 200, audience])
        }
      },
    )

    it('a consent that was given for one form of the address counts for all', async () => {
      const application = await host.createApplication()
      const browser = host.browser()
      const counts: number[] = []
      for (const resource of same) {
        const { code, pages } = await authorize(host, application.client_id, {
          browser,
          parameters: { scope: SCOPE, resource },
        })
        expect(code).not.toBe('')
        counts.push(pages.length)
      }
      // The first request shows the sign-in page and the consent page, all others return at once.
      expect(counts).toEqual([3, ...same.slice(1).map(() => 1)])
    })

    it.each(other)('%s names another resource', async (resource) => {
      const key = await host.createApiKey()
      const direct = await host.requestDirectToken(key, { resource })
      expect([direct.status, direct.body['error']]).toEqual([400, 'invalid_target'])
      const application = await host.createApplication()
      const { callback } = await authorize(host, application.client_id, {
        parameters: { scope: SCOPE, resource },
      })
      expect(callback.searchParams.get('error')).toBe('invalid_target')
      const { code } = await authorize(host, application.client_id, { parameters: { scope: SCOPE } })
      const rejected = await host.exchangeCode(application, code, { resource })
      expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_target'])
    })

    it('a value of more than 2,000 characters names no resource, and a shorter one is parsed', async () => {
      const { protocol, hostname, port, pathname } = new URL(audience)
      const portOf = (zeros: number) => `${'0'.repeat(zeros)}${port || 443}`
      const spelled = (zeros: number) => `${protocol}//${hostname}:${portOf(zeros)}${pathname}`
      const key = await host.createApiKey()
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

    it('several forms of the address in one request name one resource', async () => {
      const key = await host.createApiKey()
      const form = new URLSearchParams({ grant_type: 'client_credentials', ...key })
      for (const resource of same) form.append('resource', resource)
      const response = await host.fetch(`${host.issuer}/oauth2/token`, { method: 'POST', body: form })
      expect(response.status).toBe(200)
      expect(audienceOf((await response.json()) as Record<string, unknown>)).toBe(audience)
    })
  })
})
