import { createHmac, randomUUID } from 'node:crypto'
import { exportSPKI, importJWK, SignJWT, type CryptoKey } from 'jose'
import { toPublicJwk, type SigningJwk } from '../../../src/keys/generate-key.ts'
import { AUDIENCE, ISSUER, type FuzzHostKeys } from './fuzz-host.ts'

/** A text that may be sent as a token. */
export interface KnownToken {
  /** A description for findings. */
  readonly label: string
  readonly text: string
  /** The scopes of a valid token; undefined for an invalid token. */
  readonly scopes: ReadonlySet<string> | undefined
  readonly clientId: string
}

/**
 * Makes invalid tokens that resemble valid tokens. They are signed with the keys of the host or with similar
 * keys.
 *
 * @param clientId the client id of an existing API key
 */
export async function forgedTokens(
  keys: FuzzHostKeys,
  clientId: string,
  scope: string,
): Promise<KnownToken[]> {
  const now = Math.floor(Date.now() / 1000)
  const claims = (changes: object = {}): Record<string, unknown> => ({
    iss: ISSUER,
    aud: AUDIENCE,
    sub: clientId,
    client_id: clientId,
    jti: randomUUID(),
    iat: now,
    exp: now + 36_000,
    scope,
    access_mode: 'direct',
    account_id: 'acme',
    access_epoch: 0,
    catalog_epoch: 0,
    ...changes,
  })
  const es256 = { alg: 'ES256', kid: keys.es256.kid, typ: 'at+jwt' }
  const sign = (payload: object, header: object = es256, key: SigningJwk = keys.es256) =>
    jwt(payload, header, key)
  const publicPem = await exportSPKI((await importJWK(toPublicJwk(keys.es256), 'ES256')) as CryptoKey)

  const forged: Record<string, string> = {
    expired: await sign(claims({ exp: now - 60, iat: now - 3600 })),
    'of the future': await sign(claims({ nbf: now + 3600 })),
    'of another audience': await sign(claims({ aud: `${ORIGIN_OF_OTHERS}/api` })),
    'of the issuer as audience': await sign(claims({ aud: ISSUER })),
    'of another issuer': await sign(claims({ iss: `${ORIGIN_OF_OTHERS}/auth` })),
    'of another issuer, with a slash at the end': await sign(claims({ iss: `${ISSUER}/` })),
    'bound to a key': await sign(claims({ cnf: { jkt: 'x' } })),
    'without a type': await sign(claims(), { ...es256, typ: undefined }),
    'of type JWT': await sign(claims(), { ...es256, typ: 'JWT' }),
    'without a key id': await sign(claims(), { ...es256, kid: undefined }),
    'with an empty key id': await sign(claims(), { ...es256, kid: '' }),
    'with an unknown key id': await sign(claims(), { ...es256, kid: 'unknown' }),
    'with __proto__ as key id': await sign(claims(), { ...es256, kid: '__proto__' }),
    'with the header crit': await sign(claims(), { ...es256, crit: ['x'], x: 1 }),
    'with its verification key in the header': await sign(
      claims(),
      { ...es256, jwk: toPublicJwk(keys.foreign) },
      keys.foreign,
    ),
    'of a foreign key': await sign(claims(), es256, keys.foreign),
    'signed with RS256': await sign(claims(), { ...es256, alg: 'RS256', kid: keys.rs256.kid }, keys.rs256),
    'without a mode': await sign(claims({ access_mode: undefined })),
    'with a list as mode': await sign(claims({ access_mode: ['direct'] })),
    'without a scope': await sign(claims({ scope: undefined })),
    'with a list as scope': await sign(claims({ scope: [scope] })),
    'with a text as epoch': await sign(claims({ access_epoch: '0' })),
    'with a negative epoch': await sign(claims({ access_epoch: -1 })),
    'with a text as expiry time': await sign(claims({ exp: '9999999999' })),
    'with null as expiry time': await sign(claims({ exp: null })),
    'with an object as subject': await sign(claims({ sub: { toString: 1 } })),
    'with the algorithm none': unsigned({ ...es256, alg: 'none' }, claims()),
    'with an empty signature': unsigned(es256, claims()),
    'signed with the public key as HS256 secret': symmetric({ ...es256, alg: 'HS256' }, claims(), publicPem),
    'not an object': unsigned(es256, 'text'),
    'not JSON': `${part('{')}.${part('{')}.${part('x')}`,
    'of two dots': '..',
    'in five parts': 'a.b.c.d.e',
    'of three letters': 'abc',
  }
  return Object.entries(forged).map(([label, text]) => ({ label, text, scopes: undefined, clientId }))
}

const ORIGIN_OF_OTHERS = 'http://localhost:3001'

/**
 * Returns the canonical form of a JWT. Base64url text has unused bits, so one JWT can be written in several
 * ways.
 *
 * @returns undefined for a text that does not have three parts
 */
export function canonical(token: string): string | undefined {
  const parts = token.replace(/=+$/, '').split('.')
  if (parts.length !== 3) return undefined
  return parts.map((one) => Buffer.from(one, 'base64url').toString('base64url')).join('.')
}

/** Returns the claims of a JWT as JSON text. */
export function payloadOf(token: string): string {
  return Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
}

async function jwt(payload: object, header: object, key: SigningJwk): Promise<string> {
  return new SignJWT(payload as never)
    .setProtectedHeader(header as never)
    .sign(await importJWK(key, key.alg), { crit: { x: false } })
}

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const unsigned = (header: object, payload: unknown) => `${part(header)}.${part(payload)}.`

function symmetric(header: object, payload: object, secret: string): string {
  const text = `${part(header)}.${part(payload)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
