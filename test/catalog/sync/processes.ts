import { onTestFinished, vi } from 'vitest'
import { auditOf } from '../../audit/setup.ts'
import type { ProductDefinitions, Store } from 'koa-gatehouse'
import { createCatalogSync } from '../../../src/catalog/sync/catalog-sync.ts'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import { createLiveCatalog } from '../../../src/catalog/live-catalog.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { createRevocationFollower } from '../../../src/revocation/revocation-follower.ts'
import { createLongestLifetime } from '../../../src/revocation/longest-token-lifetime.ts'
import { createRevocationLog } from '../../../src/revocation/revocation-log.ts'
import { createRevocations } from '../../../src/revocation/revoke-tokens.ts'
import { commitsOf } from '../../support/commits.ts'

/**
 * Creates products from short texts: `a` has the scope `a:read`, `a:read+write` has `a:read` and `a:write`,
 * and `a:read+@x` and `b:@x` both have the scope `x`.
 */
export function productsNamed(...products: string[]): ProductDefinitions {
  return Object.fromEntries(
    products.map((product) => {
      const [id = '', operations = 'read'] = product.split(':')
      const all = operations.split('+').map((name) => {
        const scope = name.startsWith('@') ? name.slice(1) : `${id}:${name}`
        return [scope, { route: `GET /${scope.replace(':', '/')}`, title: scope }]
      })
      return [id, { title: id, operations: Object.fromEntries(all) }]
    }),
  )
}

/** The host's database of products, which all processes load from. */
export function createDatabase(...products: string[]) {
  const database = { products: productsNamed(...products) }
  const load = vi.fn(async () => database.products)
  return Object.assign(database, { load })
}

/** A poll interval in milliseconds that is longer than any test, so that no process polls. */
export const NEVER = 3_600_000

export interface ProcessOptions {
  /** Milliseconds between two polls of the catalog. @default `NEVER` */
  readonly pollIntervalMs?: number | 'default' | undefined
  /**
   * Seconds between two polls of revocations. A message about a revocation takes effect immediately, without
   * a poll.
   */
  readonly pollIntervalSeconds?: number | undefined
  readonly tokenLifetime?: number | undefined
  /** The store of the audit trail. @default the store of the process */
  readonly auditStore?: Store | undefined
}

/** The catalog and the revocations of one process that is not started yet. */
export function createProcess(
  store: Store,
  products: ProductDefinitions | (() => Promise<ProductDefinitions>),
  {
    pollIntervalMs = NEVER,
    pollIntervalSeconds = NEVER / 1000,
    tokenLifetime = 864_000,
    auditStore = store,
  }: ProcessOptions = {},
) {
  const warn = vi.fn()
  const logger = { ...silentLogger, warn }
  const log = createRevocationLog(store)
  const policy = { pollIntervalSeconds, whenStale: 'serve', maxStalenessSeconds: NEVER } as const
  const set = createRevocationFollower({ source: log, policy, logger: silentLogger })
  const longestLifetime = createLongestLifetime(store, tokenLifetime)
  const revocations = createRevocations({ log, set, longestLifetime })
  const catalog = createLiveCatalog({ products, basePathOf: () => '/api' })
  const audit = auditOf(auditStore)
  const onChanged = vi.fn<(catalog: Catalog) => void>()
  const sync = createCatalogSync({
    store,
    catalog,
    products,
    revocations: {
      revoke: revocations.revoke,
      isScopeRevoked: set.isScopeRevoked,
      lowestValidCatalogEpoch: set.lowestValidCatalogEpoch,
    },
    onRevoked: set.onAdded,
    longestLifetime,
    commits: commitsOf(auditStore, { audit }),
    logger,
    onChanged,
    pollIntervalMs: pollIntervalMs === 'default' ? undefined : pollIntervalMs,
  })

  return {
    audit,
    sync,
    catalog,
    warn,
    onChanged,
    async start() {
      await set.start()
      const leave = await sync.start()
      return async () => {
        await set.close()
        await leave()
      }
    },
    ids: () => [...catalog.current.products.keys()],
    scopes: () => [...catalog.current.operations.keys()],
    /** Issues a token with all operations of the current catalog. */
    issue: () => ({ scopes: [...catalog.current.operations.keys()], epoch: catalog.current.epoch }),
    /** Whether the gateway of this process rejects a token. */
    rejects: ({ scopes, epoch }: { scopes: readonly string[]; epoch: number }) =>
      set.isTokenRevoked({
        tokenId: 't',
        clientId: 'c',
        keyId: 'k',
        expiresAt: 2_000_000_000,
        scopes,
        claims: { access_epoch: 0, catalog_epoch: epoch },
      }),
  }
}

/** Starts a process that runs until the test has finished. */
export async function startProcess(...args: Parameters<typeof createProcess>) {
  const process = createProcess(...args)
  const leave = await process.start()
  onTestFinished(leave)
  return { ...process, leave }
}

/** Returns a view of a store. The messages that are published through this view are lost. */
export const withoutMessages = (store: Store): Store => ({ ...store, publish: async () => {} })
