import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account } from 'koa-gatehouse'
import type { Page } from '../../support/browser.ts'
import { authorizationUrl, signInAs, startHost, type Host } from '../../support/host.ts'
import { send } from '../../support/raw-request.ts'

const PAYLOADS = [
  '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>",
  '</title></textarea></style><svg onload=alert(1)>',
  '" autofocus onfocus=alert(1) x="',
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '\u202e<script>\u2028alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
]

/** Elements that the pages do not have, and addresses that run scripts. */
const INJECTED = /<(script|img src=x|svg|iframe)|(href|src|action)="javascript:/i
/**
 * Event handler attributes. The values of attributes may contain any text, so the test removes them first.
 */
const HANDLERS = /<[^>]*\son\w+\s*=/i

const isHarmless = (body: string) => !INJECTED.test(body) && !HANDLERS.test(body.replaceAll(/"[^"]*"/g, '""'))

const hasPolicy = ({ headers }: Page) =>
  headers.get('content-security-policy')?.includes("default-src 'none'") ?? false

describe('text from requests and accounts on pages', () => {
  let host: Host
  let accounts: Map<string, Account>
  beforeAll(async () => {
    accounts = new Map([['acme', { id: 'acme', kycLevel: 'verified', claims: { name: PAYLOADS[0] } }]])
    for (const payload of PAYLOADS)
      accounts.set(payload, { id: payload, kycLevel: 'basic', claims: { name: payload } })
    host = await startHost({ accounts })
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  const parameters =
    `client_id redirect_uri response_type response_mode scope state prompt nonce display max_age
    ui_locales login_hint id_token_hint acr_values code_challenge code_challenge_method resource request request_uri
    registration claims other`.split(/\s+/)
  const ofSignOut = [
    'client_id',
    'post_logout_redirect_uri',
    'state',
    'id_token_hint',
    'logout_hint',
    'ui_locales',
  ]

  it('no parameter of an authorization request or of a sign-out can inject HTML', async () => {
    const { client_id } = await host.createApplication()
    const browser = host.browser()
    const injected: string[] = []
    for (const payload of PAYLOADS) {
      const logout = (name: string) => new URLSearchParams({ client_id, [name]: payload }).toString()
      for (const url of [
        ...parameters.map((name) => authorizationUrl(host, client_id, { [name]: payload })),
        ...ofSignOut.map((name) => new URL(`${host.issuer}/oauth2/logout?${logout(name)}`)),
      ]) {
        const page = await browser.open(url)
        const isSafe =
          page.status === 0 ? page.url.protocol === 'http:' : page.status < 500 && hasPolicy(page)
        if (!isSafe || !isHarmless(page.body)) injected.push(url.href)
      }
    }
    expect(injected).toEqual([])
  })

  it('names of applications, accounts and developers, and text that a user types, cannot inject HTML', async () => {
    for (const payload of PAYLOADS) {
      const name = payload.replaceAll(/[\u2028\u202e]/g, '')
      const { client_id } = await host.createApplication({ name })
      const browser = host.browser()
      const signIn = await browser.open(authorizationUrl(host, client_id, { login_hint: payload }))
      const failed = await signInAs(browser, signIn, payload, 'wrong')
      const consent = await signInAs(browser, failed, payload)
      expect([signIn.status, failed.status, consent.status]).toEqual([200, 401, 200])
      expect(consent.body).toContain('/consent"')
      for (const page of [signIn, failed, consent]) expect(isHarmless(page.body), payload).toBe(true)
      expect(failed.body).not.toContain('wrong')
    }
  })

  it('no parameter can split a header or set a cookie', async () => {
    const { client_id } = await host.createApplication()
    const split = 'x%0d%0aSet-Cookie:%20evil=1%0d%0a%0d%0a<html>'
    for (const name of parameters) {
      const url = authorizationUrl(host, client_id, { prompt: 'none', [name]: '' })
      for (const target of [
        `${url.pathname}${url.search}&${name}=${split}`,
        `/auth/oauth2/logout?${name}=${split}`,
      ]) {
        const answer = await send(host.port, { target })
        expect(answer.status).toBeLessThan(500)
        expect(answer.headers.getSetCookie().join()).not.toContain('evil')
        expect(answer.headers.get('location') ?? '').not.toMatch(/[\r\n]/)
      }
    }
  })

  it('the longest allowed ui_locales is handled quickly, and a longer value is rejected', async () => {
    const products = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [
        `product${i}`,
        {
          title: { en: `Product ${i}`, de: `Produkt ${i}` },
          operations: { [`o${i}:read`]: { route: `GET /o${i}`, title: { en: 'Read', de: 'Lesen' } } },
        },
      ]),
    )
    const other = await startHost({ gatehouse: { products } as object })
    try {
      await other.gatehouse.ready()
      const { client_id } = await other.createApplication({ products: Object.keys(products) })
      for (const languages of ['a-'.repeat(250), 'de-x-y '.repeat(70), '*,'.repeat(250)]) {
        const browser = other.browser()
        const signIn = await browser.open(authorizationUrl(other, client_id, { ui_locales: languages }))
        const start = process.cpuUsage()
        const consent = await signInAs(browser, signIn, 'alice')
        expect(consent.body).toContain('o199:read')
        const { user, system } = process.cpuUsage(start)
        expect((user + system) / 1000).toBeLessThan(500)
      }
      const longer = authorizationUrl(other, client_id, { ui_locales: 'de-x-y '.repeat(900) })
      const rejected = await fetch(longer, { redirect: 'manual' })
      const answer = new URL(rejected.headers.get('location') ?? '').searchParams
      expect(answer.get('error')).toBe('invalid_request')
      expect(answer.get('error_description')).toContain('ui_locales is too long')
      const polite = await other
        .browser()
        .open(authorizationUrl(other, client_id, { ui_locales: 'xx de-AT' }))
      expect(polite.status).toBe(200)
    } finally {
      await other.close()
    }
  })
})
