import Keygrip from 'keygrip'
import compose from 'koa-compose'
import type { Middleware } from 'koa'
import type { ProductSource } from './catalog/definition.ts'
import { afterReady } from './after-ready.ts'
import { createLiveCatalog } from './catalog/live-catalog.ts'
import { catalogLookups } from './catalog/lookups.ts'
import { createCatalogNotice } from './catalog-notice.ts'
import { GatehouseError } from './errors.ts'
import type { GatewayRevocations } from './gateway/dependencies.ts'
import { createGatewayFrom, type Gateway } from './gateway/gateway.ts'
import { createCheckedAccounts } from './host/checked-accounts.ts'
import { createEvents, type EventSource } from './host/events.ts'
import type { CheckedOptions, ProductOf, ScopeOf } from './infer.ts'
import { createPages } from './interaction/pages.ts'
import { createTexts } from './interaction/texts.ts'
import { registerInternals } from './internals.ts'
import { deriveKey } from './keys/derive-key.ts'
import { createLifecycle } from './lifecycle.ts'
import { authorizationService } from './mount/authorization-service.ts'
import { createPlainHttpWarning } from './mount/plain-http.ts'
import { wellKnown } from './mount/well-known.ts'
import type { GatehouseOptions } from './options.ts'
import type { BuiltProvider } from './provider/build-provider.ts'
import { createInteractionPort } from './provider/interaction-port.ts'
import { createApiKeys, type ApiKeys } from './registry/api-keys.ts'
import { createApplications, type Applications } from './registry/applications.ts'
import { createCheckedRegistry } from './registry/checked-registry.ts'
import { createReadOnlyServices } from './registry/read-only.ts'
import { createStoreRegistry } from './registry/store-registry.ts'
import { createUsage } from './registry/usage.ts'
import { resolveSettings } from './settings/resolve-settings.ts'
import { createStart } from './start.ts'
import { withDeadline } from './store/deadline.ts'
import { markUse } from './store/in-use.ts'
import { createRefreshFamilies } from './tokens/refresh-families.ts'
import { createRefreshTokenFormat } from './tokens/refresh-token.ts'
import { createRevocationFollower } from './tokens/revocations/follow-revocations.ts'
import { createLongestLifetime } from './tokens/revocations/longest-lifetime.ts'
import { createRevocationLog } from './tokens/revocations/revocation-log.ts'
import { createRevocationSet } from './tokens/revocations/revocation-set.ts'
import { createRevocations } from './tokens/revocations/revocations.ts'

/** A token service and API gateway inside a Koa app. */
export interface Gatehouse<Scope extends string = string, Product extends string = string>
  extends EventSource, AsyncDisposable {
  /** Serves everything below {auth_url}, and the well-known documents. */
  middleware(): Middleware
  /**
   * Serves the well-known documents that belong at the root of a host (RFC 8414 3.1, RFC 9728 3.1), for apps
   * where `middleware()` is mounted below a path and never sees them.
   */
  wellKnown(): Middleware
  /** Guards the API. */
  readonly gateway: Gateway<Scope>
  /** Credentials for direct access. */
  readonly apiKeys: ApiKeys<Scope, Product>
  /** Credentials for delegated access. */
  readonly applications: Applications<Scope, Product>
  /** The products and operations. */
  readonly catalog: {
    /**
     * Loads the products anew where they come from a function: here at once, and in every other process on
     * the store within a moment, or within a minute where its connection to the store is disturbed.
     *
     * @throws {GatehouseError} `ERR_CATALOG` with all its problems if it is invalid: the last good one stays.
     *   `ERR_STORE_UNAVAILABLE`: the others may not have been told, so try again. And what `ready()` throws
     */
    reload(): Promise<void>
  }
  /**
   * Waits until store, catalog and keys are there, at most `timeoutMs` (10,000 if left out).
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` (it goes on trying, and a later call or request may
   *   succeed), `ERR_NOT_READY` (it takes longer), `ERR_SECRET`, `ERR_CATALOG`, `ERR_CLOSED`
   */
  ready(options?: { timeoutMs?: number | undefined }): Promise<void>
  /** Stops. Idempotent; closes only what gatehouse opened itself, so neither the store nor its client. */
  close(): Promise<void>
}

/** Milliseconds that `ready()` waits unless told otherwise. */
const PATIENCE = 10_000

/**
 * Creates a token service and API gateway. Synchronous and without I/O: connecting happens with `ready()` or
 * the first request, so that a site can boot while its store does not.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` and `ERR_CATALOG`, each with all that is wrong at once
 */
export function createGatehouse<
  const Level extends string = never,
  const Products extends ProductSource = ProductSource,
>(options: CheckedOptions<Level, Products>): Gatehouse<ScopeOf<Products>, ProductOf<Products>> {
  return assemble(options)
}

