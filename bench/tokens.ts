/** The keys, access tokens and products of the bench. All candidates verify the same tokens. */
import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose'
import type { ProductDefinitions } from 'koa-gatehouse'
import { forEach } from './in-parallel.ts'

/** The operations that most tokens permit: the first product. */
const OPERATIONS_PER_PRODUCT = 10

/** The scopes of the first product. */
export const ITEM_SCOPE = scopesOf(OPERATIONS_PER_PRODUCT).join(' ')

/** The keys that sign the tokens. */
export interface Keys {
  /** Private keys for ES256 and RS256, in this order. */
  readonly keys: readonly JWK[]
  readonly hmacSecret: string
}

export async function generateKeys(): Promise<Keys> {
  const make = async (alg: string) => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true })
    return { ...(await exportJWK(privateKey)), alg, kid: `${alg}-1`, use: 'sig' }
  }
  return {
    keys: await Promise.all([make('ES256'), make('RS256')]),
    hmacSecret: randomBytes(32).toString('base64url'),
  }
}

const PUBLIC_MEMBERS = new Set(['kty', 'crv', 'x', 'y', 'n', 'e', 'alg', 'kid', 'use'])

/** The public part of a key. */
export function publicJwk(jwk: JWK = {}): JWK {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => PUBLIC_MEMBERS.has(name)))
}

/** The claims of an access token of koa-gatehouse, but for issuer, audience and times. */
function claimsOf(scopes: readonly string[]) {
  return {
    client_id: 'key_1',
    scope: scopes.join(' '),
    access_mode: 'direct',
    account_id: 'acme',
    access_epoch: 0,
    catalog_epoch: 0,
  }
}

/**
 * Signs access tokens that differ in their `jti`.
 *
 * @param options.scopes the number of scopes in each token. @default 10
 */
export async function signTokens(
  { keys, hmacSecret }: Keys,
  options: {
    readonly count: number
    readonly alg: 'ES256' | 'HS256'
    readonly issuer: string
    readonly audience: string
    readonly scopes?: number
  },
): Promise<string[]> {
  const { count, alg, issuer, audience, scopes = OPERATIONS_PER_PRODUCT } = options
  const key = alg === 'ES256' ? (keys[0] ?? {}) : Buffer.from(hmacSecret)
  const claims = claimsOf(scopesOf(scopes))
  return forEach(count, async (index) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg, kid: alg === 'ES256' ? 'ES256-1' : 'HS256-1', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('key_1')
      .setJti(`token-${index}`)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key),
  )
}

/** Products with ten operations each. The first operations are `GET /items/list` and `GET /items/:id`. */
export function itemProducts(operations: number) {
  const scopes = scopesOf(operations)
  return Object.fromEntries(
    Array.from({ length: Math.ceil(operations / OPERATIONS_PER_PRODUCT) }, (_, product) => {
      const first = product * OPERATIONS_PER_PRODUCT
      const some = scopes.slice(first, first + OPERATIONS_PER_PRODUCT)
      const entries = some.map((scope, index) => [scope, { route: routeOf(first + index), title: scope }])
      return [`items-${product}`, { title: `Items ${product}`, operations: Object.fromEntries(entries) }]
    }),
  ) as ProductDefinitions
}

function scopesOf(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => (index < 2 ? ['items:list', 'items:read'][index] : `items-${index}:read`) ?? '',
  )
}

function routeOf(index: number): string {
  if (index === 0) return 'GET /items/list'
  return index === 1 ? 'GET /items/:id' : `GET /items-${index}/:id`
}
