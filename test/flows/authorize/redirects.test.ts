import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { authorizationUrl, authorize, CALLBACK, signInAs, startHost, type Host } from '../../support/host.ts'

const SIGNED = `${CALLBACK}?next=a%20b&&sig=~x!&state=old`

describe('redirects of an authorization', () => {
  let host: Host
  let clientId: string
  beforeAll(async () => {
    const above = [
      async (ctx: { set(headers: object): void }, next: () => Promise<unknown>) => {
        ctx.set({
          'Cross-Origin-Opener-Policy': 'same-origin',
          'Cross-Origin-Opener-Policy-Report-Only': 'same-origin',
        })
        await next()
      },
    ]
    host = await startHost({ store: memoryStore(), above })
    clientId = (await host.createApplication({ redirectUris: [CALLBACK, SIGNED] })).client_id
  })
  afterAll(() => host.close())

  it('keep the query of the redirect URI as it is registered, except for parameters of the answer', async () => {
    const { callback } = await authorize(host, clientId, { parameters: { redirect_uri: SIGNED } })
    expect(callback.href).toMatch(
      /^http:\/\/localhost:9\/callback\?next=a%20b&&sig=~x!&code=[\w-]+&state=xyz&iss=/,
    )
    const parameters = { redirect_uri: SIGNED, scope: 'nothing:here' }
    const rejected = await host.browser().open(authorizationUrl(host, clientId, parameters))
    expect(rejected.url.href).toMatch(
      /^http:\/\/localhost:9\/callback\?next=a%20b&&sig=~x!&error=invalid_scope&/,
    )
  })

  it('and pages and errors let a popup keep its opener, although a middleware of the host forbids it', async () => {
    const browser = host.browser()
    const policies: (string | null)[] = []
    const open = browser.request
    const seen = async (...request: Parameters<typeof open>) => {
      const page = await open(...request)
      policies.push(
        page.headers.get('cross-origin-opener-policy'),
        page.headers.get('cross-origin-opener-policy-report-only'),
      )
      return page
    }
    const start = await seen(authorizationUrl(host, clientId, { prompt: 'consent' }))
    const signIn = await seen(new URL(start.headers.get('location') ?? '', host.origin))
    const consent = await signInAs(browser, signIn, 'alice')
    await seen(consent.url)
    for (const path of [
      '/interaction/none',
      '/oauth2/authorize/none',
      '/oauth2/authorize',
      '/oauth2/logout',
    ]) {
      await seen(new URL(host.issuer + path))
    }
    expect(policies).toEqual(Array.from({ length: 14 }, () => null))
    const ownPage = await open(new URL(`${host.origin}/page`))
    expect(ownPage.headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })
})
