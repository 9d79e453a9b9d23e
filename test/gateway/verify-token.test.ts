import { createHmac } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createLocalJWKSet,
  exportSPKI,
  exportJWK,
  importJWK,
  SignJWT,
  UnsecuredJWT,
  type CryptoKey,
} from 'jose'
import { createTokenVerifier, type VerifyToken } from '../../src/gateway/verify-token.ts'
import { keyPairOf } from '../support/rsa-keys.ts'
import {
  accessTokenClaims,
  AUDIENCE,
  createTokenIssuer,
  ISSUER,
  type TokenIssuer,
} from './support/token-issuer.ts'

let issuer: TokenIssuer
let verify: VerifyToken

beforeAll(async () => {
  issuer = await createTokenIssuer()
  verify = createTokenVerifier({ issuer: ISSUER, audience: AUDIENCE, getKey: issuer.getKey })
})
afterEach(() => void vi.useRealTimers())

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a valid token', () => {
  const VALID: [what: string, claims: object, header: object][] = [
    ['direct mode', {}, {}],
    ['delegated mode', { access_mode: 'delegated', sub: 'acme', user_id: 'u', grant_id: 'g' }, {}],
    ['the type application/at+jwt', {}, { typ: 'application/at+jwt' }],
    ['the type AT+JWT', {}, { typ: 'AT+JWT' }],
    ['several audiences that include the API', { aud: ['https://other.example', AUDIENCE] }, {}],
    ['no scope', { scope: undefined }, {}],
    ['an empty scope', { scope: '' }, {}],
    ['unknown claims', { email: 'a@b.c', nested: { a: [1] } }, {}],
  ]
  it('a token of each allowed form is accepted', async () => {
    for (const [what, claims, header] of VALID) {
      const principal = await verify(await issuer.mint({ ...claims }, header))
      expect([what, principal]).toEqual([
        what,
        expect.objectContaining({ accountId: 'acme', clientId: 'key_1', mode: expect.any(String) as string }),
      ])
    }
  })

  it('a token is accepted if the clock of its issuer is four seconds ahead', async () => {
    expect(await verify(await issuer.mint({ nbf: Math.floor(Date.now() / 1000) + 4 }))).toHaveProperty('mode')
  })
})

