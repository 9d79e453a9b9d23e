import { randomUUID } from 'node:crypto'
import type { Catalog } from '../catalog/catalog.ts'
import type { ProductSource } from '../catalog/definition.ts'
import { givenBy, givesTheSame, lacking, type Given } from '../catalog/given.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import { GatehouseError } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Stored } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import type { LongestLifetime } from '../tokens/revocations/longest-lifetime.ts'
import {
  CUT_OFF,
  MAX_ATTEMPTS,
  nextRecord,
  productRecords,
  PRODUCTS as RECORD,
  type ProductRecord,
} from './product-record.ts'
import { createTakeBack, type OperationRevocations } from './take-back.ts'

/** What comes to an agreement, and with whom. */
export interface AgreeingParts {
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
  readonly tellOthers: (generation: string) => Promise<void>
}

/** The steps by which a process comes to an agreement. Not to be taken two at a time. */
export interface Agreeing {
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
export function createAgreeing(parts: AgreeingParts): Agreeing {
  const { store, catalog, logger } = parts
  const records = productRecords(store)
  const takeBack = createTakeBack(parts.revocations)
  const areLoaded = typeof parts.products === 'function'
  let known: string | undefined
  let hasSaid = false
  let withheld = ''
  /** A write of this process got no answer: it may be in force, and not as safe as a write has to be. */
  let isUnsure = false

  async function follow(): Promise<void> {
    const record = await records.get(RECORD)
    if (record === undefined || isBehindUs(record)) return say(false)
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
      if (attempt === 0 || !isReload || !givesTheSame(catalog.given, before?.record.products ?? {})) {
        await catalog.reload()
        loadedAfter = before?.text
      }
      const record = await change(before, isReload)
      if (record === undefined) continue
      hasSaid = true
      putInForce(record)
      // Otherwise others may have titles and routes that are newer than those here.
      if (loadedAfter === before?.text) known = record.generation
      try {
        await takeBack(record.withdrawn, seconds())
      } finally {
        if (record !== before?.record) await parts.tellOthers(record.generation)
      }
      return
    }
    throw new GatehouseError(
      'ERR_CONFLICT',
      'the products were changed by others again and again; try once more',
    )
  }

  async function read(isReload: boolean): Promise<Stored<ProductRecord> | undefined> {
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
    before: Stored<ProductRecord> | undefined,
    isReload: boolean,
  ): Promise<ProductRecord | undefined> {
    const given = ownSay()
    if (before && !isReload && !isBehindUs(before.record) && givesTheSame(before.record.products, given)) {
      if (!isUnsure) return before.record
      // Written once more, and confirmed, it is.
      const isConfirmed = await records.replace(RECORD, before, before.record)
      isUnsure = !isConfirmed
      return isConfirmed ? before.record : undefined
    }
    const now = seconds()
    const record = nextRecord(before?.record, given, {
      generation: randomUUID(),
      lowestEpoch: catalog.current.epoch,
      now,
      until: Math.ceil(now) + (await parts.longestLifetime.seconds()) + CUT_OFF,
    })
    isUnsure = true
    const isWritten = before
      ? await records.replace(RECORD, before, record)
      : await records.create(RECORD, record)
    isUnsure = false
    return isWritten ? record : undefined
  }

  /** Products that never change were said at the start; since then others may have withdrawn some of them. */
  function ownSay(): Given {
    return hasSaid && !areLoaded ? givenBy(catalog.current) : catalog.given
  }

  /** A store that has lost its last writes is told again: an epoch that falls would issue dead tokens. */
  function isBehindUs(record: ProductRecord): boolean {
    return record.epoch < catalog.current.epoch
  }

  function putInForce(record: ProductRecord): void {
    const before = givenBy(catalog.current)
    catalog.restrict(record)
    if (areLoaded || !givesTheSame(before, givenBy(catalog.current))) parts.onChanged?.(catalog.current)

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
