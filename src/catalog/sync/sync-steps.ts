import { randomUUID } from 'node:crypto'
import type { Catalog } from '../catalog.ts'
import type { ProductSource } from '../definition.ts'
import { productScopesOf, isSameAs, lacking, type ProductScopes } from '../product-scopes.ts'
import type { LiveCatalog } from '../live-catalog.ts'
import { GatehouseError } from '../../errors.ts'
import type { Logger } from '../../host/logger.ts'
import type { Stored } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import type { LongestLifetime } from '../../revocation/longest-token-lifetime.ts'
import {
  CUT_OFF,
  MAX_ATTEMPTS,
  nextRecord,
  catalogRecords,
  PRODUCTS as RECORD,
  type CatalogRecord,
} from './catalog-record.ts'
import { createRevokeWithdrawnScopes, type OperationRevocations } from './revoke-withdrawn-scopes.ts'

/** What comes to an agreement, and with whom. */
export interface SyncParts {
  readonly store: Store
  readonly catalog: LiveCatalog
  /** As the host gave them. */
  readonly products: ProductSource
  readonly revocations: OperationRevocations
  readonly longestLifetime: Pick<LongestLifetime, 'seconds'>
  readonly logger: Logger
  /** Other products are in force. */
  readonly onChanged?: ((catalog: Catalog) => void) | undefined
  /** There is something new for the others. */
  readonly notifyOthers: (generation: string) => Promise<void>
}

/** The steps by which a process comes to an agreement. Not to be taken two at a time. */
export interface SyncSteps {
  /** The generation of the record that the products here are at least as new as; undefined if none is known. */
  readonly known: string | undefined
  /**
   * Loads the products, and makes what they give what is given everywhere.
   *
   * @param isReload others are to load anew too, even where the same is given as before
   * @throws {GatehouseError} `ERR_CATALOG`, `ERR_STORE_UNAVAILABLE`, `ERR_CONFLICT`
   */
  say(isReload: boolean): Promise<void>
  /**
   * Goes by what others have said.
   *
   * @throws {GatehouseError} `ERR_CATALOG`, `ERR_STORE_UNAVAILABLE`, `ERR_CONFLICT`
   */
  follow(): Promise<void>
}

/** What the processes agree on is one record in the store, `catalog:products`. */
export function createSyncSteps(parts: SyncParts): SyncSteps {
  const { store, catalog, logger } = parts
  const records = catalogRecords(store)
  const takeBack = createRevokeWithdrawnScopes(parts.revocations)
  const areLoaded = typeof parts.products === 'function'
  let known: string | undefined
  let hasPublished = false
  let withheld = ''
  /** A write of this process got no answer: it may be in force, and not as safe as a write has to be. */
  let mayBeUnconfirmed = false

  async function follow(): Promise<void> {
    const record = await records.get(RECORD)
    if (record === undefined || isOlderThanLocal(record)) return say(false)
    if (record.generation !== known) {
      await catalog.reload()
      putInForce(record)
      known = record.generation
    }
    await takeBack(record.withdrawn, seconds())
  }

  async function say(isReload: boolean): Promise<void> {
    let loadedAfter: string | undefined
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const before = await read(isReload)
      // What was loaded counts only if nobody has written since, or if it is the same as what was written.
      if (attempt === 0 || !isReload || !isSameAs(catalog.given, before?.record.products ?? {})) {
        await catalog.reload()
        loadedAfter = before?.text
      }
      const record = await change(before, isReload)
      if (record === undefined) continue
      hasPublished = true
      putInForce(record)
      // Otherwise others may have titles and routes that are newer than those here.
      if (loadedAfter === before?.text) known = record.generation
      try {
        await takeBack(record.withdrawn, seconds())
      } finally {
        if (record !== before?.record) await parts.notifyOthers(record.generation)
      }
      return
    }
    throw new GatehouseError(
      'ERR_CONFLICT',
      'the products were changed by others again and again; try once more',
    )
  }

  async function read(isReload: boolean): Promise<Stored<CatalogRecord> | undefined> {
    try {
      return await records.read(RECORD)
    } catch (error) {
      // What has left the products ends here at least.
      if (isReload) await catalog.reload()
      throw error
    }
  }

  /** @returns the record that is in force now; undefined if somebody else was faster */
  async function change(
    before: Stored<CatalogRecord> | undefined,
    isReload: boolean,
  ): Promise<CatalogRecord | undefined> {
    const given = ownProductScopes()
    if (before && !isReload && !isOlderThanLocal(before.record) && isSameAs(before.record.products, given)) {
      if (!mayBeUnconfirmed) return before.record
      // Written once more, and confirmed, it is.
      const isConfirmed = await records.replace(RECORD, before, before.record)
      mayBeUnconfirmed = !isConfirmed
      return isConfirmed ? before.record : undefined
    }
    const now = seconds()
    const record = nextRecord(before?.record, given, {
      generation: randomUUID(),
      lowestEpoch: catalog.current.epoch,
      now,
      until: Math.ceil(now) + (await parts.longestLifetime.seconds()) + CUT_OFF,
    })
    mayBeUnconfirmed = true
    const isWritten = before
      ? await records.replace(RECORD, before, record)
      : await records.create(RECORD, record)
    mayBeUnconfirmed = false
    return isWritten ? record : undefined
  }

  /** Products that never change were said at the start; since then others may have withdrawn some of them. */
  function ownProductScopes(): ProductScopes {
    return hasPublished && !areLoaded ? productScopesOf(catalog.current) : catalog.given
  }

  /** A store that has lost its last writes is told again: an epoch that falls would issue dead tokens. */
  function isOlderThanLocal(record: CatalogRecord): boolean {
    return record.epoch < catalog.current.epoch
  }

  function putInForce(record: CatalogRecord): void {
    const before = productScopesOf(catalog.current)
    catalog.restrict(record)
    if (areLoaded || !isSameAs(before, productScopesOf(catalog.current))) parts.onChanged?.(catalog.current)

    const operations = lacking(record.products, catalog.given).map(
      ({ product, scope }) => `${scope} of ${product}`,
    )
    if (operations.length > 0 && operations.join() !== withheld) {
      logger.warn(
        { operations },
        'these operations are not given here any more: a process that was started or reloaded later does not have them',
      )
    }
    withheld = operations.join()
  }

  return {
    get known() {
      return known
    },
    say,
    follow,
  }
}

function seconds(): number {
  return Date.now() / 1000
}
