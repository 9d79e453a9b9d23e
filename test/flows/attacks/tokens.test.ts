import { createHmac, createPublicKey, randomUUID, sign, generateKeyPairSync } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/host-requests.ts'
import { authorize, CALLBACK, connect, startHost, type Host, type Tokens } from '../../support/host.ts'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const hs256 = (input: string, key: string | Buffer) =>
  createHmac('sha256', key).update(input).digest('base64url')

/** A store that records all text that was ever passed to it. */
function recordingStore(): { store: Store; values: string[] } {
  const values: string[] = []
  const store = memoryStore()
  const recorded = new Proxy(store, {
    get(target, name: keyof Store) {
      const member = target[name]
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        values.push(...args.filter((one): one is string => typeof one === 'string'))
        return Reflect.apply(member, target, args)
      }
    },
  })
  return { store: recorded, values }
}

describe('attacks with tokens', () => {
  let host: Host
  let application: Client
  let key: Client
  let tokens: Tokens
  let jwk: Record<string, string>
  let rsa: Record<string, string>
  const recorded = recordingStore()
  beforeAll(async () => {
    host = await startHost({ store: recorded.store })
    await host.gatehouse.ready()
    application = await host.createApplication()
    key = await host.createApiKey()
    tokens = await connect(host, application, { parameters: { scope: 'openid profile invoices:read' } })
    const { keys } = (await (await fetch(`${host.issuer}/oauth2/jwks`)).json()) as {
      keys: Record<string, string>[]
    }
    jwk = keys.find(({ alg }) => alg === 'ES256')!
    rsa = keys.find(({ alg }) => alg === 'RS256')!
  })
  afterAll(() => host.close())

  /** Expects that the API and user info reject a token, and that no handler is reached. */
  async function expectRejected(token: string): Promise<void> {
    host.reached.splice(0)
    for (const answer of [await host.call('GET /invoices/list', token), await host.userInfo(token)]) {
      expect(answer.status).toBe(401)
      expect(answer.body['error']).toBe('invalid_token')
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
      expect(JSON.stringify(answer.body)).not.toContain(token.split('.')[1])
    }
    expect(host.reached).toEqual([])
  }

  it('the original token is accepted by the API and by user info', async () => {
    expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
    expect((await host.userInfo(tokens.access_token)).status).toBe(200)
  })

  it('an ID token is rejected as an access token', async () => {
    await expectRejected(tokens.id_token!)
  })

  it('an ID token with the header of an access token is rejected', async () => {
    const [, payload, signature] = tokens.id_token!.split('.')
    const header = { ...decodeProtectedHeader(tokens.id_token!), typ: 'at+jwt' }
    await expectRejected(`${encode(header)}.${payload}.${signature}`)
  })

  it('a refresh token and a code are rejected as access tokens', async () => {
    const { code } = await authorize(host, application.client_id)
    await expectRejected(tokens.refresh_token)
    await expectRejected(code)
  })

  const forged = () => ({
    ...decodeJwt(tokens.access_token),
    sub: 'bob',
    account_id: 'bob',
    jti: randomUUID(),
  })
  const headerOf = () => decodeProtectedHeader(tokens.access_token)

  it.each(['none', 'None', 'NONE', 'nOnE', ''])('a forged token with alg %j is rejected', async (alg) => {
    for (const header of [
      { ...headerOf(), alg },
      { alg, typ: 'at+jwt' },
    ]) {
      const input = `${encode(header)}.${encode(forged())}`
      await expectRejected(`${input}.`)
      await expectRejected(`${input}.${tokens.access_token.split('.')[2]}`)
    }
  })

  it('a token that is signed by HS256 with a public key as the secret is rejected, whatever the encoding of the key is', async () => {
    for (const one of [jwk, rsa]) {
      const publicKey = createPublicKey({ key: one, format: 'jwk' })
      const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
      const secrets: (string | Buffer)[] = [
        pem,
        pem.trim(),
        publicKey.export({ type: 'spki', format: 'der' }),
        JSON.stringify(one),
        JSON.stringify(publicKey.export({ format: 'jwk' })),
        String(one['x'] ?? one['n']),
        Buffer.from(String(one['x'] ?? one['n']), 'base64url'),
        '',
      ]
      for (const secret of secrets) {
        const input = `${encode({ ...headerOf(), alg: 'HS256', kid: one['kid'] })}.${encode(forged())}`
        await expectRejected(`${input}.${hs256(input, secret)}`)
      }
    }
  })

  it('a token signed with a key that the token itself contains or names is rejected', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const own = pair.publicKey.export({ format: 'jwk' })
    for (const extra of [
      { jwk: own },
      { jwk: own, kid: undefined },
      { jku: 'http://127.0.0.1:1/jwks' },
      { x5u: 'http://127.0.0.1:1/' },
      { kid: '../../etc/passwd' },
      { kid: '__proto__' },
      { kid: undefined },
      { crit: ['b64'], b64: false },
    ]) {
      const input = `${encode({ ...headerOf(), ...extra })}.${encode(forged())}`
      const signature = sign('sha256', Buffer.from(input), {
        key: pair.privateKey,
        dsaEncoding: 'ieee-p1363',
      })
      await expectRejected(`${input}.${signature.toString('base64url')}`)
    }
  })

  it('a token with a changed payload or signature is rejected', async () => {
    const [header, payload, signature = ''] = tokens.access_token.split('.')
    await expectRejected(`${header}.${encode(forged())}.${signature}`)
    await expectRejected(`${header}.${payload}.${signature.slice(0, -4)}`)
    await expectRejected(`${header}.${payload}.`)
    await expectRejected(`${header}.${payload}.${'A'.repeat(86)}`)
    await expectRejected(`${header}.${payload}`)
    await expectRejected(`${header}.${payload}.${signature}.${signature}`)
    await expectRejected(`.${payload}.${signature}`)
  })

  it('a client assertion is rejected even if its signing key is a text from the store', async () => {
    const now = Math.floor(Date.now() / 1000)
    const texts = recorded.values.flatMap((value) => [value, ...(value.match(/[\w:+/=-]{20,}/g) ?? [])])
    const hashes = texts.filter((text) => text.startsWith('sha256:'))
    expect(hashes.length).toBeGreaterThan(1)
    const secrets = [...new Set([...hashes, ...hashes.map((hash) => hash.slice(7)), ...texts])].slice(0, 400)
    for (const client of [key, application]) {
      const claims = {
        iss: client.client_id,
        sub: client.client_id,
        aud: host.issuer,
        jti: randomUUID(),
        iat: now,
        exp: now + 60,
      }
      const input = `${encode({ alg: 'HS256' })}.${encode(claims)}`
      for (const secret of secrets) {
        const { status, body } = await host.token({
          client_id: client.client_id,
          grant_type: 'client_credentials',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: `${input}.${hs256(input, secret)}`,
        })
        expect([status, body['error']]).toEqual([401, 'invalid_client'])
      }
      for (const secret of hashes) {
        const { status } = await host.requestDirectToken({ ...client, client_secret: secret })
        expect(status).toBe(401)
      }
    }
  })

  it('user info answers for an account whose id is a client id, and the tokens of this account stay delegated', async () => {
    for (const clientId of [application.client_id, key.client_id]) {
      host.accounts.set(clientId, { id: clientId, kycLevel: 'basic', claims: { name: 'Twin' } })
      const parameters = { scope: 'openid profile invoices:read', prompt: 'login' }
      const twin = await connect(host, application, { user: clientId, parameters })
      expect(decodeJwt(twin.access_token)).toMatchObject({
        sub: clientId,
        access_mode: 'delegated',
        account_id: clientId,
      })
      expect(await host.userInfo(twin.access_token)).toMatchObject({
        status: 200,
        body: { sub: clientId, name: 'Twin' },
      })
      const { body } = await host.call('GET /invoices/list', twin.access_token)
      expect(body['auth']).toMatchObject({
        mode: 'delegated',
        accountId: clientId,
        clientId: application.client_id,
      })
    }
    const { body } = await host.requestDirectToken(key)
    const direct = await host.call('GET /invoices/list', String(body['access_token']))
    expect(direct.body['auth']).toMatchObject({ mode: 'direct', accountId: 'acme', clientId: key.client_id })
    const rejected = await host.userInfo(String(body['access_token']))
    expect([rejected.status, rejected.body['error']]).toEqual([403, 'insufficient_scope'])
  })

  describe('authorization codes and refresh tokens', () => {
    it('a code that another client sends is rejected, and the code still works for its application', async () => {
      const other = await host.createApplication({ name: 'Other' })
      const { code } = await authorize(host, application.client_id)
      for (const client of [other, key]) {
        const { status, body } = await host.exchangeCode(client, code)
        expect(status).toBe(400)
        expect(body).not.toHaveProperty('access_token')
      }
      expect((await host.exchangeCode(application, code)).status).toBe(200)
    })

    it('the second use of a code is rejected and revokes the refresh token of the first use', async () => {
      const { code } = await authorize(host, application.client_id)
      const first = await host.exchangeCode(application, code)
      const reused: unknown[] = []
      host.gatehouse.on('code.reused', (event) => reused.push(event))
      const second = await host.exchangeCode(application, code)
      expect([second.status, second.body['error']]).toEqual([400, 'invalid_grant'])
      expect(second.body).not.toHaveProperty('access_token')
      expect(reused).toEqual([
        expect.objectContaining({ clientId: application.client_id, accountId: 'alice' }),
      ])
      const refreshed = await host.refresh(application, first.body['refresh_token'])
      expect([refreshed.status, refreshed.body['error']]).toEqual([400, 'invalid_grant'])
      expect((await host.exchangeCode(application, code)).status).toBe(400)
    })

    it('a client that sends the used code of another application is rejected, and the tokens of that application stay valid', async () => {
      const other = await host.createApplication({ name: 'Other' })
      const { code } = await authorize(host, application.client_id)
      const first = await host.exchangeCode(application, code)
      expect((await host.exchangeCode(other, code)).status).toBe(400)
      expect((await host.refresh(application, first.body['refresh_token'])).status).toBe(200)
    })

    it('a code is rejected with another redirect URI, with another code verifier, or in another letter case', async () => {
      const { code } = await authorize(host, application.client_id)
      for (const more of [
        { redirect_uri: `${CALLBACK}/` },
        { redirect_uri: CALLBACK.toUpperCase() },
        { redirect_uri: 'https://evil.example/' },
        { code_verifier: 'v'.repeat(43) },
        { code: code.toLowerCase() },
        { code: `${code} ` },
        { code: `${code}=` },
      ]) {
        const { status, body } = await host.exchangeCode(application, code, more)
        expect([status, body['error']], JSON.stringify(more)).toEqual([400, 'invalid_grant'])
      }
      expect((await host.exchangeCode(application, code)).status).toBe(200)
    })

    it('an application cannot use a superseded or current refresh token of another application', async () => {
      const other = await host.createApplication({ name: 'Other' })
      const { refresh_token: old } = await connect(host, application)
      const next = await host.refresh(application, old)
      for (const token of [old, next.body['refresh_token']]) {
        const { status, body } = await host.refresh(other, token)
        expect([status, body['error']]).toEqual([400, 'invalid_grant'])
      }
      expect((await host.refresh(application, next.body['refresh_token'])).status).toBe(200)
    })
  })
})
