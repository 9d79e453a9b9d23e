import { randomUUID } from 'node:crypto'
import { asRead } from '../../commit/changeable.ts'
import type { Commits } from '../../commit/commit.ts'
import type { Catalog } from '../catalog.ts'
import type { ProductSource } from '../definition.ts'
import { isSameAs, missingFrom, productScopesOf, type ProductScopes } from '../product-scopes.ts'
import type { LiveCatalog } from '../live-catalog.ts'
import { GatehouseError } from '../../errors.ts'
import type { Logger } from '../../host/logger.ts'
import type { Stored } from '../../store/collection.ts'
import { isCorruptRecord } from '../../store/corrupt-record.ts'
import type { Store } from '../../store/contract.ts'
import type { RevocationSet } from '../../revocation/is-revoked.ts'
import type { LongestLifetime } from '../../revocation/longest-token-lifetime.ts'
import type { Revocations } from '../../revocation/revoke-tokens.ts'
import {
  CATALOG_CHANNEL,
  CATALOG_RECORD,
  catalogEntry,
  catalogRecords,
  DISCONNECTED_SECONDS,
  MAX_WRITE_ATTEMPTS,
  nextRecord,
  type CatalogRecord,
} from './catalog-record.ts'

export interface SyncParts {
  readonly store: Store
  readonly catalog: LiveCatalog
  readonly products: ProductSource
  readonly revocations: Pick<Revocations, 'revoke'> &
    Pick<RevocationSet, 'isScopeRevoked' | 'lowestValidCatalogEpoch'>
  readonly longestLifetime: Pick<LongestLifetime, 'seconds'>
  readonly commits: Pick<Commits, 'commit'>
  readonly logger: Logger
  readonly onChanged?: ((catalog: Catalog) => void) | undefined
}

export function createSyncState(parts: SyncParts) {
  return {
    ...parts,
    records: catalogRecords(parts.store),
    /** Of the record that matches the loaded products: while the store has it, no new load is needed. */
    version: undefined as string | undefined,
    /** Whether the last synchronization could read the record: if so, only a write can have failed. */
    hasRead: false,
    /** Whether the products must be loaded, because the host has called `reload`. */
    hasPendingReload: false,
    hasPublished: false,
    /** Whether this process uses its own products, because the record was corrupt when it started. */
    isAlone: false,
    /** The record is then written again. */
    hasUnconfirmedWrite: false,
    /** The operations that the last warning listed, joined by commas. */
    withheld: '',
    /** Withdrawn scopes whose revocation may not have reached the store. */
    pendingScopes: new Set<string>(),
  }
}

export type SyncState = ReturnType<typeof createSyncState>

/** Calls of `pull` and `publish` must not overlap. */
export async function pull(state: SyncState): Promise<void> {
  const record = await state.records.get(CATALOG_RECORD)
  state.hasRead = true
  if (record === undefined || isOutdated(state, record)) return publish(state, false)
  if (record.version !== state.version) {
    await state.catalog.reload()
    activate(state, record)
    state.version = record.version
  }
  await revokeWithdrawn(state, record)
}

/** Loads the products and writes them to the shared record, which all other processes then adopt. */
export async function publish(state: SyncState, isReload: boolean): Promise<void> {
  const { catalog } = state
  let loadedAfter: string | undefined
  for (let attempt = 0; attempt < MAX_WRITE_ATTEMPTS; attempt += 1) {
    const before = await readRecord(state, isReload)
    // The products are loaded again, because another process may have changed the record after the load. A retry of a
    // reload needs no load if the loaded products have the same operations as the record.
    if (attempt === 0 || !isReload || !isSameAs(catalog.loadedScopes, before?.record.products ?? {})) {
      await catalog.reload()
      loadedAfter = before?.text
    }
    const record = await writeRecord(state, before, isReload)
    if (record === undefined) continue
    state.hasPublished = true
    activate(state, record)
    // A record that was written after this load may have newer titles and routes, which the next poll then loads.
    if (loadedAfter === before?.text) state.version = record.version
    try {
      await revokeWithdrawn(state, record)
    } finally {
      if (record !== before?.record) await state.store.publish(CATALOG_CHANNEL, record.version)
    }
    return
  }
  throw new GatehouseError('ERR_CONFLICT', 'other processes kept changing the products; try again')
}

