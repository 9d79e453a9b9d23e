import type { Gatehouse } from 'koa-gatehouse'
import { createGatehouse } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { products } from '../../fixtures/products.ts'
import { connect, SECRET, startHost, type Host } from '../../support/host.ts'
import { hostRequests } from '../../support/host-requests.ts'
import { journey } from './journey.ts'

/**
 * The issuer path `/auth/eu` is below the issuer path `/auth`. This is the worst case, because a browser also
 * sends the cookies of `/auth` to `/auth/eu`.
 */
const PATHS = { issuerPath: '/auth', audiencePath: '/api' }
const BELOW = { issuerPath: '/auth/eu', audiencePath: '/api-eu' }

describe('two gatehouses in one app', () => {
  let host: Host
  let other: Gatehouse
  /** A test host for the same app. Its requests go to `other`, the gatehouse at `/auth/eu`. */
  let otherHost: Host

  beforeAll(async () => {
    host = await startHost({
      ...PATHS,
      mount(app, gatehouse) {
        app.use((ctx, next) => other.middleware()(ctx, next))
        app.use((ctx, next) => other.gateway.middleware()(ctx as never, next))
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
      },
    })
    const { origin, accounts } = host
    other = createGatehouse({
      issuer: origin + BELOW.issuerPath,
      audience: origin + BELOW.audiencePath,
      secret: `${SECRET}, of another`,
      store: memoryStore(),
      kycLevels: ['none', 'basic', 'verified'],
      products,
      accounts: {
        find: (accountId) => accounts.get(accountId) as { id: string; kycLevel: 'none' } | undefined,
        authenticate: ({ identifier, password }) =>
          password === 'correct' && accounts.has(identifier) ? { accountId: identifier } : undefined,
      },
    })
    otherHost = asHostOf(other)
  })
  afterAll(async () => {
    await other.close()
    await host.close()
  })

  /** Makes a test host whose requests go to the gatehouse at `/auth/eu`. */
  function asHostOf(gatehouse: Gatehouse): Host {
    const issuer = host.origin + BELOW.issuerPath
    const audience = host.origin + BELOW.audiencePath
    return {
      ...host,
      gatehouse,
      issuer,
      audience,
      ...hostRequests({ fetch, issuer, audience }),
      async createApiKey(productIds = ['invoices', 'payments']) {
        const input = { accountId: 'acme', name: 'Nightly export', products: productIds }
        const { apiKey, clientSecret } = await gatehouse.apiKeys.create(input)
        return { client_id: apiKey.clientId, client_secret: clientSecret }
      },
      async createApplication(overrides = {}) {
        const { application, clientSecret } = await gatehouse.applications.create({
          accountId: 'acme',
          name: 'Ledger',
          products: ['invoices', 'payments'],
          redirectUris: ['http://localhost:9/callback'],
          ...overrides,
        })
        return { client_id: application.clientId, client_secret: clientSecret }
      },
    }
  }

  it('two gatehouses in one app each work at their own addresses', async () => {
    await journey(host)
    await journey(otherHost)
    expect(host.errors).toEqual([])
  })

  it('one browser may be signed in as different users at two gatehouses', async () => {
    const browser = host.browser()
    const scope = { parameters: { scope: 'invoices:read' } }
    const one = await connect(host, await host.createApplication(), { browser, user: 'alice', ...scope })
    const two = await connect(otherHost, await otherHost.createApplication(), {
      browser,
      user: 'bob',
      ...scope,
    })
    const three = await connect(host, await host.createApplication(), { browser, user: 'unknown', ...scope })
    const who = async (at: Host, { access_token }: { access_token: string }) =>
      (await at.call('GET /invoices/list', access_token)).body['auth']
    expect(await who(host, one)).toMatchObject({ accountId: 'alice' })
    expect(await who(otherHost, two)).toMatchObject({ accountId: 'bob' })
    // The session at the first gatehouse is still valid. So no sign-in page appears, and the token is for
    // alice.
    expect(await who(host, three)).toMatchObject({ accountId: 'alice' })
  })

  it('a token of one gatehouse is rejected by the API of the other gatehouse', async () => {
    const { body } = await host.token({ ...(await host.createApiKey()), grant_type: 'client_credentials' })
    const token = String(body['access_token'])
    expect((await host.call('GET /invoices/list', token)).status).toBe(200)
    expect(await otherHost.call('GET /invoices/list', token)).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    })
  })
})

it('requests to unknown addresses below the issuer are passed on to the host, without headers of gatehouse', async () => {
  const host = await startHost({
    above: [
      async (ctx, next) => {
        ctx.status = 202
        ctx.set('X-Host', 'yes')
        await next()
      },
    ],
  })
  await host.gatehouse.ready()
  for (const path of ['/auth/oauth2/unknown', '/auth/oauth2', '/auth/.well-known/openid-configuration/x']) {
    const response = await fetch(host.origin + path)
    expect(response.status).toBe(202)
    expect(await response.json()).toMatchObject({ reached: path })
    expect(response.headers.get('x-host')).toBe('yes')
    expect(response.headers.getSetCookie()).toEqual([])
    expect(response.headers.get('cache-control')).toBeNull()
  }
  await host.close()
})
