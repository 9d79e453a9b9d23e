import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'
import { createLimits } from '../../../src/limits.ts'
import { mintToken } from '../../../src/testing/index.ts'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { basic, type Client } from '../../support/host-requests.ts'
import { describeEachStore } from '../../support/stores.ts'
import { BOTH, callTools, RESOURCES, startResources, TOOLS } from './setup.ts'

describeEachStore('the endpoints and services with tokens for several resources', (makeStore) => {
  let host: Host
  let key: Client
  let application: Client
  beforeAll(async () => {
    host = await startResources({ store: makeStore() })
    key = await host.createApiKey(BOTH)
    application = await host.createApplication({ products: BOTH })
  })
  afterAll(() => host.close())

  const directToken = async (resource: string) =>
    String((await host.requestDirectToken(key, { resource })).body['access_token'])
  const tokensFor = (resource: string) =>
    connect(host, application, { parameters: { scope: 'openid email invoices:read', resource } })

  /** An API key that is a resource server. */
  async function createServer(resources?: readonly string[]) {
    const { apiKeys } = host.gatehouse
    const { apiKey, clientSecret } = await apiKeys.create({
      accountId: 'acme',
      name: 'A server',
      resourceServer: true,
      resources,
    })
    return { client_id: apiKey.clientId, client_secret: clientSecret }
  }

  it('user info accepts the tokens of every resource', async () => {
    for (const resource of [host.audience, TOOLS]) {
      const { access_token } = await tokensFor(resource)
      const { status, body } = await host.userInfo(access_token)
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ sub: 'alice', email: 'alice@example.com' }),
      ])
    }
  })

  it('user info and API read the header Authorization alike: any blanks after Bearer, and DPoP counts as no token', async () => {
    const { access_token } = await connect(host, await host.createApplication({ products: BOTH }), {
      parameters: { scope: 'openid invoices:read' },
    })
    const addresses = [`${host.issuer}/oauth2/userinfo`, `${host.audience}/invoices/list`]
    const ask = (headers: Record<string, string>) =>
      Promise.all(addresses.map((address) => host.fetch(address, { headers })))
    for (const scheme of ['Bearer ', 'bearer   ']) {
      const answers = await ask({ authorization: scheme + access_token })
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
    }
    for (const answer of await ask({ authorization: `DPoP ${access_token}`, dpop: 'proof' })) {
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
      expect(await answer.text()).toMatch(/send an access token in the header .*Bearer/)
    }
  })

  it('introspection names the resource of a token, for its own client and for a resource server', async () => {
    const server = await createServer()
    for (const resource of [host.audience, TOOLS]) {
      const token = await directToken(resource)
      for (const caller of [key, server]) {
        expect((await host.introspect(caller, token)).body).toMatchObject({ active: true, aud: resource })
      }
    }
  })

  it('a resource server that is limited to resources sees all other tokens as not active', async () => {
    const server = await createServer([TOOLS])
    const delegated = await tokensFor(host.audience)
    const hidden = [await directToken(host.audience), delegated.access_token, delegated.refresh_token]
    for (const token of hidden) {
      const { status, body } = await host.introspect(server, token)
      expect([status, body]).toEqual([200, { active: false }])
    }
    const seen = [await directToken(TOOLS), (await tokensFor(TOOLS)).access_token]
    for (const token of seen) {
      expect((await host.introspect(server, token)).body).toMatchObject({ active: true, aud: TOOLS })
    }
  })

  it('setResourceServer() limits a key, and a later call without resources removes the limit', async () => {
    const server = await createServer()
    const token = await directToken(host.audience)
    const isActive = async () => (await host.introspect(server, token)).body['active']
    const { apiKeys } = host.gatehouse
    expect(await isActive()).toBe(true)
    const limited = await apiKeys.setResourceServer(server.client_id, true, {
      resources: [TOOLS],
      actor: 'ann',
    })
    expect([limited.resources, await isActive()]).toEqual([[TOOLS], false])
    expect((await apiKeys.find(server.client_id))?.resources).toEqual([TOOLS])
    const all = await apiKeys.setResourceServer(server.client_id, true)
    expect([all.resources, await isActive()]).toEqual([undefined, true])
  })

  it('resources of a key must be resources of the service, and need resourceServer', async () => {
    const { apiKeys } = host.gatehouse
    const input = { accountId: 'acme', name: 'Wrong' }
    const server = await createServer()
    for (const resources of [['https://unknown.example'], [], 'x', [TOOLS, TOOLS], [7]]) {
      const rejected = expect.objectContaining({
        code: 'ERR_INVALID_ARGUMENT',
        message: expect.stringContaining('resources'),
      })
      const wrong = resources as string[]
      await expect(apiKeys.create({ ...input, resourceServer: true, resources: wrong })).rejects.toEqual(
        rejected,
      )
      await expect(apiKeys.setResourceServer(server.client_id, true, { resources: wrong })).rejects.toEqual(
        rejected,
      )
    }
    const needs = expect.objectContaining({ message: expect.stringContaining('needs resourceServer: true') })
    await expect(apiKeys.create({ ...input, resources: [TOOLS] })).rejects.toEqual(needs)
    await expect(apiKeys.setResourceServer(server.client_id, false, { resources: [TOOLS] })).rejects.toEqual(
      needs,
    )
    expect((await apiKeys.find(server.client_id))?.resourceServer).toBe(true)
  })

  it('a client revokes its tokens for every resource, and both gateways reject them', async () => {
    const api = await directToken(host.audience)
    const tools = await directToken(TOOLS)
    for (const token of [api, tools]) {
      const { status } = await host.post('/oauth2/revoke', { token }, basic(key))
      expect(status).toBe(200)
    }
    expect((await host.call('GET /invoices/list', api)).body['error_description']).toContain('revoked')
    expect((await callTools(host, 'GET /run', tools)).body['error_description']).toContain('revoked')
  })

  it('tokens.revoke() of the host accepts the tokens of every resource, and of no other', async () => {
    const token = await directToken(TOOLS)
    await host.gatehouse.tokens.revoke(token)
    expect((await callTools(host, 'GET /run', token)).status).toBe(401)
    const other = await startHost({ gatehouse: { audience: 'https://other.example/api' } })
    const foreign = await mintToken(other.gatehouse, { accountId: 'acme', scopes: ['invoices:read'] })
    await expect(host.gatehouse.tokens.revoke(foreign)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    await other.close()
  })

  it('mintToken() makes a token for {base_url} or for the given resource, and rejects an unknown one', async () => {
    const mint = (scope: string, resource?: string) =>
      mintToken(
        host.gatehouse,
        { accountId: 'alice', scopes: [scope] },
        { allowPersistentStore: true, ...(resource !== undefined && { resource }) },
      )
    const forTools = await mint('invoices:read', TOOLS)
    expect((await callTools(host, 'GET /invoices/list', forTools)).status).toBe(200)
    expect((await host.call('GET /invoices/list', forTools)).status).toBe(401)
    for (const resource of [undefined, host.audience])
      expect((await host.call('GET /invoices/list', await mint('invoices:read', resource))).status).toBe(200)
    await expect(mint('tools:use', 'https://other.example')).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      problems: [{ path: 'resource', code: 'choice' }],
    })
  })

  it('the tokens of a service whose audience is not a resource are rejected everywhere', async () => {
    const store = makeStore()
    const former = await startHost({ store, gatehouse: { audience: 'https://former.example/x' } })
    const old = await former.createApiKey(['invoices'])
    const token = String((await former.requestDirectToken(old)).body['access_token'])
    await former.close()
    const now = await startResources({ store, port: former.port })
    await now.gatehouse.ready()
    expect((await now.call('GET /invoices/list', token)).body['error_description']).toContain(
      'another audience',
    )
    expect((await callTools(now, 'GET /run', token)).body['error_description']).toContain('another audience')
    expect((await now.introspect(old, token)).body).toEqual({ active: false })
    expect((await now.userInfo(token)).status).toBe(401)
    await expect(now.gatehouse.tokens.revoke(token)).rejects.toThrow('another audience')
    await now.close()
  })
})