async function readRecord(state: SyncState, isReload: boolean): Promise<Stored<CatalogRecord> | undefined> {
  try {
    const record = await state.records.read(CATALOG_RECORD)
    state.hasRead = true
    return record
  } catch (error) {
    // So that this process rejects removed operations although the store is unavailable.
    if (isReload) await state.catalog.reload()
    if (isCorruptRecord(error) && !state.hasPublished) await useOwnProducts(state, isReload)
    throw error
  }
}

/**
 * The corrupt record stays: an operator may restore it, or a newer version of this library may have written it. Once it
 * is readable, the next poll revokes the operations that it has and the products of this process lack.
 */
async function useOwnProducts(state: SyncState, isReload: boolean): Promise<void> {
  const { catalog, revocations } = state
  if (state.isAlone && !isReload) return
  if (!isReload) await catalog.reload()
  catalog.restrict({ products: catalog.loadedScopes, epoch: revocations.lowestValidCatalogEpoch() })
  state.isAlone = true
  state.onChanged?.(catalog.current)
}

/** Undefined if another process has changed the record since `before` was read. */
async function writeRecord(
  state: SyncState,
  before: Stored<CatalogRecord> | undefined,
  isReload: boolean,
): Promise<CatalogRecord | undefined> {
  const { records, catalog, commits } = state
  // An object of products is published once, later its active operations alone: others may have been removed.
  const own =
    state.hasPublished && typeof state.products !== 'function'
      ? productScopesOf(catalog.current)
      : catalog.loadedScopes
  const isUnchanged =
    before && !isReload && !isOutdated(state, before.record) && isSameAs(before.record.products, own)
  if (isUnchanged && !state.hasUnconfirmedWrite) return before.record

  const record = isUnchanged ? before.record : await createRecord(state, before?.record, own)
  // The first products of a store are not a change, so they get no entry.
  const entry = before && catalogEntry(before.record.products, record.products)
  const changeable = asRead(records, CATALOG_RECORD, before)
  state.hasUnconfirmedWrite = true
  // Operations are removed even if the change cannot be listed.
  const { stored } = entry
    ? await commits.commit({ record: changeable, write: () => record, entry: () => entry, isRemoval: true })
    : await changeable.change(() => record, Promise.resolve())
  state.hasUnconfirmedWrite = false
  return stored && record
}

async function createRecord(
  { catalog, longestLifetime }: SyncState,
  before: CatalogRecord | undefined,
  products: ProductScopes,
): Promise<CatalogRecord> {
  const now = Date.now() / 1000
  return nextRecord(before, products, {
    version: randomUUID(),
    lowestEpoch: catalog.current.epoch,
    now,
    until: Math.ceil(now) + (await longestLifetime.seconds()) + DISCONNECTED_SECONDS,
  })
}

/** If the store lost writes, tokens with the record's epoch may be revoked already. */
function isOutdated({ catalog }: SyncState, record: CatalogRecord): boolean {
  return record.epoch < catalog.current.epoch
}

function activate(state: SyncState, record: CatalogRecord): void {
  const { catalog } = state
  const before = productScopesOf(catalog.current)
  catalog.restrict(record)
  if (typeof state.products === 'function' || !isSameAs(before, productScopesOf(catalog.current))) {
    state.onChanged?.(catalog.current)
  }
  const operations = missingFrom(record.products, catalog.loadedScopes).map(
    ({ product, scope }) => `${scope} of ${product}`,
  )
  if (operations.length > 0 && operations.join() !== state.withheld) {
    state.logger.warn(
      { operations },
      'these operations are not available any more: a process that started or reloaded its products later does not have these operations',
    )
  }
  state.withheld = operations.join()
}

/** The process that withdrew a scope may have stopped before it revoked the tokens. */
async function revokeWithdrawn(state: SyncState, { withdrawn }: CatalogRecord): Promise<void> {
  const { revocations, pendingScopes } = state
  for (const { scope, below } of withdrawn) {
    if (!revocations.isScopeRevoked(scope, below - 1)) pendingScopes.add(scope)
  }
  const now = Date.now() / 1000
  const pending = withdrawn.filter(({ scope, until }) => until > now && pendingScopes.has(scope))
  if (pending.length === 0) return
  await revocations.revoke(
    ...pending.map(({ scope, below, until }) => ({ of: 'operation' as const, id: scope, below, until })),
  )
  pendingScopes.clear()
}