describe('an invalid token', () => {
  const INVALID: [what: string, claims: Record<string, unknown>, problem: string, claim?: string][] = [
    ['another issuer', { iss: 'https://evil.example' }, 'wrong-issuer'],
    ['the issuer with a slash', { iss: `${ISSUER}/` }, 'wrong-issuer'],
    ['no issuer', { iss: undefined }, 'wrong-issuer'],
    ['another audience', { aud: 'https://example.com' }, 'wrong-audience'],
    ['only other audiences', { aud: ['a', 'b'] }, 'wrong-audience'],
    ['an audience of the wrong type', { aud: { [AUDIENCE]: true } }, 'wrong-audience'],
    ['no audience', { aud: undefined }, 'wrong-audience'],
    ['no subject', { sub: undefined }, 'missing-claim', 'sub'],
    ['no client', { client_id: undefined }, 'missing-claim', 'client_id'],
    ['no iat', { iat: undefined }, 'missing-claim', 'iat'],
    ['no jti', { jti: undefined }, 'missing-claim', 'jti'],
    ['no exp', { exp: undefined }, 'missing-claim', 'exp'],
    ['an exp that is text', { exp: '9999999999' }, 'missing-claim', 'exp'],
    ['an iat that is text', { iat: 'now' }, 'missing-claim', 'iat'],
    ['a subject that is a number', { sub: 7 }, 'wrong-claim', 'sub'],
    ['a client that is a list', { client_id: ['key_1'] }, 'wrong-claim', 'client_id'],
    ['a scope that is a list', { scope: ['invoices:read'] }, 'wrong-claim', 'scope'],
    ['a scope that is null', { scope: null }, 'wrong-claim', 'scope'],
    ['no access mode', { access_mode: undefined }, 'missing-claim', 'access_mode'],
    ['another access mode', { access_mode: 'root' }, 'wrong-claim', 'access_mode'],
    ['an account that is a number', { account_id: 1 }, 'wrong-claim', 'account_id'],
    ['an empty account', { account_id: '' }, 'wrong-claim', 'account_id'],
    ['no account', { account_id: undefined }, 'missing-claim', 'account_id'],
    ['a user that is an object', { user_id: {} }, 'wrong-claim', 'user_id'],
    ['a grant that is a number', { grant_id: 1 }, 'wrong-claim', 'grant_id'],
    ['no epoch', { access_epoch: undefined }, 'missing-claim', 'access_epoch'],
    ['a negative epoch', { access_epoch: -1 }, 'wrong-claim', 'access_epoch'],
    ['an epoch that is text', { access_epoch: '0' }, 'wrong-claim', 'access_epoch'],
    ['a binding to a key (DPoP)', { cnf: { jkt: 'x' } }, 'bound-to-key'],
    ['a binding to a certificate', { cnf: { 'x5t#S256': 'x' } }, 'bound-to-key'],
    ['an empty cnf', { cnf: null }, 'bound-to-key'],
    ['an nbf in the future', { nbf: Math.floor(Date.now() / 1000) + 60 }, 'not-valid-yet'],
  ]
  it('a token with a missing or wrong claim is rejected, and the problem names the claim', async () => {
    const found = await Promise.all(
      INVALID.map(async ([what, claims]) => [what, await verify(await issuer.mint(claims))]),
    )
    expect(found).toEqual(INVALID.map(([what, , problem, claim]) => [what, { problem, claim }]))
  })

  it('a token is rejected from the second of its expiry on', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
    const token = await issuer.mint({ iat: 1_800_000_000, exp: 1_800_864_000 })
    vi.setSystemTime(1_800_863_999_999)
    expect(await verify(token)).toHaveProperty('mode', 'direct')
    vi.setSystemTime(1_800_864_000_000)
    expect(await verify(token)).toEqual({ problem: 'expired', clientId: 'key_1' })
    vi.setSystemTime(1_900_000_000_000)
    expect(await verify(token)).toEqual({ problem: 'expired', clientId: 'key_1' })
  })

  it('a token of another type is rejected, before its key is looked up', async () => {
    const before = issuer.lookups()
    for (const typ of ['JWT', 'jwt', 'logout+jwt', 'at', 'application/jwt', 'xat+jwt', '']) {
      expect([typ, await verify(await issuer.mint({}, { typ }))]).toEqual([
        typ,
        { problem: 'not-access-token' },
      ])
    }
    expect(issuer.lookups()).toBe(before)
  })

  it('an ID token is rejected', async () => {
    const { privateKey } = await keyPairOf('RS256')
    const token = await new SignJWT({ sub: 'acme', nonce: 'n' })
      .setProtectedHeader({ alg: 'RS256', kid: 'rsa', typ: 'JWT' })
      .setIssuer(ISSUER)
      .setAudience('app_1')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
    expect(await verify(token)).toEqual({ problem: 'not-access-token' })
  })

  it('a token without a type is rejected', async () => {
    const token = await new SignJWT(accessTokenClaims())
      .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
      .sign(issuer.privateKey)
    expect(await verify(token)).toHaveProperty('problem')
  })

  it('a token signed with an unknown key is rejected, whether its kid is known or unknown', async () => {
    const stranger = await createTokenIssuer('key-1')
    expect(await verify(await stranger.mint())).toEqual({
      problem: 'wrong-signature',
    })
    const other = await createTokenIssuer('key-2')
    expect(await verify(await other.mint())).toEqual({
      problem: 'unknown-key',
    })
  })

  it('a token whose claims were changed is rejected', async () => {
    const [header, , signature] = (await issuer.mint()).split('.')
    const token = `${header}.${encode(accessTokenClaims({ scope: 'everything' }))}.${signature}`
    expect(await verify(token)).toEqual({ problem: 'wrong-signature' })
  })

  it('a signature that is in DER, truncated, empty or all zeros is rejected', async () => {
    const [header, payload, signature = ''] = (await issuer.mint()).split('.')
    for (const forged of [
      '',
      signature.slice(0, -4),
      Buffer.alloc(64).toString('base64url'),
      `${signature}AAAA`,
      'MEUCIQ',
      '!!',
    ]) {
      expect(await verify(`${header}.${payload}.${forged}`)).toHaveProperty('problem')
    }
  })

  const MALFORMED = [
    '',
    '.',
    '..',
    '...',
    'a',
    'a.b',
    'a.b.c',
    'a.b.c.d.e',
    `${encode({ typ: 'at+jwt' })}..`,
    `${encode({ typ: 'at+jwt', alg: 'ES256', crit: ['x'], x: 1 })}.e30.AA`,
    `${encode({ typ: 'at+jwt', alg: 'ES256', crit: ['b64'], b64: false })}.e30.AA`,
    `${encode([])}.e30.AA`,
    `${encode(null)}.e30.AA`,
    `${encode({ typ: ['at+jwt'], alg: 'ES256' })}.e30.AA`,
    `${encode({ typ: 'at+jwt', alg: ['ES256'] })}.e30.AA`,
    `${encode({ typ: 'at+jwt', alg: 'ECDH-ES', enc: 'A256GCM' })}.a.b.c.d`,
  ]
  it('a malformed token is rejected', async () => {
    for (const token of MALFORMED) expect(await verify(token), token).toHaveProperty('problem')
  })

  it('a valid token with white space in its signature is rejected', async () => {
    const [header, payload, signature] = (await issuer.mint()).split('.')
    expect(await verify(`${header}.${payload}.${signature}`)).toHaveProperty('mode')
    for (const space of [' ', '\n', '\t']) {
      expect(await verify(`${header}.${payload}.${space}${signature}`)).toEqual({ problem: 'malformed' })
    }
  })

  it('a token whose claims are not an object is rejected', async () => {
    const input = `${encode({ alg: 'ES256', kid: 'key-1', typ: 'at+jwt' })}.${encode(['a'])}`
    const signature = Buffer.from(
      await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, issuer.privateKey, Buffer.from(input)),
    )
    expect(await verify(`${input}.${signature.toString('base64url')}`)).toEqual({
      problem: 'malformed',
    })
  })
})

