import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPartnerApp } from '../../examples/partner-app.ts'
import { createBrowser, type Browser, type Page } from '../support/browser.ts'
import { startHost, type Host } from '../support/host.ts'

/**
 * Tests the partner app against a test host, without a real browser. test/flows/browser has the whole journey
 * in a browser.
 */
describe('the partner app', () => {
  let host: Host
  let server: Server
  let home: string
  let browser: Browser

  beforeAll(async () => {
    host = await startHost()
    server = createServer()
    await new Promise<void>((resolve) => server.listen(0, () => resolve()))
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    home = `${origin}/`
    const { client_id, client_secret } = await host.createApplication({
      redirectUris: [`${origin}/callback`],
      postLogoutRedirectUris: [home],
    })
    const service = {
      issuer: host.issuer,
      api: host.audience,
      clientId: client_id,
      clientSecret: client_secret,
    }
    server.on('request', createPartnerApp(service, origin).callback())
  })
  afterAll(async () => {
    server?.close()
    await host?.close()
  })
  beforeEach(() => {
    browser = createBrowser({ follow: [host.origin, new URL(home).origin] })
  })

  /** Sends a user to the service, signs the user in if needed, and returns the consent page. */
  async function goToConsent(user: string): Promise<Page> {
    const page = await browser.submit(await browser.open(home), { action: /connect$/ })
    if (!page.body.includes('name="password"')) return page
    return browser.submit(page, { change: { identifier: user, password: 'correct' } })
  }

  const decide = (page: Page, scopes: string[], action = 'approve') =>
    browser.submit(page, { action: /consent$/, change: { scope: scopes }, button: ['action', action] })

  /** The text of a page, without markup. */
  const read = ({ body }: Page) => body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

  const forged = (state: string) =>
    `${home}callback?${new URLSearchParams({ code: 'another-users', state, iss: host.issuer }).toString()}`

  it('the partner app rejects a code that it did not request, and then still accepts the code that it requested', async () => {
    const printed = vi.spyOn(console, 'error')
    const consent = await goToConsent('alice')
    const rejected = await browser.open(forged('forged'))
    expect(rejected.status).toBe(200)
    expect(read(rejected)).toContain('This sign-in was started in another tab, or has ended.')
    expect(read(rejected)).toContain('Connect your account')
    expect(printed).not.toHaveBeenCalled()
    printed.mockRestore()
    expect(read(await decide(consent, ['invoices:read']))).toContain('Your account is connected.')
  })

  it('the partner app rejects a code from a browser that it never sent to the service', async () => {
    expect(read(await browser.open(forged('')))).toContain('Connect your account again.')
    const plain = await browser.open(`${home}callback?code=x`)
    expect(read(plain)).toContain('Connect your account again.')
  })

  it('after the API has rejected a call, the user can allow the operation on the consent page, and the next call succeeds', async () => {
    const consent = await goToConsent('bob')
    const connected = await decide(consent, ['profile', 'invoices:read'])
    expect(read(connected)).toContain('Your account is connected.')
    const rejected = await browser.submit(connected, { action: /invoices$/ })
    expect(read(rejected)).toContain('To change that, choose “Change what is allowed”.')

    // A denied request does not change the connection.
    const denied = await decide(await browser.submit(rejected, { action: /change$/ }), [], 'deny')
    expect(read(denied)).toContain('Nothing was changed.')
    expect(read(denied)).not.toContain('access_denied')
    expect(read(denied)).toContain('Connected as Bob')

    const again = await browser.submit(denied, { action: /change$/ })
    const changed = await decide(again, ['profile', 'invoices:read', 'invoices:create'])
    expect(read(changed)).toContain('Your choice was saved.')
    expect(read(await browser.submit(changed, { action: /invoices$/ }))).toContain('The invoice was created.')
  })

  it('if the user allows no operation that the partner app needs, the app reports this to the user', async () => {
    host.accounts.set('carol', { id: 'carol', claims: { name: 'Carol' } })
    const consent = await goToConsent('carol')
    const connected = await decide(consent, [])
    expect(read(connected)).toContain('You allowed Tallybook nothing that it needs.')
    expect(read(connected)).not.toContain('Your account is connected.')
  })

  it.each([
    ['Sign out', ['logout', 'yes'] as [string, string]],
    ['Stay signed in', undefined],
  ])(
    'after disconnecting (“%s”), the partner app says that its tokens are revoked, and that the user may still be signed in',
    async (_name, button) => {
      host.accounts.set('dan', { id: 'dan', claims: { name: 'Dan' } })
      const consent = await goToConsent('dan')
      const connected = consent.url.href === home ? consent : await decide(consent, ['invoices:read'])
      const [grant] = (await host.gatehouse.grants.list({ accountId: 'dan' })).items
      expect(grant).toMatchObject({ scopes: expect.arrayContaining(['invoices:read']) })
      const ask = await browser.submit(connected, { action: /disconnect$/ })
      const back = await browser.submit(ask, { button })
      expect(back.url.href).toBe(home)
      expect(read(back)).toContain('Disconnected: the tokens of Tallybook are revoked.')
      expect(read(back)).toContain('unless you chose “Sign out” there')
      expect(read(back)).not.toContain('Connected as')
      expect((await host.gatehouse.grants.list({ accountId: 'dan' })).items).toEqual([])
    },
  )

  it('the partner app keeps a connection that it could not revoke at the service', async () => {
    host.accounts.set('erin', { id: 'erin', claims: { name: 'Erin' } })
    const connected = await decide(await goToConsent('erin'), ['profile', 'invoices:read'])
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { fetch } = globalThis
    const cut = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const address = input instanceof Request ? input.url : String(input)
      if (address.endsWith('/oauth2/revoke')) throw new TypeError('fetch failed')
      return fetch(input, init)
    })
    const failed = await browser.submit(connected, { action: /disconnect$/ })
    cut.mockRestore()
    printed.mockRestore()
    expect(failed.status).toBe(502)
    expect(read(failed)).toContain('Nothing was changed.')
    expect(read(await browser.open(home))).toContain('Connected as Erin')
  })

  it('a new consent revokes the tokens of the previous connection', async () => {
    host.accounts.set('frank', { id: 'frank', claims: { name: 'Frank' } })
    const connected = await decide(await goToConsent('frank'), ['profile', 'invoices:read'])
    const [before] = (await host.gatehouse.grants.list({ accountId: 'frank' })).items
    await decide(await browser.submit(connected, { action: /change$/ }), ['profile', 'payments:list'])
    const { items } = await host.gatehouse.grants.list({ accountId: 'frank' })
    expect(items).toHaveLength(1)
    expect(items[0]?.grantId).not.toBe(before?.grantId)
  })
})
