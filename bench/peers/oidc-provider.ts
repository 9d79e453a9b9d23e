/**
 * Bare oidc-provider with its own example of an adapter for Redis, and the clients in Redis. The comparison is
 * fair because it issues access tokens of the same kind (JWT, ES256) with the same scopes, and rotates refresh
 * tokens. It is unfair to koa-gatehouse: secrets and refresh tokens are stored as plain text, a refresh is two writes, and
 * issued tokens cannot be revoked. It is unfair to oidc-provider: it reads its client from Redis for each request, while
 * koa-gatehouse keeps it in memory for ten seconds. The form of a direct token
 * names the scopes, because without `scope` oidc-provider issues a token without scopes. koa-gatehouse issues a
 * token with all scopes of the API key.
 */
import { Redis } from 'ioredis'
import { Provider } from 'oidc-provider'
import { forEach } from '../in-parallel.ts'
import { createRedisAdapter } from '../oidc-redis-adapter.ts'
import { options, servePeer } from '../peer.ts'
import { ITEM_SCOPE } from '../tokens.ts'

const DAY_SECONDS = 86_400

const { issuer, audience, keys, redisPort = 6379, keyPrefix = 'oidc:' } = options
const redis = new Redis(redisPort, { keyPrefix })
const adapter = createRedisAdapter(redis)
const provider = new Provider(issuer, {
  adapter,
  jwks: { keys: [...keys] },
  cookies: { keys: ['a key for measurements'] },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: ITEM_SCOPE,
        audience,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3600,
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  rotateRefreshToken: true,
  ttl: {
    AccessToken: 3600,
    ClientCredentials: 3600,
    Grant: 30 * DAY_SECONDS,
    RefreshToken: 30 * DAY_SECONDS,
  },
})
const handle = provider.callback()
await servePeer((request, response) => void handle(request, response), {
  forms: () => forEach(options.clients ?? 0, createClient),
  refreshForms: createGrants,
  async close() {
    redis.disconnect()
  },
})

async function createClient(index: number): Promise<string> {
  const credentials = await storeClient(`key_${index}`, {
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  })
  return `grant_type=client_credentials&scope=${encodeURIComponent(ITEM_SCOPE)}&${credentials}`
}

/** Stores a client as oidc-provider reads it. @returns its credentials as parameters */
async function storeClient(id: string, metadata: object): Promise<string> {
  const client = { client_id: id, client_secret: `secret-of-${id}`, ...metadata }
  const method = { token_endpoint_auth_method: 'client_secret_post' as const }
  await new adapter('Client').upsert(id, { ...client, ...method }, 0)
  return `client_id=${client.client_id}&client_secret=${client.client_secret}`
}

/** Stores grants with a refresh token, as the authorization code flow leaves them behind. */
async function createGrants(): Promise<string[]> {
  const credentials = await storeClient('app', {
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: ['https://app.example/callback'],
    response_types: ['code'],
  })
  const client = await provider.Client.find('app')
  if (!client) throw new Error('the client was not stored')
  return forEach(options.grants ?? 0, async () => {
    const grant = new provider.Grant({ accountId: 'acme', clientId: 'app' })
    grant.addResourceScope(audience, ITEM_SCOPE)
    if (options.openId) grant.addOIDCScope('openid')
    const now = Math.floor(Date.now() / 1000)
    const token = new provider.RefreshToken({
      accountId: 'acme',
      client,
      grantId: await grant.save(),
      gty: 'authorization_code',
      resource: audience,
      scope: options.openId ? `openid ${ITEM_SCOPE}` : ITEM_SCOPE,
      authTime: now,
      iiat: now,
      expiresWithSession: false,
      rotations: 0,
    })
    return `grant_type=refresh_token&${credentials}&refresh_token=${await token.save()}`
  })
}
