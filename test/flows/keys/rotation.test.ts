// Also runs on: Redis
import Koa from 'koa'
import { createLocalJWKSet, jwtVerify } from 'jose'
import request from 'supertest'
import { createGateway } from 'koa-gatehouse/gateway'
import { mintToken } from 'koa-gatehouse/testing'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { products } from '../../fixtures/products.ts'
import { asksFor, authorizationUrl, CALLBACK, connect, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'
import { kidOf, kidsAt, publishedAt, statusAt, tokenAt } from './keys-setup.ts'

const SCOPE = 'openid invoices:read'
describeEachStore('a key rotation, with two processes', (makeStore) => {
  let paused: PausingStore
  let one: Host
  let other: Host
  let key: { client_id: string; client_secret: string }
  let application: { client_id: string; client_secret: string }

  beforeAll(async () => {
    const data = crypto.randomUUID()
    paused = pausingStore(makeStore(data))
    one = await startHost({ store: paused.store, gatehouse: { storeTimeoutMs: 10_000 } })
    other = await startHost({
      store: makeStore(data),
      gatehouse: { issuer: one.issuer, audience: one.audience },
    })
    key = await one.createApiKey()
    application = await one.createApplication({ postLogoutRedirectUris: ['http://localhost:9/bye'] })
    await other.gatehouse.ready()
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(() => Promise.all([one.close(), other.close()]))

  const signingKid = async () =>
    (await one.gatehouse.signingKeys.list()).find(({ alg, state }) => alg === 'ES256' && state === 'current')
      ?.kid

  async function rotateAtOther(): Promise<string> {
    await other.gatehouse.signingKeys.rotate()
    const [kid] = await kidsAt(other)
    await vi.waitFor(async () => expect((await kidsAt(one))[0]).toBe(kid))
    return String(kid)
  }

  it('after a rotation every gateway accepts the tokens of the old and the new key without fetching the keys again', async () => {
    const fetches = vi.spyOn(globalThis, 'fetch')
    const gateway = createGateway({ issuer: one.issuer, audience: one.audience, products })
    const api = new Koa().use(gateway.middleware()).use((ctx) => void (ctx.body = 'served'))
    const atApi = (token: unknown) =>
      request(api.callback())
        .get('/api/invoices/list')
        .set('Authorization', `Bearer ${String(token)}`)
    const before = await tokenAt(one, key)
    await atApi(before).expect(200)
    const kid = await rotateAtOther()
    const after = await Promise.all([one, other].map((host) => tokenAt(host, key)))
    expect(after.map(kidOf)).toEqual([kid, kid])
    fetches.mockClear()
    for (const token of [before, ...after]) await atApi(token).expect(200)
    // The gateway already has the new key, because the new key was published long before it signed.
    expect(fetches).not.toHaveBeenCalled()
    fetches.mockRestore()
    for (const token of [before, ...after]) {
      for (const host of [one, other]) expect(await statusAt(host, token)).toBe(200)
    }
    await gateway.close()
  })

  it('an authorization that started before a rotation completes after the rotation', async () => {
    const browser = one.browser()
    const signIn = await browser.open(authorizationUrl(one, application.client_id, { scope: SCOPE }))
    expect(asksFor(signIn)).toBe('sign-in')
    const first = await rotateAtOther()
    const consent = await browser.submit(signIn, {
      action: /sign-in/,
      change: { identifier: 'alice', password: 'correct' },
    })
    expect(asksFor(consent)).toBe('consent')
    const second = await rotateAtOther()
    expect(second).not.toBe(first)
    const end = await browser.submit(consent, { action: /consent/, button: ['action', 'approve'] })
    expect(end.url.href).toMatch(new RegExp(`^${CALLBACK}\\?`))
    const code = end.url.searchParams.get('code') ?? ''
    const third = await rotateAtOther()
    const { status, body } = await one.exchangeCode(application, code)
    expect(status).toBe(200)
    expect(kidOf(body['access_token'])).toBe(third)
    expect(await statusAt(other, body['access_token'])).toBe(200)
    const idToken = String(body['id_token'])
    expect(
      (await jwtVerify(idToken, createLocalJWKSet({ keys: await publishedAt(other) }))).payload.sub,
    ).toBe('alice')
    const refreshToken = String(body['refresh_token'])
    await rotateAtOther()
    const refreshed = await one.refresh(application, refreshToken)
    expect(refreshed.status).toBe(200)
  })

  it('a token request that is pending during a rotation gets a token that every process accepts', async () => {
    const before = await signingKid()
    // Renaming removes the client from the cache, so that the request reads the client from the store.
    await one.gatehouse.apiKeys.update(key.client_id, { name: 'Renamed' })
    const pause = paused.pauseAfter('get client:')
    const answer = tokenAt(one, key)
    expect(await pause.reached).toBe(true)
    const after = await rotateAtOther()
    pause.end()
    const token = await answer
    expect([before, after]).toContain(kidOf(token))
    for (const host of [one, other]) expect(await statusAt(host, token)).toBe(200)
  })

  it('an ID token is accepted for signing out after two rotations', async () => {
    const { id_token: hint = '' } = await connect(one, application, { parameters: { scope: SCOPE } })
    await rotateAtOther()
    await rotateAtOther()
    const url = new URL(`${one.issuer}/oauth2/logout`)
    url.searchParams.set('id_token_hint', hint)
    url.searchParams.set('post_logout_redirect_uri', 'http://localhost:9/bye')
    const page = await one.browser().open(url)
    expect([page.status, page.url.href]).toEqual([0, 'http://localhost:9/bye'])
    const [head, payload, signature = ''] = hint.split('.')
    url.searchParams.set(
      'id_token_hint',
      [head, payload, signature.split('').toReversed().join('')].join('.'),
    )
    expect((await one.browser().open(url)).status).toBe(400)
  })

  it('mintToken() signs with the current key', async () => {
    const kid = await rotateAtOther()
    const token = await mintToken(
      one.gatehouse,
      { accountId: 'alice', scopes: ['invoices:read'] },
      { allowPersistentStore: true },
    )
    expect(kidOf(token)).toBe(kid)
    expect(await statusAt(other, token)).toBe(200)
  })

  it('after 90 days without a rotation, the next request rotates the keys', async () => {
    const [before, , next] = await kidsAt(one)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 91 * 86_400_000 })
    const fresh = await one.createApiKey()
    const { status, body } = await one.requestDirectToken(fresh)
    expect(status).toBe(200)
    expect(kidOf(body['access_token'])).toBe(next)
    for (const host of [one, other]) expect(await statusAt(host, body['access_token'])).toBe(200)
    expect(await kidsAt(other)).toContain(before)
  })
})

describeEachStore('the key set', (makeStore) => {
  async function keySetOf(signingKeys: { publishAheadSeconds: number } | undefined, init: RequestInit = {}) {
    const host = await startHost({ store: makeStore(), gatehouse: { signingKeys } })
    await host.gatehouse.ready()
    const response = await fetch(`${host.issuer}/oauth2/jwks`, init)
    return { host, response }
  }

  it.each([
    [undefined, 'public, max-age=600'],
    [100, 'public, max-age=50'],
    [1, 'public, max-age=0'],
  ])(
    'with publishAheadSeconds %s the key set has the Cache-Control header "%s"',
    async (publishAheadSeconds, cacheControl) => {
      const { host, response } = await keySetOf(publishAheadSeconds ? { publishAheadSeconds } : undefined)
      expect(response.headers.get('cache-control')).toBe(cacheControl)
      await host.close()
    },
  )

  it('a request for the key set with its ETag gets 304 until the key set changes', async () => {
    const { host, response } = await keySetOf(undefined)
    const etag = response.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    // `fetch` with If-None-Match always requests a complete response, so the test uses another HTTP client.
    const again = () => request(host.issuer).get('/oauth2/jwks').set('If-None-Match', etag)
    const same = await again()
    expect([same.status, same.text, same.headers['cache-control']]).toEqual([304, '', 'public, max-age=600'])
    await host.gatehouse.signingKeys.rotate()
    expect((await again()).status).toBe(200)
    await host.close()
  })
})
