/** A gateway with keys, a catalog and a token of its own, for measurements in one process. */
import { generateKeyPair, SignJWT } from 'jose'
import { createCatalog } from '../src/catalog/create-catalog.ts'
import type { GatewayHooks } from '../src/gateway/gateway-hooks.ts'
import { createGatewayFrom } from '../src/gateway/gateway.ts'
import { createProxyCheck } from '../src/health/proxy-check.ts'
import { createEvents } from '../src/host/events.ts'
import { silentLogger } from '../src/host/logger.ts'
import { createRevocationFollower } from '../src/revocation/revocation-follower.ts'

/** The number of operations of the catalog. Each has the route `GET /resource-<number>/:id`. */
export const OPERATIONS = 500
const ISSUER = 'https://example.com/auth'
const AUDIENCE = 'https://example.com/api'

/**
 * @param hooks where optional parts connect
 * @returns the gateway, a token with the scopes of the first twenty operations, and one that also has 20 networks
 */
export async function createGatewayUnderTest(hooks?: GatewayHooks) {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const operations = Object.fromEntries(
    Array.from({ length: OPERATIONS }, (_, i) => [
      `resource-${i}:read`,
      { route: `GET /resource-${i}/:id`, title: 'Read' },
    ]),
  )
  const catalog = createCatalog({ everything: { title: 'Everything', operations } })
  const scopes = [...catalog.operations.keys()].slice(0, 20)
  const claims = {
    client_id: 'key_1',
    scope: scopes.join(' '),
    access_mode: 'direct',
    account_id: 'acme',
    access_epoch: 0,
  }
  const sign = (own: object) =>
    new SignJWT({ ...claims, ...own })
      .setProtectedHeader({ alg: 'ES256', kid: 'key-1', typ: 'at+jwt' })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject('key_1')
      .setJti('token')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
  const networks = Array.from({ length: 20 }, (_, i) =>
    i % 2 === 0 ? `10.0.${i}.0/24` : `2001:db8:${i}::/48`,
  )
  const token = await sign({})
  const limitedToken = await sign({ allowed_networks: networks.join(' ') })

  const events = createEvents(() => {})
  const gateway = createGatewayFrom(
    {
      check: () => [],
      proxyCheck: createProxyCheck({ issuer: ISSUER, logger: silentLogger }),
      issuer: ISSUER,
      audience: AUDIENCE,
      getKey: async () => publicKey,
      findScope: (method, path) => catalog.findOperation(method, path)?.scope,
      findClaims: (method, path) => catalog.findClaims(method, path),
      isKnownScope: (scope) => catalog.operations.has(scope),
      listScopes: () => scopes,
      revocations: createRevocationFollower({
        source: { read: async () => ({ revocations: [], cursor: '', more: false }) },
        policy: { pollIntervalSeconds: 5, whenStale: 'serve', maxStalenessSeconds: 60 },
        logger: silentLogger,
        events,
      }),
      events,
      ready: async () => {},
      close: async () => {},
      startTimeoutMs: 1500,
      maxCachedTokens: 100_000,
      logger: silentLogger,
    },
    hooks,
  )
  return { gateway, token, limitedToken }
}