describe('a token with another algorithm', () => {
  const header = (alg: string) => ({ alg, kid: 'key-1', typ: 'at+jwt' })

  it('a token with the algorithm none is rejected in every spelling', async () => {
    expect(await verify(new UnsecuredJWT(accessTokenClaims()).encode())).toHaveProperty('problem')
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '']) {
      const unsigned = `${encode(header(alg))}.${encode(accessTokenClaims())}.`
      expect(await verify(unsigned)).toHaveProperty('problem')
    }
  })

  it('a token signed by HS256 with the public key as the secret is rejected, in every published form of that key', async () => {
    const publicKey = (await importJWK(issuer.publicJwk, 'ES256', { extractable: true })) as CryptoKey
    const { x, y } = await exportJWK(publicKey)
    const pem = await exportSPKI(publicKey)
    const secrets = [
      pem,
      pem.trim(),
      JSON.stringify(issuer.publicJwk),
      x ?? '',
      Buffer.from(x ?? '', 'base64url'),
      Buffer.from(`${x}${y}`, 'base64url'),
      '',
    ]
    for (const secret of secrets) {
      const input = `${encode(header('HS256'))}.${encode(accessTokenClaims())}`
      const signature = createHmac('sha256', secret).update(input).digest('base64url')
      expect(await verify(`${input}.${signature}`)).toEqual({
        problem: 'wrong-algorithm',
      })
    }
  })

  it('a token with a valid signature of another algorithm is rejected', async () => {
    for (const alg of ['ES384', 'ES512', 'RS256', 'PS256', 'EdDSA']) {
      const { privateKey, publicKey } = await keyPairOf(alg)
      const token = await new SignJWT(accessTokenClaims()).setProtectedHeader(header(alg)).sign(privateKey)
      const options = { issuer: ISSUER, audience: AUDIENCE, getKey: async () => publicKey }
      expect(await createTokenVerifier(options)(token)).toEqual({ problem: 'wrong-algorithm' })
    }
  })

  it('an ES256 token with the kid of an RSA key is rejected as invalid, and the keys do not count as unavailable', async () => {
    const rsa = await exportJWK((await keyPairOf('RS256')).publicKey)
    const rsaKey = (await importJWK(rsa, 'RS256')) as CryptoKey
    const byIdAlone = createTokenVerifier({ issuer: ISSUER, audience: AUDIENCE, getKey: async () => rsaKey })
    expect(await byIdAlone(await issuer.mint())).toHaveProperty('problem')
  })

  it('a key inside of the token (jwk, jku, x5c) is ignored', async () => {
    const stranger = await createTokenIssuer('key-1')
    const token = await stranger.mint(
      {},
      { jwk: stranger.publicJwk, jku: 'https://evil.example/jwks', x5c: ['AA'] },
    )
    expect(await verify(token)).toEqual({ problem: 'wrong-signature' })
  })
})

describe('a verifier that cannot determine the key of a token', () => {
  it('verifying a token rejects with ERR_NOT_READY while the keys are unavailable', async () => {
    const failing = createTokenVerifier({
      issuer: ISSUER,
      audience: AUDIENCE,
      getKey: () => Promise.reject(new TypeError('fetch failed')),
    })
    await expect(failing(await issuer.mint())).rejects.toMatchObject({ code: 'ERR_NOT_READY', status: 503 })
  })

  it('a token without a kid is rejected if several keys may match', async () => {
    const other = await createTokenIssuer('key-2')
    const keys = createLocalJWKSet({ keys: [issuer.publicJwk, other.publicJwk] })
    const verifyWithBoth = createTokenVerifier({ issuer: ISSUER, audience: AUDIENCE, getKey: keys })
    expect(await verifyWithBoth(await issuer.mint({}, { kid: undefined as never }))).toHaveProperty('problem')
    expect(await verifyWithBoth(await issuer.mint())).toHaveProperty('mode')
  })
})
