import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { audienceOf, BOTH, PRODUCTS, startResources, TOOLS } from './setup.ts'

const AT_TOOLS = { scope: 'invoices:read', resource: TOOLS }
const AT_API = { scope: 'invoices:read' }

describeEachStore('consent at several resources', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startResources({ store: makeStore() })
  })
  afterAll(() => host.close())

  /** The number of pages until the application gets a code; 1 if the browser returns at once. */
  async function countPages(clientId: string, options: Parameters<typeof authorize>[2]): Promise<number> {
    const { code, pages } = await authorize(host, clientId, options)
    expect(code).not.toBe('')
    return pages.length
  }

  it('consent at one resource does not skip the page at another, although the scope is the same', async () => {
    const { client_id } = await host.createApplication({ products: BOTH })
    const browser = host.browser()
    // The first request shows the sign-in page and the consent page.
    expect(await countPages(client_id, { browser, parameters: AT_API })).toBe(3)
    expect(await countPages(client_id, { browser, parameters: AT_API })).toBe(1)
    expect(await countPages(client_id, { browser, parameters: AT_TOOLS })).toBe(2)
    expect(await countPages(client_id, { browser, parameters: AT_TOOLS })).toBe(1)
    expect(await countPages(client_id, { browser, parameters: AT_API })).toBe(1)
    const other = { scope: 'invoices:create', resource: TOOLS }
    expect(await countPages(client_id, { browser, parameters: other })).toBe(2)
  })

  it('a scope that was denied at one resource is not denied at another', async () => {
    const { client_id } = await host.createApplication({ products: BOTH })
    const browser = host.browser()
    const scope = 'invoices:read invoices:create'
    await authorize(host, client_id, {
      browser,
      parameters: { scope, resource: TOOLS },
      untick: ['invoices:create'],
    })
    const page = await browser.open(authorizationUrl(host, client_id, { scope }))
    expect(page.body).not.toContain('Denied before')
    expect(page.body).not.toContain('Allowed before')
    const atTools = await browser.open(authorizationUrl(host, client_id, { scope, resource: TOOLS }))
    expect(atTools.body).toContain('Denied before')
    expect(atTools.body).toContain('Allowed before')
  })

  it.each([
    ['en', 'The access is to <strong><bdi>Example tools</bdi></strong>.'],
    ['de', 'Der Zugriff gilt für <strong><bdi>Beispielwerkzeuge</bdi></strong>.'],
  ])(
    'the consent page names the resource in the language %s, and does not name the API',
    async (locale, text) => {
      const { client_id } = await host.createApplication({ products: BOTH })
      const { pages } = await authorize(host, client_id, { parameters: { ...AT_TOOLS, ui_locales: locale } })
      expect(pages[1]?.body).toContain(text)
      const atApi = await authorize(host, client_id, { parameters: { ...AT_API, ui_locales: locale } })
      expect(atApi.pages[1]?.body).toMatch(/name="scope"/)
      expect(atApi.pages[1]?.body).not.toContain('<strong>')
    },
  )

  it('each grant has one resource and its scopes, and revoking one grant forgets the consent at all resources', async () => {
    const application = await host.createApplication({ products: BOTH })
    const { client_id: clientId } = application
    const browser = host.browser()
    const api = await connect(host, application, { browser, user: 'bob', parameters: AT_API })
    const tools = await connect(host, application, {
      browser,
      parameters: { scope: 'openid tools:use', resource: TOOLS },
    })
    const { items } = await host.gatehouse.grants.list({ accountId: 'bob', clientId })
    expect(items.map(({ resource, scopes }) => [resource, scopes])).toEqual(
      expect.arrayContaining([
        [host.audience, ['invoices:read']],
        [TOOLS, ['openid', 'tools:use']],
      ]),
    )
    const grant = items.find(({ resource }) => resource === TOOLS)
    expect(await host.gatehouse.grants.find(grant?.grantId ?? '')).toEqual(grant)

    await host.gatehouse.grants.revoke(grant?.grantId ?? '')
    expect((await host.refresh(application, tools.refresh_token)).body['error']).toBe('invalid_grant')
    expect((await host.refresh(application, api.refresh_token)).status).toBe(200)
    expect(await countPages(clientId, { browser, parameters: AT_API })).toBe(2)
    expect(await countPages(clientId, { browser, parameters: { scope: 'tools:use', resource: TOOLS } })).toBe(
      2,
    )
  })

  it('a lowered role revokes the operations of the grants for every resource', async () => {
    const application = await host.createApplication({ products: BOTH })
    const browser = host.browser()
    const tokens = await connect(host, application, { browser, user: 'alice', parameters: AT_TOOLS })
    const alice = host.accounts.get('alice')
    host.accounts.set('alice', { id: 'alice', ...alice, operations: ['tools:use'] })
    expect(await host.gatehouse.accounts.changed('alice')).toMatchObject({ grants: expect.any(Number) })
    expect((await host.userInfo(tokens.access_token)).status).toBe(401)
    const refreshed = await host.refresh(application, tokens.refresh_token)
    expect([refreshed.status, refreshed.body['error']]).toEqual([400, 'invalid_scope'])
    host.accounts.set('alice', alice!)
  })

  it('an application of the host itself needs no page at any resource', async () => {
    const application = await host.createApplication({ products: BOTH, firstParty: true })
    const { pages, code } = await authorize(host, application.client_id, { parameters: AT_TOOLS })
    // The sign-in page, and the redirect to the application.
    expect(pages).toHaveLength(2)
    const { body } = await host.exchangeCode(application, code)
    expect(audienceOf(body['access_token'])).toBe(TOOLS)
  })
})

describeEachStore('a consent that was stored before there were several resources', (makeStore) => {
  it('the consent counts at the API, and at no other resource', async () => {
    const store = makeStore()
    const before = await startHost({ store, gatehouse: { products: PRODUCTS } })
    const { client_id } = await before.createApplication({ products: BOTH })
    const { browser, pages } = await authorize(before, client_id, { parameters: AT_API })
    expect(pages).toHaveLength(3)
    await before.close()

    const host = await startResources({ store, port: before.port })
    await host.gatehouse.ready()
    expect((await authorize(host, client_id, { browser, parameters: AT_API })).pages).toHaveLength(1)
    expect((await authorize(host, client_id, { browser, parameters: AT_TOOLS })).pages).toHaveLength(2)
    await host.close()
  })
})
