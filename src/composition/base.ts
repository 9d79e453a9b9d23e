import { createCatalogAgreement } from '../agreement/catalog-agreement.ts'
import { createLiveCatalog } from '../catalog/live-catalog.ts'
import { createCheckedAccounts } from '../host/checked-accounts.ts'
import { createEvents } from '../host/events.ts'
import { guardStore } from '../store/guarded-store.ts'
import { markUse } from '../store/in-use.ts'
import { createKnownRevocations } from '../tokens/revocations/known-revocations.ts'
import { createLongestLifetime } from '../tokens/revocations/longest-lifetime.ts'
import { createRevocationLog } from '../tokens/revocations/revocation-log.ts'
import { createRevocations } from '../tokens/revocations/revocations.ts'
import type { Settings } from '../settings/settings.ts'

/** What everything else stands on. */
export type Base = ReturnType<typeof createBase>

/** Makes store, events, products, accounts and revocations of the settings; nothing of it does any I/O yet. */
export function createBase(settings: Settings) {
  const { logger, lifetimes } = settings
  const guarded = guardStore(settings.store, settings.storeTimeoutMs, logger)
  const store = markUse(guarded.store, {
    except: ['signing-keys', 'catalog', 'revocations'],
  })
  const durable = store.durable ?? store
  const events = createEvents((error, event) =>
    logger.error({ err: error, event }, 'an event listener failed'),
  )
  const accounts = createCheckedAccounts(settings.accounts, settings)

  const revocationLog = createRevocationLog(durable)
  const revoked = createKnownRevocations({
    source: revocationLog,
    policy: settings.revocations,
    logger,
    events,
  })
  const longestLifetime = createLongestLifetime(
    durable,
    Math.max(lifetimes.directAccessToken, lifetimes.delegatedAccessToken),
  )
  const revocations = createRevocations({
    store: durable,
    log: revocationLog,
    set: revoked,
    longestLifetime,
    events,
    logger,
  })

  const catalog = createLiveCatalog({
    products: settings.products,
    kycLevels: settings.kycLevels,
    reservedScopes: Object.keys(settings.claims),
    loadTimeoutMs: settings.productsTimeoutMs,
    onRefused: (error) => events.emit('catalog.refused', { error }),
  })
  const catalogAgreement = createCatalogAgreement({
    store: durable,
    catalog,
    products: settings.products,
    revocations: { revoke: revocations.revoke, isRevoked: revoked.isRevoked },
    onRevoked: revoked.onAdded,
    longestLifetime,
    logger,
    onChanged: ({ products, operations }) =>
      events.emit('catalog.reloaded', { products: products.size, operations: operations.size }),
  })

  return {
    settings,
    store,
    /** The same data, for what must not be lost with a server: what was used up or taken back, keys, clients. */
    durable,
    /** Stops looking whether the store is back. */
    stopProbing: guarded.stop,
    events,
    logger,
    accounts,
    catalog,
    catalogAgreement,
    longestLifetime,
    revocationLog,
    /** Which tokens were taken back, as this process knows it. */
    revoked,
    /** Takes tokens back. */
    revocations,
  }
}