function assemble(options: GatehouseOptions): Gatehouse {
  const settings = resolveSettings(options)
  const { logger } = settings
  if (settings.store.volatile) {
    logger.info({}, 'the store is in memory: it forgets everything when this process ends')
  }
  const store = markUse(withDeadline(options.store, settings.storeTimeoutMs), {
    except: ['signing-keys', 'catalog', 'revocations'],
  })
  const events = createEvents((error, event) =>
    logger.error({ err: error, event }, 'an event listener failed'),
  )
  const catalog = createLiveCatalog({
    products: settings.products,
    kycLevels: settings.kycLevels,
    reservedScopes: Object.keys(settings.claims),
    loadTimeoutMs: settings.productsTimeoutMs,
    onReloaded: ({ products, operations }) =>
      events.emit('catalog.reloaded', { products: products.size, operations: operations.size }),
    onRefused: (error) => events.emit('catalog.refused', { error }),
  })
  const catalogNotice = createCatalogNotice({ store, catalog, products: settings.products, logger })
  const accounts = createCheckedAccounts(settings.accounts, settings)
  const usage = createUsage({ store, logger })
  const registry = settings.registry
    ? createCheckedRegistry(settings.registry)
    : createStoreRegistry({ store })
  const revoked = createRevocationSet()
  const revocationLog = createRevocationLog(store)
  const longestLifetime = createLongestLifetime(
    store,
    Math.max(settings.lifetimes.directAccessToken, settings.lifetimes.delegatedAccessToken),
  )
  const revocations = createRevocations({ store, log: revocationLog, set: revoked, longestLifetime, logger })
  const follower = createRevocationFollower({
    source: revocationLog,
    set: revoked,
    policy: settings.revocations,
    logger,
    onContact: ({ isLost, ageSeconds }) =>
      events.emit(isLost ? 'revocations.lost' : 'revocations.current', { ageSeconds }),
  })
  const services = createServices()
  const refreshTokenFormat = createRefreshTokenFormat(
    settings.secrets.map((secret) => deriveKey(secret, 'refresh-tokens')),
  )
  const families = createRefreshFamilies(store, refreshTokenFormat, {
    restartable: settings.lifetimes.authorizationCode + 60,
  })
  const pages = createPages({ texts: createTexts(settings), branding: settings.branding })
  const start = createStart({
    settings,
    store,
    catalog,
    registry,
    accounts,
    families,
    refreshTokenFormat,
    cookieKeys: new Keygrip(
      settings.secrets.map((secret) => deriveKey(secret, 'cookies').toString('base64url')),
      'sha256',
    ),
    clientUsed: (client) => usage.touch(client.clientId),
    pages,
    events,
    logger,
    catalogNotice,
    follower,
    longestLifetime,
    revocations,
    isRevoked: revoked.isRevoked,
  })
  const lifecycle = createLifecycle(start, ({ leave }) => leave())

  const gatewayRevocations: GatewayRevocations = {
    isRevoked: revoked.isRevoked,
    onAdded: revoked.onAdded,
    get mustRefuse() {
      return follower.mustRefuse
    },
    get contact() {
      return follower.contact
    },
    get size() {
      return revoked.size
    },
  }
  const gateway = createGatewayFrom({
    issuer: settings.issuer,
    audience: settings.audience,
    getKey: async (header, token) => (await lifecycle.ready(settings.startTimeoutMs)).getKey(header, token),
    ...catalogLookups(catalog),
    revocations: gatewayRevocations,
    ready: async () => void (await lifecycle.ready(PATIENCE)),
    close: async () => {},
    startTimeoutMs: settings.startTimeoutMs,
    tokenCacheBytes: settings.tokenCacheBytes,
    logger,
  })

  const parts = {
    settings,
    catalog,
    registry,
    accounts,
    events,
    pages,
    csrfKeys: settings.secrets.map((secret) => deriveKey(secret, 'csrf')),
    warnOnPlainHttp: createPlainHttpWarning(settings),
    ready: () => lifecycle.ready(settings.startTimeoutMs),
  }
  const service = { ...parts, port: createInteractionPort(requireBuilt, parts) }
  const gatehouse: Gatehouse = {
    on: events.on,
    off: events.off,
    apiKeys: afterReady(services.apiKeys, () => lifecycle.ready(PATIENCE)),
    applications: afterReady(services.applications, () => lifecycle.ready(PATIENCE)),
    gateway,
    middleware: () => compose([wellKnown(service, gateway), authorizationService(service)]) as Middleware,
    wellKnown: () => wellKnown(service, gateway),
    catalog: {
      async reload() {
        await lifecycle.ready(PATIENCE)
        await catalogNotice.reload()
      },
    },
    async ready({ timeoutMs = PATIENCE } = {}) {
      await lifecycle.ready(timeoutMs)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
  registerInternals(gatehouse, { settings, store, signingKey })
  return gatehouse

  function createServices() {
    if (settings.registry) return createReadOnlyServices()
    const parts = { store, catalog, events, usage, logger, maxScopeBytes: settings.maxScopeBytes }
    return {
      apiKeys: createApiKeys(parts),
      applications: createApplications({ ...parts, oidcScopes: settings.openIdScopes }),
    }
  }

  function requireBuilt(): BuiltProvider {
    if (lifecycle.running) return lifecycle.running.built
    throw new GatehouseError('ERR_NOT_READY', 'gatehouse is not running')
  }

  async function signingKey() {
    const { keyRing } = await lifecycle.ready(PATIENCE)
    const key = keyRing.signing.find(({ alg }) => alg === 'ES256')
    if (!key) throw new GatehouseError('ERR_NOT_READY', 'there is no key for access tokens')
    return key
  }

  async function close(): Promise<void> {
    const stopped = lifecycle.close()
    families.close()
    await Promise.all([stopped, follower.close(), gateway.close()])
  }
}