describeEachStore('the gateways of several resources', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startResources({ store: makeStore() })
    await host.gatehouse.ready()
  })
  afterAll(() => host.close())

  it('gateway.for() returns the same gateway for the same resource, and rejects an unknown one', () => {
    const { gateway } = host.gatehouse
    expect(gateway.for(TOOLS)).toBe(gateway.for(TOOLS))
    expect(gateway.for(host.audience)).toBe(gateway)
    for (const unknown of ['https://tools.example', `${TOOLS}/`, '', undefined as never, '__proto__']) {
      expect(() => gateway.for(unknown)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }))
    }
  })

  it('requireScope() of a gateway accepts only scopes of its resource', () => {
    const { gateway } = host.gatehouse
    expect(gateway.for(TOOLS).requireScope('tools:use')).toBeTypeOf('function')
    expect(() => gateway.for(TOOLS).requireScope('payments:list')).toThrow(
      expect.objectContaining({ code: 'ERR_OPTIONS' }),
    )
  })

  it('authenticate() of a gateway knows its path and its operations, and health() is that of the service', async () => {
    const key = await host.createApiKey(BOTH)
    const { body } = await host.requestDirectToken(key, { resource: TOOLS })
    const call = {
      method: 'GET',
      url: '/mcp/run',
      headers: { authorization: `Bearer ${String(body['access_token'])}` },
    }
    const tools = host.gatehouse.gateway.for(TOOLS)
    expect(await tools.authenticate(call)).toMatchObject({ ok: true, scope: 'tools:use' })
    expect(await host.gatehouse.gateway.authenticate(call)).toMatchObject({ ok: false, status: 404 })
    expect(await tools.health()).toMatchObject({ ready: true })
  })

  it('the limits of a client count its calls of all resources together', async () => {
    const limited = await startResources({ store: makeStore() })
    createLimits(limited.gatehouse, { perMinute: 3 })
    const key = await limited.createApiKey(BOTH)
    const tokenFor = async (resource: string) =>
      String((await limited.requestDirectToken(key, { resource })).body['access_token'])
    const [api, tools] = [await tokenFor(limited.audience), await tokenFor(TOOLS)]
    expect((await limited.call('GET /invoices/list', api)).status).toBe(200)
    expect((await callTools(limited, 'GET /run', tools)).status).toBe(200)
    expect((await callTools(limited, 'GET /run', tools)).status).toBe(200)
    expect((await callTools(limited, 'GET /run', tools)).status).toBe(429)
    expect((await limited.call('GET /invoices/list', api)).status).toBe(429)
    await limited.close()
  })

  it('closing a gateway closes only this gateway, and closing the gatehouse closes all', async () => {
    const closing = await startResources({ store: makeStore() })
    const key = await closing.createApiKey(BOTH)
    const api = String((await closing.requestDirectToken(key)).body['access_token'])
    const { body } = await closing.requestDirectToken(key, { resource: TOOLS })
    const tools = String(body['access_token'])
    const { gateway } = closing.gatehouse
    const authentication = await gateway.authenticate({
      method: 'GET',
      url: '/api/invoices/list',
      headers: { authorization: `Bearer ${api}` },
    })
    if (!authentication.ok) throw new Error(authentication.body)
    const ends: string[] = []
    gateway.watch(authentication.principal, (reason) => void ends.push(reason))
    await gateway.for(TOOLS).close()
    expect((await callTools(closing, 'GET /run', tools)).status).toBe(503)
    expect((await closing.call('GET /invoices/list', api)).status).toBe(200)
    expect(ends).toEqual([])
    await closing.gatehouse.close()
    expect(ends).toEqual(['closed'])
    await expect(gateway.for(TOOLS).ready()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    await closing.close()
  })
})

