import type { ProductSource } from './catalog/definition.ts'
import { catalogLookups, createLiveCatalog } from './catalog/live-catalog.ts'
import { periodically } from './async/periodically.ts'
import { createGatewayFrom, type Gateway } from './gateway/gateway.ts'
import { remoteKeys } from './gateway/remote-keys.ts'
import { noRevocations } from './gateway/dependencies.ts'
import { checkFetchedKeys } from './health/fetched-keys-check.ts'
import { createIssuerCheck } from './health/issuer-check.ts'
import { createProxyCheck } from './health/proxy-check.ts'
import { checkProducts } from './health/product-check.ts'
import { storeHealthReader } from './health/store-health.ts'
import type { CheckedProducts, ScopeOf } from './options/infer-scopes.ts'
import { createEvents } from './host/events.ts'
import { createStartFailures } from './host/start-failures.ts'
import type { GatewayOptions } from './options/gateway-options.ts'
import { resolveGatewayOptions, type ResolvedGatewayOptions } from './options/gateway-schema.ts'
import { createResilientStore } from './store/resilient-store.ts'
import { createStoreClock } from './store/store-clock.ts'
import { createRevocationFollower } from './revocation/revocation-follower.ts'
import { createHttpSource } from './revocation/http-source.ts'
import { createRevocationLog } from './revocation/revocation-log.ts'

export { isSecret } from './clients/secret-format.ts'
export { selectByHost } from './gateway/select-by-host.ts'
export { GatehouseError, type GatehouseErrorCode, type Problem, type ProblemCode } from './errors.ts'
export type {
  Authenticated,
  AuthenticateOptions,
  Authentication,
  CallWithMethod,
  IncomingCall,
} from './gateway/authenticate.ts'
export type { GatewayEvents } from './gateway/dependencies.ts'
export type { Gateway } from './gateway/gateway.ts'
export type { GatewayMiddlewareOptions } from './gateway/guard.ts'
export type { Health, HealthCheck, RevocationHealth } from './health/health-report.ts'
export type { Principal } from './gateway/principal.ts'
export type { PublicRoute } from './gateway/open-routes.ts'
export type { TokenEnd } from './gateway/token-watch.ts'
export type { ErrorResponse } from './gateway/error-responses.ts'
export type { Logger } from './host/logger.ts'
export type { WebServer } from './host/open-connections.ts'
export type { ShutdownOptions } from './host/shutdown.ts'
export type { GatewayOptions, RevocationFeed } from './options/gateway-options.ts'
export type { RevocationOptions } from './options/options.ts'
export type { Store } from './store/contract.ts'

/**
 * Creates the gateway of an API that runs in another process than the authorization service. The gateway
 * verifies tokens with the public keys of the service. It fetches these keys over HTTP and caches them. With
 * the option `revocations`, it also receives revocations. It does not need the secret of the service. It
 * needs the store of the service only if `revocations` uses that store.
 *
 * This function is synchronous and does no I/O. Keys, products and revocations are fetched in the background. The
 * fetch begins when the gateway is mounted (`middleware()`, `requireScope()`, `wellKnown()`), when `ready()` is
 * called, or with the first API call. Each cause of a failure is logged once. Products that a function loads are
 * reloaded every `productsRefreshSeconds` seconds. If the products are invalid or cannot be loaded, the gateway logs
 * the error and keeps the last valid products.
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
    basePathOf: () => new URL(audience).pathname,
    onRejected: (error) => logger.error({ err: error }, 'the products could not be loaded'),
  })
  const keys = remoteKeys(resolved)
  const events = createEvents(
    (error, event) => logger.error({ err: error, event }, 'an event listener failed'),
    ['revocations.stale', 'revocations.fresh'],
  )
  const { revocations: policy } = resolved
  const feed = policy && openFeed(policy, resolved)
  const proxyCheck = createProxyCheck(resolved)
  const revocationView = feed && createRevocationFollower({ source: feed.source, policy, logger, events })
  revocationView?.onAdded(refreshKeys)
  let seenRevokedKeys = 0
  let stops: (() => void)[] | undefined
  let closed = false

  /** After a key was revoked, the service signs with another key, and publishes a new one. */
  function refreshKeys(): void {
    const { revokedKeys = 0 } = revocationView ?? {}
    if (!closed && revokedKeys > seenRevokedKeys) keys.refetch()
    seenRevokedKeys = revokedKeys
  }

  return createGatewayFrom({
    issuer,
    audience,
    getKey: keys.getKey,
    ...catalogLookups(catalog, resolved.metadataScopes),
    revocations: revocationView ?? noRevocations,
    events,
    readStoreHealth: feed?.readStoreHealth,
    check() {
      keys.ensureFresh()
      const found = [checkFetchedKeys(keys.condition, Date.now()), checkProducts(catalog)]
      return [...found, ...proxyCheck.check(), ...(feed?.check?.() ?? [])]
    },
    async ready() {
      await Promise.all([
        catalog.loaded || catalog.reload(),
        keys.ready(),
        revocationView?.start(),
        feed?.measure?.(),
      ])
      if (closed || stops) return
      stops = feed?.follow?.() ?? []
      if (typeof resolved.products !== 'function') return
      // A gateway receives no message when the products change, so it reloads them periodically.
      stops.push(periodically(() => catalog.reload(), resolved.productsRefreshSeconds * 1000))
    },
    startFailed: createStartFailures(logger, 'the gateway'),
    async close() {
      closed = true
      stops?.forEach((stop) => stop())
      keys.close()
      await revocationView?.close()
    },
    startTimeoutMs: resolved.startTimeoutMs,
    maxCachedTokens: resolved.maxCachedTokens,
    proxyCheck,
    logger,
  })
}

function openFeed(
  feed: NonNullable<ResolvedGatewayOptions['revocations']>,
  { issuer, logger }: ResolvedGatewayOptions,
) {
  if (!('store' in feed)) return { source: createHttpSource(feed) }
  const { store, stop } = createResilientStore(feed.store, feed.timeoutMs, logger)
  const clock = createStoreClock({ store, logger })
  const issuerCheck = createIssuerCheck({ store, issuer, logger, now: clock.now, isReader: true })
  return {
    source: { ...createRevocationLog(store), close: stop },
    readStoreHealth: storeHealthReader(store),
    check: issuerCheck.check,
    measure: clock.measure,
    follow: () => [clock.follow(), issuerCheck.start()],
  }
}
