import { createWrongSecretLimit } from '../authorization-server/provider/wrong-secrets.ts'
import type { Outgoing } from '../http/outgoing/outgoing.ts'
import { createAudit } from '../audit/audit.ts'
import { createCommits } from '../commit/commit.ts'
import { createCatalogSync } from '../catalog/sync/catalog-sync.ts'
import { createLiveCatalog } from '../catalog/live-catalog.ts'
import { createResources } from '../catalog/resources.ts'
import { createHostAccounts } from '../host/host-accounts.ts'
import { createIssuerCheck } from '../health/issuer-check.ts'
import { createProxyCheck } from '../health/proxy-check.ts'
import { createEvents } from '../host/events.ts'
import { createResilientStore } from '../store/resilient-store.ts'
import { createMemoryWatch } from '../store/memory-watch.ts'
import { createStoreClock } from '../store/store-clock.ts'
import { createRevocationFollower } from '../revocation/revocation-follower.ts'
import { createLongestLifetime } from '../revocation/longest-token-lifetime.ts'
import { createRevocationLog } from '../revocation/revocation-log.ts'
import { createRevocations } from '../revocation/revoke-tokens.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'

export type Core = ReturnType<typeof createCore>

/** Creates store, events, catalog, accounts and revocations from the settings. Does no I/O. */
export function createCore(settings: ResolvedOptions) {
  const { logger, lifetimes } = settings
  const { store, stop: stopProbing } = createResilientStore(settings.store, settings.storeTimeoutMs, logger)
  const durable = store.durable ?? store
  const storeClock = createStoreClock({ store, logger })
  const events = createEvents((error, event) =>
    logger.error({ err: error, event }, 'an event listener failed'),
  )
  const audit = createAudit({ store: durable, bounds: settings.audit, logger })
  const shared = { store: durable, events, audit, logger }
  const revocationLog = createRevocationLog(durable)
  const revoked = createRevocationFollower({ ...shared, source: revocationLog, policy: settings.revocations })
  const longestLifetime = createLongestLifetime(
    durable,
    Math.max(lifetimes.directAccessToken, lifetimes.delegatedAccessToken),
  )
  const longestDelegatedLifetime = createLongestLifetime(
    durable,
    lifetimes.delegatedAccessToken,
    'longest-delegated-access-token',
  )
  const revocations = createRevocations({
    events,
    log: revocationLog,
    set: revoked,
    longestLifetime,
    longestDelegatedLifetime,
  })
  const commits = createCommits({ ...shared, revocations, longestLifetime })

  const { audience, resources } = settings
  const ofApi = resources[audience]?.products
  const catalog = createLiveCatalog({
    products: settings.products,
    kycLevels: settings.kycLevels,
    reservedScopes: Object.keys(settings.claims),
    basePathOf: (id) => (ofApi?.includes(id) === false ? undefined : new URL(audience).pathname),
    onRejected: (error) => events.emit('catalog.rejected', { error }),
  })
  const accounts = createHostAccounts(settings.accounts, {
    ...settings,
    isOperation: (scope) => catalog.current.operations.has(scope),
  })
  const catalogSync = createCatalogSync({
    ...shared,
    commits,
    catalog,
    products: settings.products,
    revocations: {
      revoke: revocations.revoke,
      isScopeRevoked: revoked.isScopeRevoked,
      lowestValidCatalogEpoch: revoked.lowestValidCatalogEpoch,
    },
    onRevoked: revoked.onAdded,
    longestLifetime,
    onChanged: ({ products, operations }) =>
      events.emit('catalog.reloaded', { products: products.size, operations: operations.size }),
  })

  let outgoing: Promise<Outgoing> | undefined

  return {
    settings,
    /** Requests to addresses that others name. Loaded when it is first needed. */
    outgoing: () =>
      (outgoing ??= import('../http/outgoing/outgoing.ts').then((each) => each.createOutgoing())),
    store,
    /** The same data as `store`, for writes that must survive the loss of a server of the store. */
    durable,
    storeClock,
    memory: createMemoryWatch({ store, logger }),
    stopProbing,
    events,
    logger,
    wrongSecrets: createWrongSecretLimit(store),
    proxyCheck: createProxyCheck(settings),
    issuerCheck: createIssuerCheck({ ...settings, store, now: storeClock.now }),
    accounts,
    catalog,
    resources: createResources({ ...settings, catalog }),
    catalogSync,
    longestLifetime,
    longestDelegatedLifetime,
    audit,
    revocationLog,
    revoked,
    revocations,
    commits,
  }
}
