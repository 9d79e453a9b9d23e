import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { authorizationUrl, authorize, connect, signInAs, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { audienceOf, BOTH, callTools, PRODUCTS, RESOURCES, startResources, TOOLS } from './setup.ts'

/** Other spellings of the address of the resource, which clients may send. */
const SPELLINGS = ['HTTPS://tools.example/mcp', 'https://TOOLS.example/mcp', 'https://tools.example:443/mcp']

/** Addresses of no resource. */
const UNKNOWN = [
  'https://tools.example/mcp/',
  'https://tools.example/MCP',
  'https://tools.example/mcp#x',
  'https://tools.example/mcp?x=1',
  'https://tools.example',
  'http://tools.example/mcp',
  '/mcp',
  'mcp',
  'constructor',
  '__proto__',
]

/** Requests that oidc-provider answers because of a further parameter, and requests of the fast path. */
const WAYS = [{}, { unknown: 'x' }]

describeEachStore('tokens for several resources', (makeStore) => {
  let host: Host
  let key: { client_id: string; client_secret: string }
  let application: { client_id: string; client_secret: string }
  beforeAll(async () => {
    host = await startResources({ store: makeStore() })
    key = await host.createApiKey(BOTH)
    application = await host.createApplication({ products: BOTH })
  })
  beforeEach(() => void host.reached.splice(0))
  afterAll(() => host.close())

  const rejection = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
    status,
    body['error'],
    body['error_description'],
  ]

  it('an unknown resource: the error names the nearest resource, or the one of the refresh token', async () => {
    const nearest = async (resource: string, way: object) =>
      rejection(await host.requestDirectToken(key, { resource, ...way })).at(-1)
    for (const way of WAYS) {
      for (const resource of [`${TOOLS}/`, `${TOOLS}/x`, 'http://tools.example/mcp', 'https://tools.example'])
        expect([resource, await nearest(resource, way)]).toEqual([
          resource,
          `unknown resource; send ${TOOLS}`,
        ])
      for (const resource of [`${host.audience}/`, 'api', 'https://other.example/mcp'])
        expect([resource, await nearest(resource, way)]).toEqual([
          resource,
          `unknown resource; leave it out or send ${host.audience}`,
        ])
    }
    const { refresh_token } = await connect(host, application)
    const refreshed = await host.refresh(application, refresh_token, { resource: `${host.audience}/` })
    expect(rejection(refreshed)).toEqual([
      400,
      'invalid_target',
      `the refresh token is for the resource ${host.audience}; leave resource out, or send this one`,
    ])
  })

  it('a direct token is for the resource that the request names, with the scopes that the key and the resource share', async () => {
    for (const way of WAYS) {
      const api = await host.requestDirectToken(key, way)
      expect([api.status, audienceOf(api.body['access_token'])]).toEqual([200, host.audience])
      expect(api.body['scope']).toBe(
        'invoices:read invoices:create payments:list payments:transfer tools:use',
      )
      for (const resource of [TOOLS, ...SPELLINGS]) {
        const tools = await host.requestDirectToken(key, { resource, ...way })
        expect([tools.status, audienceOf(tools.body['access_token'])]).toEqual([200, TOOLS])
        expect(tools.body['scope']).toBe('invoices:read invoices:create tools:use')
      }
    }
  })

  it('each gateway accepts only the tokens of its resource, and the handler of another is not reached', async () => {
    const api = String((await host.requestDirectToken(key)).body['access_token'])
    const tools = String((await host.requestDirectToken(key, { resource: TOOLS })).body['access_token'])
    expect((await host.call('GET /invoices/list', api)).status).toBe(200)
    expect((await callTools(host, 'GET /run', tools)).status).toBe(200)
    expect(host.reached).toEqual(['GET /api/invoices/list', 'GET /mcp/run'])

    const atApi = await host.call('GET /invoices/list', tools)
    expect(rejection(atApi)).toEqual([401, 'invalid_token', 'the access token is for another audience'])
    expect(atApi.headers.get('www-authenticate')).toContain(`realm="${host.audience}"`)
    const atTools = await callTools(host, 'GET /run', api)
    expect(rejection(atTools)).toEqual([401, 'invalid_token', 'the access token is for another audience'])
    expect(atTools.challenge).toContain(
      'resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp"',
    )
    expect(host.reached).toHaveLength(2)
  })

  it('a gateway has only the operations of the products of its resource', async () => {
    const tools = String((await host.requestDirectToken(key, { resource: TOOLS })).body['access_token'])
    expect((await callTools(host, 'GET /invoices/list', tools)).status).toBe(200)
    expect(rejection(await callTools(host, 'GET /payments/list', tools)).slice(0, 2)).toEqual([
      404,
      'not_found',
    ])
    expect(host.reached).toEqual(['GET /mcp/invoices/list'])
  })

  it('any other address names no resource', async () => {
    for (const resource of UNKNOWN) {
      for (const way of WAYS) {
        const { status, body } = await host.requestDirectToken(key, { resource, ...way })
        expect([resource, status, body['error']]).toEqual([resource, 400, 'invalid_target'])
        expect(body['error_description']).toMatch(/^unknown resource; (leave it out or )?send https?:/)
        expect(body['access_token']).toBeUndefined()
      }
      const { callback } = await authorize(host, application.client_id, { parameters: { resource } })
      expect([resource, callback.searchParams.get('error')]).toEqual([resource, 'invalid_target'])
      expect(callback.searchParams.get('code')).toBeNull()
    }
  })

  it('two different resources in one request are rejected, and two spellings of one are not', async () => {
    const two: [string, string][] = [
      ['resource', TOOLS],
      ['resource', host.audience],
    ]
    const own = { ...key, grant_type: 'client_credentials' }
    const direct = await host.post('/oauth2/token', [...Object.entries(own), ...two])
    expect(rejection(direct)).toEqual([
      400,
      'invalid_target',
      'a token is for one resource; send one request for each resource',
    ])
    const same: [string, string][] = SPELLINGS.map((each) => ['resource', each])
    const one = await host.post('/oauth2/token', [...Object.entries(own), ...same])
    expect([one.status, audienceOf(one.body['access_token'])]).toEqual([200, TOOLS])

    const address = authorizationUrl(host, application.client_id, { scope: 'invoices:read' })
    for (const [name, value] of two) address.searchParams.append(name, value)
    const page = await host.browser().open(address)
    expect(page.url.searchParams.get('error')).toBe('invalid_target')
    expect(page.url.searchParams.get('error_description')).toContain('one request for each resource')
  })

  it('two spellings of a resource in one authorization request name one resource, also if the person changes the account', async () => {
    const address = authorizationUrl(host, application.client_id, { scope: 'tools:use' })
    for (const each of SPELLINGS) address.searchParams.append('resource', each)
    const browser = host.browser()
    const consent = await signInAs(browser, await browser.open(address), 'alice')
    expect(consent.body).toContain('Example tools')
    const signIn = await browser.submit(consent, { action: /switch/ })
    const again = await signInAs(browser, signIn, 'bob')
    expect(again.body).toContain('Example tools')
    const button: [string, string] = ['action', 'approve']
    const page = await browser.submit(again, { action: /consent/, change: { scope: ['tools:use'] }, button })
    const code = page.url.searchParams.get('code') ?? ''
    const { status, body } = await host.exchangeCode(application, code)
    expect([status, audienceOf(body['access_token'])]).toEqual([200, TOOLS])
  })

  it('a code exchange and a refresh keep the resource of the grant, whether they name it or not', async () => {
    for (const parameters of [{}, { resource: TOOLS }, { resource: SPELLINGS[2] ?? '' }]) {
      const { code } = await authorize(host, application.client_id, {
        parameters: { scope: 'tools:use invoices:read', resource: TOOLS },
      })
      const { status, body } = await host.exchangeCode(application, code, parameters)
      expect([status, audienceOf(body['access_token'])]).toEqual([200, TOOLS])
      expect(body['scope']).toBe('tools:use invoices:read')
      const next = await host.refresh(application, body['refresh_token'], parameters)
      expect([next.status, audienceOf(next.body['access_token'])]).toEqual([200, TOOLS])
      expect((await callTools(host, 'POST /run', String(next.body['access_token']))).status).toBe(200)
    }
  })

  it('a code exchange that names another resource is rejected, and the code stays usable', async () => {
    const { code } = await authorize(host, application.client_id, {
      parameters: { scope: 'invoices:read', resource: TOOLS },
    })
    const other = await host.exchangeCode(application, code, { resource: host.audience })
    expect(rejection(other)).toEqual([
      400,
      'invalid_target',
      `the authorization code is for the resource ${TOOLS}; leave resource out, or send this one`,
    ])
    const own: [string, string][] = Object.entries({ ...application, grant_type: 'authorization_code', code })
    const both: [string, string][] = [
      ['resource', TOOLS],
      ['resource', host.audience],
    ]
    expect(rejection(await host.post('/oauth2/token', [...own, ...both])).slice(0, 2)).toEqual([
      400,
      'invalid_target',
    ])
    const { status, body } = await host.exchangeCode(application, code)
    expect([status, audienceOf(body['access_token'])]).toEqual([200, TOOLS])
  })

  it('a refresh that names another resource is rejected, and the refresh token stays usable', async () => {
    const tokens = await connect(host, application, {
      parameters: { scope: 'invoices:read', resource: TOOLS },
    })
    const other = await host.refresh(application, tokens.refresh_token, { resource: host.audience })
    expect(rejection(other)).toEqual([
      400,
      'invalid_target',
      `the refresh token is for the resource ${TOOLS}; leave resource out, or send this one`,
    ])
    const unknown = await host.refresh(application, tokens.refresh_token, {
      resource: 'https://evil.example',
    })
    expect(rejection(unknown).slice(0, 2)).toEqual([400, 'invalid_target'])
    const { status, body } = await host.refresh(application, tokens.refresh_token)
    expect([status, audienceOf(body['access_token'])]).toEqual([200, TOOLS])
  })

  it('a client without a product of the resource is rejected, and the answer names the resource', async () => {
    const payer = await host.createApiKey(['payments'])
    for (const way of WAYS) {
      const direct = await host.requestDirectToken(payer, { resource: TOOLS, ...way })
      expect(rejection(direct)).toEqual([
        400,
        'invalid_target',
        `this API key may use no operation of the resource ${TOOLS}; add one of its products, or name another resource`,
      ])
      expect((await host.requestDirectToken(payer, way)).status).toBe(200)
    }
    const app = await host.createApplication({ products: ['payments'] })
    const { callback } = await authorize(host, app.client_id, { parameters: { resource: TOOLS } })
    expect(callback.searchParams.get('error')).toBe('invalid_target')
    expect(callback.searchParams.get('error_description')).toContain(TOOLS)

    const none = await host.requestDirectToken(await host.createApiKey([]), { resource: TOOLS })
    expect(rejection(none).slice(0, 2)).toEqual([400, 'unauthorized_client'])
  })

  it('a scope of another resource is rejected, and the answer names the resource', async () => {
    for (const way of WAYS) {
      const direct = await host.requestDirectToken(key, { resource: TOOLS, scope: 'payments:list', ...way })
      expect(rejection(direct)).toEqual([
        400,
        'invalid_scope',
        `the operation payments:list does not belong to the resource ${TOOLS}`,
      ])
    }
    const parameters = { resource: TOOLS, scope: 'payments:list' }
    const { callback } = await authorize(host, application.client_id, { parameters })
    expect(callback.searchParams.get('error')).toBe('invalid_scope')
    expect(callback.searchParams.get('error_description')).toContain(TOOLS)
  })

  it('without scope, an application asks for all its operations of the resource', async () => {
    const tokens = await connect(host, application, { parameters: { resource: TOOLS } })
    expect(tokens.scope).toBe('invoices:read invoices:create tools:use')
  })
})

