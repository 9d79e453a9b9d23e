/**
 * The limit of every token endpoint: `node:http` that does only what no service can leave out. For a direct token, it
 * reads the client from Redis and makes one signature with ES256. For a refresh, it reads three records in one round
 * trip, exchanges one of them by a script, hashes secret and tokens, and signs, with RS256 too if the client asks for an
 * ID token. It is unfair to everybody: it checks nothing, and knows one kind of request.
 */
import { createHash, createHmac, createPrivateKey, randomBytes, sign, type JsonWebKey } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { withRawSignatures } from '../../src/keys/raw-signatures.ts'
import { forEach } from '../in-parallel.ts'
import { options, servePeer } from '../peer.ts'
import { ITEM_SCOPE } from '../tokens.ts'

const { issuer, audience, redisPort = 6379, keyPrefix = 'floor:' } = options
const redis = new Redis(redisPort, { keyPrefix })
const SWAP =
  "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], ARGV[2], 'EX', 86400) return 1 end return 0"
redis.defineCommand('swap', { numberOfKeys: 1, lua: SWAP })
const swap = (redis as unknown as { swap(key: string, from: string, to: string): Promise<number> }).swap.bind(
  redis,
)
const signAsync = promisify(sign)
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const [es256, rs256] = ['ES256', 'RS256'].map((alg, at) => {
  const jwk = options.keys[at] ?? {}
  const privateKey = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })
  const key = alg === 'ES256' ? withRawSignatures(privateKey) : privateKey
  const header = encode({ alg, kid: jwk.kid, ...(alg === 'ES256' && { typ: 'at+jwt' }) })
  return async (claims: object) => {
    const input = `${header}.${encode(claims)}`
    const signature = await signAsync('sha256', Buffer.from(input), key)
    return `${input}.${signature.toString('base64url')}`
  }
})
const record = JSON.stringify({ name: 'A client', scopes: ITEM_SCOPE.split(' '), text: 'x'.repeat(500) })

async function answer(form: URLSearchParams): Promise<object> {
  const clientId = form.get('client_id') ?? ''
  const token = form.get('refresh_token')
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: audience, sub: clientId, client_id: clientId, iat, exp: iat + 3600 }
  const jti = randomBytes(32).toString('base64url')
  const all = { ...claims, scope: ITEM_SCOPE, jti }
  sha256(form.get('client_secret') ?? '')
  if (token === null) {
    await redis.get(clientId)
    return { access_token: await es256?.(all), expires_in: 3600, scope: ITEM_SCOPE, token_type: 'Bearer' }
  }
  const [family = ''] = token.split('.')
  const [text] = await Promise.all([redis.get(family), redis.get(clientId), redis.get('grant')])
  const random = randomBytes(32).toString('base64url')
  const next = `${family}.${random}.${createHmac('sha256', 'a key for measurements').update(random).digest('base64url')}`
  if (!text?.includes(sha256(token))) throw new Error('the token was used')
  await swap(family, text, JSON.stringify({ current: sha256(next), record }))
  const idToken = options.openId ? rs256?.(claims) : undefined
  return {
    access_token: await es256?.(all),
    expires_in: 3600,
    id_token: await idToken,
    refresh_token: next,
    scope: ITEM_SCOPE,
    token_type: 'Bearer',
  }
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    void answer(new URLSearchParams(Buffer.concat(chunks).toString())).then((body) => {
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      response.end(JSON.stringify(body))
    })
  })
}

await servePeer(handle, {
  forms: () =>
    forEach(options.clients ?? 0, async (index) => {
      await redis.set(`key_${index}`, record)
      return `grant_type=client_credentials&client_id=key_${index}&client_secret=unchecked`
    }),
  async refreshForms() {
    await Promise.all([redis.set('app', record), redis.set('grant', record)])
    return forEach(options.grants ?? 0, async (index) => {
      await redis.set(`family-${index}`, JSON.stringify({ current: sha256(`family-${index}.0`), record }))
      return `grant_type=refresh_token&client_id=app&client_secret=unchecked&refresh_token=family-${index}.0`
    })
  },
  async close() {
    redis.disconnect()
  },
})
