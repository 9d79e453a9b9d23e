/**
 * `@jmondi/oauth2-server` on `node:http`, with ES256 and its clients in Redis. It is unfair to koa-gatehouse: secrets are
 * stored as plain text, there are no products, and nothing is limited. It is unfair to this candidate that it stores each
 * token, as its interface wants it, so that tokens can be revoked.
 */
import { createPrivateKey, randomBytes, sign, type JsonWebKey } from 'node:crypto'
import { promisify } from 'node:util'
import { AuthorizationServer, OAuthRequest, type JwtInterface, type OAuthClient } from '@jmondi/oauth2-server'
import { Redis } from 'ioredis'
import { withRawSignatures } from '../../../../src/keys/raw-signatures.ts'
import { forEach } from '../../../../bench/in-parallel.ts'
import { options, servePeer } from '../../../../bench/peer.ts'
import { ITEM_SCOPE } from '../../../../bench/tokens.ts'

const { issuer, redisPort = 6379, keyPrefix = 'jmondi:' } = options
const redis = new Redis(redisPort, { keyPrefix })
const [jwk = {}] = options.keys
const key = withRawSignatures(createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' }))
const signAsync = promisify(sign)
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = encode({ alg: 'ES256', kid: jwk.kid, typ: 'at+jwt' })

const jwt: JwtInterface = {
  verify: () => Promise.reject(new Error('no token is verified')),
  decode: () => null,
  async sign(claims) {
    const input = `${header}.${encode(claims as object)}`
    const signature = await signAsync('sha256', Buffer.from(input), key)
    return `${input}.${signature.toString('base64url')}`
  },
}
const rejects = () => Promise.reject(new Error('no refresh token is issued'))
const server = new AuthorizationServer(
  {
    getByIdentifier: async (id) => JSON.parse((await redis.get(`client:${id}`)) ?? 'null') as OAuthClient,
    isClientValid: async (grant, client, secret) =>
      client.allowedGrants.includes(grant) && client.secret === secret,
  },
  {
    issueToken: async (client, scopes) => ({
      accessToken: randomBytes(32).toString('base64url'),
      accessTokenExpiresAt: new Date(Date.now() + 3_600_000),
      client,
      scopes,
    }),
    persist: async ({ accessToken, client }) =>
      void (await redis.set(`token:${accessToken}`, client.id, 'EX', 3600)),
    issueRefreshToken: rejects,
    revoke: rejects,
    isRefreshTokenRevoked: rejects,
    getByRefreshToken: rejects,
  },
  {
    getAllByIdentifiers: async (names) => names.map((name) => ({ name })),
    finalize: async (scopes) => scopes,
  },
  jwt,
  { issuer },
)
server.enableGrantType('client_credentials')

await servePeer(
  (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
      const headers = request.headers as Record<string, string>
      void server.respondToAccessTokenRequest(new OAuthRequest({ body, headers })).then(
        (answer) => {
          response.writeHead(answer.status, answer.headers as Record<string, string>)
          response.end(JSON.stringify(answer.body))
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
    })
  },
  {
    forms: () =>
      forEach(options.clients ?? 0, async (index) => {
        const id = `key_${index}`
        const scopes = ITEM_SCOPE.split(' ').map((name) => ({ name }))
        const client = {
          id,
          name: id,
          secret: `secret-of-${id}`,
          redirectUris: [],
          allowedGrants: ['client_credentials'],
          scopes,
        }
        await redis.set(`client:${id}`, JSON.stringify(client))
        return `grant_type=client_credentials&scope=${encodeURIComponent(ITEM_SCOPE)}&client_id=${id}&client_secret=${client.secret}`
      }),
    async close() {
      redis.disconnect()
    },
  },
)