describeEachStore('resources whose products or options change', (makeStore) => {
  it('a reload that removes a product from the catalog removes it from the resource, and from its metadata', async () => {
    let current: object = PRODUCTS
    const host = await startResources({
      store: makeStore(),
      gatehouse: { products: () => current as typeof PRODUCTS },
    })
    const key = await host.createApiKey(BOTH)
    const only = await host.createApiKey(['tools'])
    const token = String((await host.requestDirectToken(key, { resource: TOOLS })).body['access_token'])
    expect((await callTools(host, 'GET /run', token)).status).toBe(200)

    const { tools: _removed, ...others } = PRODUCTS
    current = others
    await host.gatehouse.catalog.reload()
    const after = await host.requestDirectToken(key, { resource: TOOLS })
    expect(after.body['scope']).toBe('invoices:read invoices:create')
    expect((await callTools(host, 'GET /run', token)).status).toBe(404)
    expect((await host.requestDirectToken(only, { resource: TOOLS })).body['error']).toBe(
      'unauthorized_client',
    )
    const metadata = await fetch(`${host.origin}/.well-known/oauth-protected-resource/mcp`)
    expect(await metadata.json()).toMatchObject({
      resource: TOOLS,
      scopes_supported: ['invoices:create', 'invoices:read'],
    })
    await host.close()
  })

  it('a refresh token of a resource that was removed from the options is rejected, and stays usable', async () => {
    const store = makeStore()
    const before = await startResources({ store })
    const application = await before.createApplication({ products: BOTH })
    const parameters = { scope: 'invoices:read', resource: TOOLS }
    const { refresh_token } = await connect(before, application, { parameters })
    await before.close()

    const without = await startResources({
      store,
      port: before.port,
      gatehouse: { resources: {} },
      mount: mountApi,
    })
    const { status, body } = await without.refresh(application, refresh_token)
    expect([status, body['error']]).toEqual([400, 'invalid_target'])
    expect(body['error_description']).toBe('the resource of this refresh token does not exist any more')
    const { items } = await without.gatehouse.grants.list({ accountId: 'alice' })
    expect(items).toMatchObject([{ resource: TOOLS, scopes: ['invoices:read'] }])
    await without.close()

    const again = await startResources({ store, port: before.port })
    expect((await again.refresh(application, refresh_token)).status).toBe(200)
    await again.close()
  })

  it('an entry of the audience limits the API to some products', async () => {
    const audience = 'https://api.example/api'
    const host = await startResources({
      store: makeStore(),
      gatehouse: {
        audience,
        metadataScopes: ['payments:list', 'unknown:scope'],
        resources: { ...RESOURCES, [audience]: { products: ['payments'] } },
      },
    })
    const key = await host.createApiKey(BOTH)
    const { body } = await host.requestDirectToken(key)
    expect([audienceOf(body['access_token']), body['scope']]).toEqual([
      audience,
      'payments:list payments:transfer',
    ])
    const token = String(body['access_token'])
    expect((await host.call('GET /payments/list', token)).status).toBe(200)
    expect((await host.call('GET /invoices/list', token)).status).toBe(404)
    const metadata = await fetch(`${host.origin}/.well-known/oauth-protected-resource/api`)
    expect(await metadata.json()).toMatchObject({ resource: audience, scopes_supported: ['payments:list'] })
    const only = await host.requestDirectToken(await host.createApiKey(['tools']))
    expect(only.body).toMatchObject({
      error: 'invalid_target',
      error_description: expect.stringContaining(audience),
    })
    await host.close()
  })

  it('a resource on the root of a host name has the spelling with a trailing slash too', async () => {
    const root = 'https://files.example'
    const host = await startResources({
      store: makeStore(),
      gatehouse: { resources: { ...RESOURCES, [root]: { products: ['tools'], title: 'Files' } } },
    })
    const key = await host.createApiKey(BOTH)
    for (const resource of [root, `${root}/`, 'HTTPS://FILES.example:443/']) {
      const { status, body } = await host.requestDirectToken(key, { resource })
      expect([status, audienceOf(body['access_token'])]).toEqual([200, root])
    }
    expect((await host.requestDirectToken(key, { resource: `${root}//` })).body['error']).toBe(
      'invalid_target',
    )
    await host.close()
  })
})

function mountApi(app: Host['app'], gatehouse: Host['gatehouse']): void {
  app.use(gatehouse.middleware())
}

describe('a resource with a product that does not exist', () => {
  it('one warning names the product, and the resource works without it', async () => {
    const warnings: object[] = []
    const silent = () => {}
    const warn = (details: object, message: string) => void warnings.push({ ...details, message })
    const host = await startResources({
      gatehouse: {
        resources: { [TOOLS]: { products: ['tools', 'gone'], title: 'Tools' } },
        logger: { debug: silent, info: silent, warn, error: silent },
      },
    })
    const key = await host.createApiKey(BOTH)
    for (const way of WAYS) {
      expect((await host.requestDirectToken(key, { resource: TOOLS, ...way })).body['scope']).toBe(
        'tools:use',
      )
    }
    const message = 'a resource names a product that does not exist'
    expect(warnings.filter((each) => 'product' in each)).toEqual([
      { resource: TOOLS, product: 'gone', message },
    ])
    await host.close()
  })
})
