import { exportJWK, generateKeyPair, type JWK } from 'jose'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createGatehouse, type Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { authorizationUrl, CALLBACK, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore, watchWrites } from '../../support/stores.ts'
import { kidOf, kidsAt, publishedAt, statusAt, tokenAt } from './keys-setup.ts'

const BYE = 'http://localhost:9/bye'

async function makeKey(alg: 'ES256' | 'RS256', kid: string): Promise<{ private: JWK; public: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return {
    private: { ...(await exportJWK(privateKey)), kid },
    public: { ...(await exportJWK(publicKey)), kid },
  }
}

describeEachStore('signing keys of the host', (makeStore) => {
  let es1: Awaited<ReturnType<typeof makeKey>>
  let es2: typeof es1
  let rs1: typeof es1
  let rs2: typeof es1
  const hosts: Host[] = []

  beforeAll(async () => {
    ;[es1, es2, rs1, rs2] = await Promise.all([
      makeKey('ES256', 'es-1'),
      makeKey('ES256', 'es-2'),
      makeKey('RS256', 'rs-1'),
      makeKey('RS256', 'rs-2'),
    ])
  })
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())))

  /** Starts a process of the service. All processes have the issuer and the audience of the first process. */
  async function start(store: Store, ...keys: JWK[]): Promise<Host> {
    const [first] = hosts
    const options = { signingKeys: { jwks: { keys } }, store }
    const address = first && { issuer: first.issuer, audience: first.audience }
    // These tests need a store without a key ring. The test host stores no key ring if `gatehouse.store` is
    // set.
    const host = await startHost({ gatehouse: { ...options, ...address } })
    hosts.push(host)
    await host.gatehouse.ready()
    return host
  }
  it('the first key of each algorithm signs, all keys are published without private parts, and no key is stored', async () => {
    const { store, writes } = watchWrites(makeStore())
    const host = await start(store, rs1.private, es1.private, es2.private, rs2.public)
    expect(await kidsAt(host)).toEqual(['es-1', 'rs-1', 'es-2', 'rs-2'])
    for (const jwk of await publishedAt(host)) {
      expect(
        Object.keys(jwk).filter((member) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(member)),
      ).toEqual([])
    }
    const application = await host.createApplication()
    const tokens = await connect(host, application, { parameters: { scope: 'openid invoices:read' } })
    expect([kidOf(tokens.access_token), kidOf(tokens.id_token)]).toEqual(['es-1', 'rs-1'])
    expect(await statusAt(host, tokens.access_token)).toBe(200)
    expect(await host.gatehouse.signingKeys.list()).toEqual([
      { kid: 'es-1', alg: 'ES256', state: 'current' },
      { kid: 'rs-1', alg: 'RS256', state: 'current' },
      { kid: 'es-2', alg: 'ES256', state: 'next' },
      { kid: 'rs-2', alg: 'RS256', state: 'previous' },
    ])
    expect(writes.filter((call) => call.includes('signing-keys:ring'))).toEqual([])
    expect(await store.get('signing-keys:ring')).toBeUndefined()
  })

  it('if a new signing key is published before it signs, every process accepts the tokens of the old and the new key', async () => {
    const store = makeStore()
    const one = await start(store, es1.private, rs1.private)
    const key = await one.createApiKey()
    const before = await tokenAt(one, key)
    // First, every process publishes the new key.
    const two = await start(store, es1.private, rs1.private, es2.private, rs2.private)
    expect(await statusAt(two, before)).toBe(200)
    // Then the new key signs. The processes that started earlier know the new key without a restart.
    const three = await start(store, es2.private, rs2.private, es1.public, rs1.private)
    const after = await tokenAt(three, key)
    expect(kidOf(after)).toBe('es-2')
    expect(await statusAt(two, after)).toBe(200)
    expect(await statusAt(three, before)).toBe(200)
  })

  it('an ID token of a retired key is accepted for signing out while the private part of that key is configured', async () => {
    const store = makeStore()
    const one = await start(store, es1.private, rs1.private)
    const application = await one.createApplication({ postLogoutRedirectUris: [BYE] })
    const { id_token: hint = '' } = await connect(one, application, { parameters: { scope: 'openid' } })
    const two = await start(store, es2.private, rs2.private, rs1.private)
    const url = new URL(`${two.origin}/auth/oauth2/logout`)
    url.search = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: BYE }).toString()
    const response = await fetch(url, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, BYE])
  })

  it('if the host manages the keys, rotate() fails with an error that says what to do instead', async () => {
    const host = await start(makeStore(), es1.private, rs1.private)
    await expect(host.gatehouse.signingKeys.rotate()).rejects.toMatchObject({
      code: 'ERR_SIGNING_KEYS_READ_ONLY',
      message: expect.stringContaining('put other keys first in `signingKeys.jwks`'),
    })
  })

  it('revoking a key that no longer signs removes the key from the key set and rejects its tokens in every process', async () => {
    const store = makeStore()
    const old = await start(store, es1.private, rs1.private)
    const key = await old.createApiKey()
    const token = await tokenAt(old, key)
    const [one, two] = [
      await start(store, es2.private, rs1.private, es1.public),
      await start(store, es2.private, rs1.private, es1.public),
    ]
    const revoked = vi.fn()
    one.gatehouse.on('key.revoked', revoked)
    expect(await statusAt(one, token)).toBe(200)
    expect(await statusAt(two, token)).toBe(200)
    await one.gatehouse.signingKeys.revoke('es-1', { actor: 'ops' })
    await one.gatehouse.signingKeys.revoke('es-1', { actor: 'ops' })
    expect(revoked.mock.calls).toEqual([[{ kid: 'es-1', alg: 'ES256', actor: 'ops' }]])
    expect(await statusAt(one, token)).toBe(401)
    expect(await kidsAt(one)).toEqual(['es-2', 'rs-1'])
    await vi.waitFor(async () => expect(await statusAt(two, token)).toBe(401))
    expect(await kidsAt(two)).toEqual(['es-2', 'rs-1'])
    expect(await two.gatehouse.signingKeys.list()).toContainEqual({
      kid: 'es-1',
      alg: 'ES256',
      state: 'revoked',
    })
    // A process that starts later still has the revoked key in its configuration, but does not publish it.
    const later = await start(store, es2.private, rs1.private, es1.public)
    expect(await kidsAt(later)).toEqual(['es-2', 'rs-1'])
    expect(await statusAt(later, token)).toBe(401)
    expect(await statusAt(later, await tokenAt(two, key))).toBe(200)
  })

  it('an ID token of a revoked key is not accepted as a hint for signing out', async () => {
    const store = makeStore()
    const one = await start(store, es1.private, rs1.private)
    const application = await one.createApplication({ postLogoutRedirectUris: [BYE] })
    const { id_token: hint = '' } = await connect(one, application, { parameters: { scope: 'openid' } })
    const two = await start(store, es1.private, rs2.private, rs1.private)
    await two.gatehouse.signingKeys.revoke('rs-1')
    const url = new URL(`${two.origin}/auth/oauth2/logout`)
    url.search = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: BYE }).toString()
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(400)
  })

  it('revoking the current key or an unknown key fails and writes nothing, and the error for the current key says what to do first', async () => {
    const { store, writes } = watchWrites(makeStore())
    const host = await start(store, es1.private, rs1.private)
    writes.length = 0
    await expect(host.gatehouse.signingKeys.revoke('es-1')).rejects.toMatchObject({
      code: 'ERR_SIGNING_KEYS_READ_ONLY',
      message: expect.stringContaining('"es-1" signs: put another ES256 key first in every process'),
    })
    await expect(host.gatehouse.signingKeys.revoke('es-9')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    expect(writes).toEqual([])
  })

  it('createGatehouse() throws ERR_OPTIONS if the key set lacks a private key for an algorithm, and the error quotes no key', () => {
    const create = () =>
      createGatehouse({
        issuer: 'https://example.com/auth',
        audience: 'https://example.com/api',
        store: memoryStore(),
        products: {},
        accounts: { find: () => undefined },
        signingKeys: { jwks: { keys: [es1.private, rs1.public] } },
      })
    const problem = {
      path: 'signingKeys.jwks.keys',
      code: 'format',
      message: 'has no private key for RS256, which signs ID tokens',
    }
    expect(create).toThrow(
      expect.objectContaining({
        code: 'ERR_OPTIONS',
        problems: [problem],
        message: expect.not.stringContaining(String(es1.private.d)),
      }),
    )
  })

  it('an authorization that started with one key set completes with another key set', async () => {
    const store = makeStore()
    const one = await start(store, es1.private, rs1.private)
    const application = await one.createApplication()
    const browser = one.browser()
    const signIn = await browser.open(
      authorizationUrl(one, application.client_id, { scope: 'openid invoices:read' }),
    )
    const consent = await browser.submit(signIn, {
      action: /sign-in/,
      change: { identifier: 'alice', password: 'correct' },
    })
    const end = await browser.submit(consent, { action: /consent/, button: ['action', 'approve'] })
    expect(end.url.href).toMatch(new RegExp(`^${CALLBACK}\\?`))
    const two = await start(store, es2.private, rs2.private, es1.public)
    const { status, body } = await two.post(`${two.origin}/auth/oauth2/token`, {
      ...application,
      grant_type: 'authorization_code',
      code: end.url.searchParams.get('code') ?? '',
    })
    expect([status, kidOf(body['access_token']), kidOf(body['id_token'])]).toEqual([200, 'es-2', 'rs-2'])
  })
})
