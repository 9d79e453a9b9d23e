// Also runs on: Redis
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { decodeJwt } from 'jose'
import { asParameters, createClientKey, signAssertion, type ClientKey } from '../../support/client-keys.ts'
import { authorize, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describeEachStore('clients that authenticate with their own keys (private_key_jwt)', (makeStore) => {
  let host: Host
  let other: Host
  let key: ClientKey
  let clientId: string
  beforeAll(async () => {
    const options = { gatehouse: { privateKeyJwt: true } }
    host = await startHost({ ...options, store: makeStore('shared') })
    other = await startHost({
      ...options,
      store: makeStore('shared'),
      gatehouse: { ...options.gatehouse, issuer: host.issuer, audience: host.audience },
    })
    key = await createClientKey()
  })
  // Failed assertions of one client are limited, so each test has a client of its own.
  beforeEach(async () => {
    clientId = await createKeyClient([key.jwk])
  })
  afterAll(async () => {
    await host.close()
    await other.close()
  })
  afterEach(() => void vi.useRealTimers())

  async function createKeyClient(keys: (object | string)[]): Promise<string> {
    await host.gatehouse.ready()
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Export',
      products: ['invoices'],
      jwks: { keys },
    })
    expect(clientSecret).toBeUndefined()
    expect(apiKey.noSecret).toBeUndefined()
    return apiKey.clientId
  }
  const signed = (change?: Parameters<typeof signAssertion>[3], by: ClientKey = key) =>
    signAssertion(by, clientId, host.issuer, change)
  const request = (assertion: string, at = host, more = {}) =>
    at.token({ ...asParameters(assertion), grant_type: 'client_credentials', ...more })
  async function expectRejected(assertion: string, more = {}) {
    const answer = await request(assertion, host, more)
    expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_client'])
    expect(answer.text).not.toContain('access_token')
    return answer
  }

  it('an API key gets a token with a key for ES256, RS256 or PS256', async () => {
    for (const alg of ['ES256', 'RS256', 'PS256'] as const) {
      const own = await createClientKey(alg)
      const id = await createKeyClient([own.jwk])
      const { status, body } = await request(await signAssertion(own, id, host.issuer))
      expect([alg, status]).toEqual([alg, 200])
      const claims = { client_id: id, access_mode: 'direct', sub: id }
      expect(decodeJwt(String(body['access_token']))).toMatchObject(claims)
      expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(200)
    }
  })

  it('a key in PEM format, client_id beside the assertion, aud as a list with the issuer alone, and five minutes by a clock that is some seconds ahead are accepted', async () => {
    const own = await createClientKey()
    const id = await createKeyClient([own.pem])
    const assertion = await signAssertion(own, id, host.issuer, {
      claims: { aud: [host.issuer], exp: Math.floor(Date.now() / 1000) + 303 },
    })
    expect((await request(assertion, host, { client_id: id })).status).toBe(200)
  })

  it('an application exchanges its code and refreshes with its key', async () => {
    const { client_id, client_secret } = await host.createApplication()
    await host.gatehouse.applications.addKey(client_id, key.jwk)
    await host.gatehouse.applications.revokeSecret(client_id, 'new')
    const assert = async () => asParameters(await signAssertion(key, client_id, host.issuer))
    const authorized = await authorize(host, client_id)
    const tokens = await host.token({
      ...(await assert()),
      grant_type: 'authorization_code',
      code: authorized.code,
    })
    expect(tokens.status).toBe(200)
    const refresh_token = String(tokens.body['refresh_token'])
    const refreshed = await host.token({ ...(await assert()), grant_type: 'refresh_token', refresh_token })
    expect(refreshed.status).toBe(200)
    const withSecret = {
      client_id,
      client_secret,
      grant_type: 'refresh_token',
      refresh_token: String(refreshed.body['refresh_token']),
    }
    expect((await host.token(withSecret)).status).toBe(401)
  })

  it('a client introspects and revokes its tokens with assertions', async () => {
    const token = String((await request(await signed())).body['access_token'])
    const ask = async (path: string) => host.post(path, { ...asParameters(await signed()), token })
    expect((await ask('/oauth2/introspect')).body).toMatchObject({ active: true, client_id: clientId })
    expect((await ask('/oauth2/revoke')).status).toBe(200)
    expect((await ask('/oauth2/introspect')).body).toEqual({ active: false })
    expect((await host.call('GET /invoices/list', token)).status).toBe(401)
  })

  describe('assertions that are rejected', () => {
    it('by their claims', async () => {
      const now = Math.floor(Date.now() / 1000)
      const wrong: Record<string, object> = {
        'for another service': { aud: 'https://other.example' },
        'for this service and another one': { aud: [host.issuer, 'https://other.example'] },
        'for the token endpoint': { aud: `${host.issuer}/oauth2/token` },
        'without aud': { aud: undefined },
        'that have expired an hour ago': { exp: now - 3600 },
        'that are valid for an hour': { exp: now + 3600 },
        'without an end': { exp: undefined },
        'without an id': { jti: undefined },
        'in the name of another issuer': { iss: 'https://other.example' },
        'that begin in ten minutes': { nbf: now + 600 },
      }
      for (const [name, claims] of Object.entries(wrong)) {
        clientId = await createKeyClient([key.jwk])
        const { status, body } = await request(await signed({ claims: claims as never }))
        expect([name, status, body['error']]).toEqual([name, 401, 'invalid_client'])
      }
    })

    it('by aud, exp, iat or jti, with the reason, which is the same for every client id and in the event', async () => {
      const now = Math.floor(Date.now() / 1000)
      const wrong: [claim: string, claims: object][] = [
        ['aud', { aud: `${host.issuer}/oauth2/token` }],
        ['exp', { exp: now + 3600 }],
        ['exp', { exp: now - 60 }],
        ['exp', { exp: 'soon' }],
        ['iat', { iat: now + 3600 }],
        ['jti', { jti: undefined }],
      ]
      const rejected: (string | undefined)[] = []
      host.gatehouse.on('token.rejected', ({ description }) => rejected.push(description))
      for (const [claim, claims] of wrong) {
        const texts = [clientId, 'key_unknown'].map(async (id) => {
          const assertion = await signAssertion(key, id, host.issuer, { claims: claims as never })
          const form = { ...asParameters(assertion), grant_type: 'client_credentials', token: 'x' }
          for (const path of ['token', 'revoke', 'introspect']) {
            const { status, body } = await host.post(`/oauth2/${path}`, form)
            expect([claim, path, status]).toEqual([claim, path, 401])
            expect(body['error_description']).toMatch(new RegExp(`^client_assertion: ${claim} must`))
          }
          return (await host.token(form)).text
        })
        const [known, unknown] = await Promise.all(texts)
        expect(unknown).toBe(known)
      }
      expect(rejected.filter((text) => text?.startsWith('client_assertion: '))).toHaveLength(24)
      expect((await request(await signed())).status).toBe(200)
    })

    it('with alg none, or without a signature', async () => {
      const [, payload] = (await signed()).split('.')
      await expectRejected(`${base64url({ alg: 'none' })}.${payload}.`)
      await expectRejected(`${base64url({ alg: 'ES256' })}.${payload}.`)
    })

    it('with HS256 and the public key as the secret', async () => {
      const [, payload] = (await signed()).split('.')
      for (const secret of [key.pem, key.pem.trim(), JSON.stringify(key.jwk), String(key.jwk.x)]) {
        const body = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${payload}`
        await expectRejected(`${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`)
      }
    })

    it('with another key, also if the assertion contains this key', async () => {
      const thief = await createClientKey()
      await expectRejected(await signed({}, thief))
      await expectRejected(await signed({ header: { jwk: thief.jwk } }, thief))
      await expectRejected(await signed({ header: { jwk: key.jwk } }))
      await expectRejected(await signed({ header: { jku: 'https://evil.example/jwks' } }))
      await expectRejected(await signed({ header: { x5c: [] } }))
    })

    it('with the key of another client', async () => {
      const own = await createClientKey()
      await createKeyClient([own.jwk])
      await expectRejected(await signed({}, own))
    })

    it('that name another client than the request, or that are sent beside a secret', async () => {
      for (const more of [
        { client_id: 'key_other' },
        { client_id: clientId, client_secret: 'x'.repeat(40) },
      ]) {
        const answer = await request(await signed(), host, more)
        expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_request'])
      }
    })

    it('that are no JWT', async () => {
      for (const assertion of ['x', 'a.b.c', '..', '{}']) {
        const answer = await request(assertion)
        expect([400, 401], assertion).toContain(answer.status)
        expect(answer.text).not.toContain('access_token')
      }
    })

    it('twice', async () => {
      const assertion = await signed()
      expect((await request(assertion)).status).toBe(200)
      const again = await expectRejected(assertion)
      expect(again.body['error_description']).toBe('client authentication failed')
    })

    it('twice at the same time, at two processes: one of 40 requests gets a token', async () => {
      const assertion = await signed()
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => request(assertion, index % 2 === 0 ? host : other)),
      )
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses.filter((status) => status === 401 || status === 429)).toHaveLength(39)
    })
  })

  it('two clients may use the same jti, or ids that give the same text together with a jti', async () => {
    const create = async (id: string) => {
      const input = { accountId: 'acme', name: id, products: ['invoices'], clientId: id }
      const { apiKey } = await host.gatehouse.apiKeys.create({ ...input, jwks: { keys: [key.jwk] } })
      return apiKey.clientId
    }
    const [one, two] = [await create(`${clientId}-svc`), await create(`${clientId}-svcX`)]
    const use = async (id: string, jti: string) =>
      request(await signAssertion(key, id, host.issuer, { claims: { jti } }))
    expect((await use(one, 'X1')).status).toBe(200)
    expect((await use(two, '1')).status).toBe(200)
    expect((await use(two, 'X1')).status).toBe(200)
  })

  it('a rejected replay does not count as a use of the key', async () => {
    const assertion = await signed()
    await request(assertion)
    const own = await createClientKey()
    const id = await createKeyClient([own.jwk])
    const again = await signAssertion(own, id, host.issuer, { claims: { aud: 'https://other.example' } })
    await host.post('/oauth2/introspect', { ...asParameters(again), token: 'x' })
    expect(await host.gatehouse.apiKeys.listKeys(id)).toMatchObject([{ lastUsedAt: undefined }])
  })

  it('rotation: both keys are accepted until the old one is removed, in all processes', async () => {
    const [first, second] = [await createClientKey(), await createClientKey('RS256')]
    const id = await createKeyClient([{ ...first.jwk, kid: 'first' }])
    const { apiKeys } = host.gatehouse
    const assert = (by: ClientKey, kid?: string) =>
      signAssertion(by, id, host.issuer, { header: { ...(kid && { kid }) } })
    await apiKeys.addKey(id, { ...second.jwk, kid: 'second' })
    for (const at of [host, other]) {
      expect((await request(await assert(first, 'first'), at)).status).toBe(200)
      expect((await request(await assert(second), at)).status).toBe(200)
    }
    const [newest] = await apiKeys.listKeys(id)
    expect(newest).toMatchObject({ kid: 'second', kty: 'RSA' })
    await apiKeys.removeKey(id, 'first')
    await vi.waitFor(async () =>
      expect((await request(await assert(first, 'first'), other)).status).toBe(401),
    )
    expect((await request(await assert(first, 'first'))).status).toBe(401)
    expect((await request(await assert(second), other)).status).toBe(200)
    await expect(apiKeys.removeKey(id, 'second')).rejects.toMatchObject({ code: 'ERR_ONE_SECRET' })
  })

  it('a private key that leaked is found and revoked like a secret, with all tokens of its client', async () => {
    const own = await createClientKey()
    const id = await createKeyClient([own.jwk])
    const token = String((await request(await signAssertion(own, id, host.issuer))).body['access_token'])
    const { secrets } = host.gatehouse
    expect(await secrets.find(own.privatePem)).toMatchObject({ clientId: id, isValid: true })
    expect(await secrets.find(JSON.stringify(own.privateJwk))).toMatchObject({ clientId: id, isValid: true })
    // A public key cannot leak.
    expect(await secrets.find(own.pem)).toBeUndefined()
    expect(await secrets.find(JSON.stringify(own.jwk))).toBeUndefined()

    expect(await secrets.reportLeaked(own.privatePem, { leakSource: 'commit' })).toMatchObject({
      clientId: id,
    })
    expect((await host.call('GET /invoices/list', token)).status).toBe(401)
    expect((await request(await signAssertion(own, id, host.issuer))).status).toBe(401)
    expect((await host.gatehouse.apiKeys.find(id))?.noSecret).toBe('compromised')
    expect(await host.gatehouse.apiKeys.listKeys(id)).toEqual([])
  })

  it('the last use of a key is known', async () => {
    const own = await createClientKey()
    const id = await createKeyClient([own.jwk])
    await request(await signAssertion(own, id, host.issuer))
    await vi.waitFor(async () => {
      const [info] = await host.gatehouse.apiKeys.listKeys(id)
      expect(info?.lastUsedAt).toBeGreaterThanOrEqual(info?.createdAt ?? Infinity)
    })
  })

  it('failed assertions are limited and reported like wrong secrets', async () => {
    const failed: unknown[] = []
    host.gatehouse.on('client_authentication.failed', (event) => failed.push(event))
    const own = await createClientKey()
    const id = await createKeyClient([own.jwk])
    const statuses: number[] = []
    for (let round = 0; round < 12; round += 1)
      statuses.push((await request(await signAssertion(key, id, host.issuer))).status)
    expect(statuses).toContain(401)
    expect(statuses.at(-1)).toBe(429)
    expect(failed).toContainEqual(expect.objectContaining({ clientId: id }))
    expect((await request(await signAssertion(own, id, host.issuer))).status).toBe(200)
  })

  it('a client with a secret and a key uses either of them', async () => {
    const { client_id, client_secret } = await host.createApiKey()
    await host.gatehouse.apiKeys.addKey(client_id, key.jwk)
    expect((await host.requestDirectToken({ client_id, client_secret })).status).toBe(200)
    expect((await request(await signAssertion(key, client_id, host.issuer))).status).toBe(200)
  })

  it('the metadata names the method and its algorithms', async () => {
    const metadata = (await (await fetch(`${host.issuer}/.well-known/openid-configuration`)).json()) as object
    const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
    const algorithms = ['ES256', 'RS256', 'PS256']
    expect(metadata).toMatchObject({
      token_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_methods_supported: methods,
      introspection_endpoint_auth_methods_supported: methods,
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    })
  })
})
