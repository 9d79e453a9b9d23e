import type { ProductSource } from './catalog/definition.ts'
import { createLiveCatalog } from './catalog/live-catalog.ts'
import { catalogLookups } from './catalog/lookups.ts'
import { periodically } from './async/periodically.ts'
import { createGatewayFrom, type Gateway } from './gateway/gateway.ts'
import { remoteKeys } from './gateway/remote-keys.ts'
import { noRevocations } from './gateway/no-revocations.ts'
import { checkFetchedKeys } from './health/fetched-keys-check.ts'
import { checkProducts } from './health/product-check.ts'
import { storeHealthReader } from './health/store-health.ts'
import type { CheckedProducts, ScopeOf } from './options/infer-scopes.ts'
import { createEvents } from './host/events.ts'
import type { Logger } from './host/logger.ts'
import { createStartFailures } from './host/start-failures.ts'
import type { GatewayOptions } from './options/options.ts'
import { resolveGatewayOptions, type ResolvedGatewayOptions } from './options/resolve-gateway-options.ts'
import { createResilientStore } from './store/resilient-store.ts'
import { createRevocationView } from './revocation/follow-revocations.ts'
import { createHttpSource } from './revocation/http-source.ts'
import { createRevocationLog } from './revocation/revocation-log.ts'

export { GatehouseError, type GatehouseErrorCode, type Problem } from './errors.ts'
export type {
  Authenticated,
  AuthenticateOptions,
  Authentication,
  IncomingCall,
} from './gateway/authenticate.ts'
export type { GatewayEvents } from './gateway/dependencies.ts'
export type { Gateway } from './gateway/gateway.ts'
export type { GatewayMiddlewareOptions } from './gateway/guard.ts'
export type { Health, HealthCheck, RevocationHealth } from './health/health-report.ts'
export type { Principal } from './gateway/principal.ts'
export type { PublicRoute } from './gateway/open-routes.ts'
export type { ErrorResponse } from './gateway/error-responses.ts'
export type { Logger } from './host/logger.ts'
export type { GatewayOptions, RevocationFeed, RevocationOptions } from './options/options.ts'
export type { Store } from './store/contract.ts'

/**
 * Creates the gateway of an API that runs in another process than the authorization service. It verifies tokens
 * with the public keys of the service, which it fetches over HTTP and caches. With `revocations` it also
 * follows revocations. It needs nothing else from the service: not its secret, and not its store unless
 * `revocations` uses it.
 *
 * Synchronous and without I/O. Keys, products and revocations are fetched in the background once the gateway is
 * mounted (`middleware()`, `requireScope()`, `wellKnown()`), with `ready()`, or with the first call. Each cause
 * of a failure is logged once. Products that a function loads are reloaded every `productsRefreshSeconds`. If
 * they are invalid or cannot be loaded, the gateway logs it and keeps the last valid products.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` and `ERR_CATALOG`, each with all problems at once
 */
export function createGateway<const Products extends ProductSource>(
  options: GatewayOptions<Products> & { readonly products: CheckedProducts<Products> },
): Gateway<ScopeOf<Products>> {
  const resolved = resolveGatewayOptions(options)
  const { issuer, audience, logger } = resolved
  const catalog = createLiveCatalog({
    products: resolved.products,
    loadTimeoutMs: resolved.productsTimeoutMs,
    onRejected: (error) => logger.error({ err: error }, 'the products could not be loaded'),
  })
  const keys = remoteKeys(resolved)
  const events = createEvents(
    (error, event) => logger.error({ err: error, event }, 'an event listener failed'),
    ['revocations.stale', 'revocations.fresh'],
  )
  const { revocations: policy } = resolved
  const feed = policy && openFeed(policy, logger)
  const revoked = feed && createRevocationView({ source: feed.source, policy, logger, events })
  revoked?.onAdded(refreshKeys)
  let seenRevokedKeys = 0
  let stopRefreshing: (() => void) | undefined
  let closed = false

  /** Revoking a key activates another key at once, and publishes a new one, so the keys are fetched again. */
  function refreshKeys(): void {
    const { revokedKeys = 0 } = revoked ?? {}
    if (!closed && revokedKeys > seenRevokedKeys) keys.refetch()
    seenRevokedKeys = revokedKeys
  }

  return createGatewayFrom({
    issuer,
    audience,
    getKey: keys.getKey,
    ...catalogLookups(catalog),
    revocations: revoked ?? noRevocations,
    events,
    readStoreHealth: feed?.readStoreHealth,
    check() {
      if (!closed && keys.condition.fetchedAt !== undefined) keys.ensureFresh()
      return [checkFetchedKeys(keys.condition, Date.now()), checkProducts(catalog)]
    },
    async ready() {
      await Promise.all([catalog.loaded || catalog.reload(), keys.ready(), revoked?.start()])
      // No event reports that the products have changed, so this process reloads them at an interval.
      if (closed || typeof resolved.products !== 'function') return
      stopRefreshing ??= periodically(() => catalog.reload(), resolved.productsRefreshSeconds * 1000)
    },
    startFailed: createStartFailures(logger, 'the gateway is not ready and answers 503'),
    async close() {
      closed = true
      stopRefreshing?.()
      keys.close()
      await revoked?.close()
    },
    startTimeoutMs: resolved.startTimeoutMs,
    tokenCacheBytes: resolved.tokenCacheBytes,
    logger,
  })
}

/** The source of revocations: a store, whose health is checked too, or HTTP. */
function openFeed(feed: NonNullable<ResolvedGatewayOptions['revocations']>, logger: Logger) {
  if (!('store' in feed)) return { source: createHttpSource(feed) }
  const { store, stop } = createResilientStore(feed.store, feed.timeoutMs, logger)
  return {
    source: { ...createRevocationLog(store), close: stop },
    readStoreHealth: storeHealthReader(store),
  }
}
