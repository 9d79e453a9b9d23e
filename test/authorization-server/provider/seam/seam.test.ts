import { Provider, type Adapter, type AllClientMetadata } from 'oidc-provider'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { SignedIn } from 'koa-gatehouse'
import {
  applySeam,
  middlewareOf,
  ScriptlessProvider,
} from '../../../../src/authorization-server/provider/seam/seam.ts'
import { createRefreshTokenFormat } from '../../../../src/grants/refresh-tokens/token-format.ts'
import { asksFor, authorizationUrl, connect, startHost, type Host } from '../../../support/host.ts'

describe('undocumented behaviour of oidc-provider', () => {
  let provider: Provider
  beforeAll(() => {
    // oidc-provider warns of every option that is left at its default.
    for (const level of ['warn', 'info'] as const) vi.spyOn(console, level).mockImplementation(() => {})
    provider = new Provider('https://example.com')
  })
  afterAll(() => void vi.restoreAllMocks())
  const prototypeOf = (model: unknown) => (model as { prototype: Record<string, unknown> }).prototype

  it('oidc-provider has the methods that applySeam() replaces', () => {
    expect(prototypeOf(provider.Client)['compareClientSecret']).toBeTypeOf('function')
    expect(prototypeOf(provider.RefreshToken)['generateTokenId']).toBeTypeOf('function')
    expect(prototypeOf(provider.OIDCContext)['urlFor']).toBeTypeOf('function')
    expect(provider.createContext).toBeTypeOf('function')
  })

  it('oidc-provider has the methods that signAccessTokens() replaces', () => {
    for (const model of [provider.AccessToken, provider.ClientCredentials]) {
      expect(Object.keys(Object.getOwnPropertyDescriptors(prototypeOf(model)))).toContain(
        'getValueAndPayload',
      )
    }
  })

  it('each provider has its own classes, so that a replaced method affects no other provider', () => {
    expect(new Provider('https://other.example').Client).not.toBe(provider.Client)
  })

  it('the models of oidc-provider list the properties that they store', () => {
    for (const model of [provider.Session, provider.Grant]) {
      expect(model.IN_PAYLOAD).toEqual(expect.arrayContaining(['accountId', 'jti', 'exp']))
    }
  })

  it('a provider lists its middleware in order', () => {
    const added = () => {}
    const before = middlewareOf(provider).length
    expect(before).toBeGreaterThan(0)
    provider.use(added)
    expect(middlewareOf(provider)).toHaveLength(before + 1)
  })

  it('oidc-provider registers its response modes with its method registerResponseMode()', () => {
    const known: string[] = []
    class Recording extends Provider {
      override registerResponseMode(...[name, handler]: Parameters<Provider['registerResponseMode']>): void {
        known.push(name)
        super.registerResponseMode(name, handler)
      }
    }
    void new Recording('https://example.com')
    expect(known).toEqual(expect.arrayContaining(['query', 'fragment', 'form_post']))
    expect(() => new ScriptlessProvider('https://example.com')).not.toThrow()
  })
})