describeEachStore('the metadata of several resources', (makeStore) => {
  it.each([
    ['gatehouse.wellKnown()', (host: Host) => host.gatehouse.wellKnown()],
    ['gatehouse.middleware()', (host: Host) => host.gatehouse.middleware()],
  ])('%s serves the metadata of all resources', async (_name, middlewareOf) => {
    const host = await startResources({
      store: makeStore(),
      gatehouse: {
        resources: { [TOOLS]: { ...RESOURCES[TOOLS], metadataScopes: ['tools:use', 'offline_access'] } },
      },
      mount: (app, gatehouse) => void app.use(middlewareOf({ gatehouse } as Host)),
    })
    await host.gatehouse.ready()
    const read = async (path: string) => (await fetch(`${host.origin}${path}`)).json()
    expect(await read('/.well-known/oauth-protected-resource/mcp')).toEqual({
      resource: TOOLS,
      authorization_servers: [host.issuer],
      scopes_supported: ['tools:use'],
      bearer_methods_supported: ['header'],
    })
    expect(await read('/.well-known/oauth-protected-resource/api')).toMatchObject({
      resource: host.audience,
      scopes_supported: expect.arrayContaining(['payments:list', 'tools:use']),
    })
    await host.close()
  })
})

describeEachStore('errors of the authorization endpoint (RFC 9207)', (makeStore) => {
  it('every answer to the application names the issuer, also errors', async () => {
    const host = await startResources({ store: makeStore() })
    const { client_id } = await host.createApplication({ products: BOTH })
    const answers = [
      await authorize(host, client_id, { parameters: { scope: 'invoices:read' } }),
      await authorize(host, client_id, { parameters: { scope: 'invoices:read' }, user: 'bob', deny: true }),
      await authorize(host, client_id, { parameters: { scope: 'unknown:scope' } }),
      await authorize(host, client_id, { parameters: { resource: 'https://unknown.example' } }),
      await authorize(host, client_id, { parameters: { resource: TOOLS, scope: 'payments:list' } }),
    ]
    expect(answers.map(({ callback }) => callback.searchParams.get('error'))).toEqual([
      null,
      'access_denied',
      'invalid_scope',
      'invalid_target',
      'invalid_scope',
    ])
    for (const { callback } of answers) expect(callback.searchParams.get('iss')).toBe(host.issuer)
    await host.close()
  })
})

describeEachStore('export and import of resource servers', (makeStore) => {
  async function collect(host: Host): Promise<string[]> {
    const lines: string[] = []
    for await (const line of exportRegistry(host.gatehouse)) lines.push(line)
    return lines
  }

  it('an export carries the resources of a key, and without them it is a key for all resources', async () => {
    const host = await startResources({ store: makeStore() })
    const { apiKey } = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Server',
      resourceServer: true,
      resources: [TOOLS],
    })
    await host.gatehouse.audit.list()
    const file = await collect(host)
    await host.close()

    const without = file.map((line) => line.replace(`,"resources":["${TOOLS}"]`, ''))
    expect(without).not.toEqual(file)
    for (const [lines, resources] of [
      [file, [TOOLS]],
      [without, undefined],
    ] as const) {
      const other = await startHost({ store: memoryStore() })
      expect(await importRegistry(other.gatehouse, lines, { signingKeys: false })).toMatchObject({
        apiKeys: 1,
      })
      const found = await other.gatehouse.apiKeys.find(apiKey.clientId)
      expect([found?.resourceServer, found?.resources]).toEqual([true, resources])
      await other.close()
    }
  })
})