describe('the cache of clients in oidc-provider', () => {
  beforeAll(() => {
    for (const level of ['warn', 'info'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  })
  afterAll(() => void vi.restoreAllMocks())

  /** A provider for which every id that begins with `key` is a client. */
  function providerOf(change: (provider: Provider) => void = () => {}) {
    const table = { redirect_uris: ['https://app.example/callback'] }
    const find = vi.fn(async (id: string): Promise<AllClientMetadata | undefined> => {
      return id.startsWith('key') ? { client_id: id, client_secret: 'x', ...table } : undefined
    })
    const provider = new Provider('https://example.com', { adapter: () => ({ find }) as unknown as Adapter })
    change(provider)
    return { provider, find, table }
  }
  const withSeam = () =>
    providerOf((provider) => {
      const refreshTokenFormat = createRefreshTokenFormat([Buffer.alloc(32)])
      applySeam(provider, ['Client'], { refreshTokenFormat, settings: {} as never }, async () => {})
    })
  const ids = Array.from({ length: 250 }, (_, index) => `key${index}`)
  const findAll = ({ provider }: { provider: Provider }) =>
    Promise.all(ids.map((id) => provider.Client.find(id)))

  it('applySeam() gives models that a minifier has renamed their names back, and names the model that keeps a wrong name', () => {
    const minified = providerOf(({ Session }) => Object.defineProperty(Session, 'name', { value: 'a' }))
    const apply = () => applySeam(minified.provider, ['Session'], { settings: {} } as never, async () => {})
    apply()
    expect(minified.provider.Session.name).toBe('Session')
    Object.defineProperty(minified.provider.Session, 'name', { value: 'a', configurable: false })
    expect(apply).toThrow(/model Session of oidc-provider lost its name in a bundle/)
  })

  it('without applySeam(), oidc-provider caches about a hundred clients, so with more clients it creates clients again', async () => {
    const plain = providerOf()
    const [first, second] = [await findAll(plain), await findAll(plain)]
    expect(second[0]).not.toBe(first[0])
  })

  it('after applySeam(), oidc-provider creates each client once, and creates it again after its metadata has changed', async () => {
    const withCache = withSeam()
    const [first, second] = [await findAll(withCache), await findAll(withCache)]
    expect(first.map((client) => client?.clientId)).toEqual(ids)
    expect(first.every((client) => client instanceof withCache.provider.Client)).toBe(true)
    expect(second.every((client, at) => client === first[at])).toBe(true)
    // `find()` of the registry is called each time, because a cached client may have been deleted.
    expect(withCache.find).toHaveBeenCalledTimes(2 * ids.length)
    withCache.table.redirect_uris = ['https://app.example/other']
    const changed = await withCache.provider.Client.find('key0')
    expect(changed?.redirectUris).toEqual(['https://app.example/other'])
    expect(first[0]?.redirectUris).toEqual(['https://app.example/callback'])
  })

  it('after applySeam(), an unknown client is still not found, and invalid metadata is still rejected', async () => {
    const { provider, table } = withSeam()
    expect(await provider.Client.find('other')).toBeUndefined()
    expect(await provider.Client.find('')).toBeUndefined()
    expect(await provider.Client.find(['key0'] as unknown as string)).toBeUndefined()
    table.redirect_uris = ['not an address']
    await expect(provider.Client.find('key0')).rejects.toMatchObject({ error: 'invalid_redirect_uri' })
  })
})

describe('a host whose oidc-provider is changed by applySeam()', () => {
  let host: Host
  afterEach(() => host.close())
  const sessionIn = (browser: ReturnType<Host['browser']>) =>
    [...browser.cookies].find(([name]) => name.startsWith('gatehouse_session|'))?.[1].value

  async function startAs(who: { current: SignedIn | undefined }) {
    host = await startHost({
      gatehouse: {
        accounts: {
          find: (id: string) => ({ id, kycLevel: 'verified' }),
          current: () => who.current,
          signInUrl: (returnTo: URL) => `/sign-in?next=${encodeURIComponent(returnTo.href)}`,
        },
      },
    })
    return host.createApplication({ products: ['invoices'] })
  }

  it('when another person has signed in at the host, the browser gets a new session, and interactions of the previous person are rejected', async () => {
    const who = { current: { accountId: 'alice' } }
    const { client_id } = await startAs(who)
    const browser = host.browser()
    const ofAlice = await browser.open(authorizationUrl(host, client_id))
    expect(asksFor(ofAlice)).toBe('consent')
    const cookie = sessionIn(browser)
    expect(cookie).toMatch(/./)

    who.current = { accountId: 'bob' }
    const ofBob = await browser.open(authorizationUrl(host, client_id))
    expect(asksFor(ofBob)).toBe('consent')
    expect(sessionIn(browser)).not.toBe(cookie)
    expect((await browser.open(ofAlice.url)).status).not.toBe(200)
  })

  it('an approval on the consent page is discarded if another person signs in before the browser returns', async () => {
    const who = { current: { accountId: 'alice' } }
    const { client_id } = await startAs(who)
    const browser = host.browser()
    const consent = await browser.open(authorizationUrl(host, client_id))
    const approved = await browser.submit(consent, {
      action: /consent/,
      button: ['action', 'approve'],
      follow: false,
    })
    expect(approved.status).toBe(200)
    const back = /content="0;url=([^"]*)"/.exec(approved.body)?.[1] ?? ''
    who.current = { accountId: 'bob' }
    const page = await browser.open(new URL(back.replaceAll('&amp;', '&'), consent.url))
    expect(page.url.searchParams.get('code')).toBeNull()
    expect(asksFor(page)).toBe('consent')
  })

  it('the event token.issued names the user who signed in at the host, even after a refresh', async () => {
    const who = { current: { accountId: 'alice', userId: 'alice-2' } }
    const client = await startAs(who)
    const issued: unknown[] = []
    host.gatehouse.on('token.issued', ({ userId }) => issued.push(userId))
    const { refresh_token: token } = await connect(host, client)
    await host.token({ ...client, grant_type: 'refresh_token', refresh_token: token })
    expect(issued).toEqual(['alice-2', 'alice-2'])
  })

  it('introspection and revocation accept JWTs, and no endpoint accepts a token with the internal prefix `token:` from a client', async () => {
    host = await startHost()
    const key = await host.createApiKey()
    const { body } = await host.token({ ...key, grant_type: 'client_credentials' })
    const token = String(body['access_token'])
    const introspect = async (value: string) =>
      (await host.post('/oauth2/introspect', { ...key, token: value })).body['active']
    expect(await introspect(token)).toBe(true)
    expect(await introspect(`token:${token}`)).toBe(false)

    const client = await host.createApplication()
    const { refresh_token: refreshToken, access_token: accessToken } = await connect(host, client)
    const disguised = { ...client, grant_type: 'refresh_token', refresh_token: `token:${refreshToken}` }
    expect((await host.token(disguised)).body['error']).toBe('invalid_grant')
    const headers = { authorization: `Bearer token:${accessToken}` }
    expect((await fetch(`${host.issuer}/oauth2/userinfo`, { headers })).status).toBe(401)
    expect((await host.token({ ...disguised, refresh_token: refreshToken })).status).toBe(200)
  })

  it('a token request with a grant type of the wrong kind of client gets unauthorized_client, with an unknown grant type unsupported_grant_type, and with any other mistake invalid_request', async () => {
    host = await startHost()
    const key = await host.createApiKey()
    const application = await host.createApplication()
    const errorOf = async (body: Record<string, string>) => (await host.token(body)).body['error']
    expect(await errorOf({ ...key, grant_type: 'authorization_code', code: 'x' })).toBe('unauthorized_client')
    expect(await errorOf({ ...application, grant_type: 'client_credentials' })).toBe('unauthorized_client')
    expect(await errorOf({ ...key })).toBe('invalid_request')
    expect(await errorOf({ ...application, grant_type: 'authorization_code' })).toBe('invalid_request')
    expect(await errorOf({ ...key, grant_type: 'unknown' })).toBe('unsupported_grant_type')
    const { body } = await host.post('/oauth2/token', [
      ...Object.entries({ ...key, grant_type: 'client_credentials' }),
      ['grant_type', 'authorization_code'],
    ])
    expect(body['error']).toBe('invalid_request')
  })
})
