import { lacking, type ProductScopes } from '../product-scopes.ts'
import { createCollection, type Collection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import {
  countRule,
  type Fields,
  finiteNumberRule,
  listOf,
  mapOf,
  objectOf,
  stringRule,
} from '../../validation/rules.ts'

/** What the products of all processes on a store give: one record, changed by who starts and who reloads. */
export interface CatalogRecord {
  /** Another one after each write, so that others see at a glance that there is something new. */
  readonly generation: string
  /** Rises by one with each change that takes something away. Never falls. */
  readonly epoch: number
  readonly products: ProductScopes
  /** What was taken away, for as long as tokens may carry it. */
  readonly withdrawn: readonly WithdrawnScope[]
}

/** The id of the one record among the `catalogRecords`. */
export const PRODUCTS = 'products'

/** Where processes tell each other the generation of a new record. */
export const PRODUCTS_CHANNEL = 'catalog'

/** Attempts to change the record before that is given up: far beyond any number of processes that do at one moment. */
export const MAX_ATTEMPTS = 200

/**
 * Seconds for which a withdrawal is kept besides the life of a token: a process that is cut off from the store may go
 * on issuing with what was withdrawn.
 */
export const CUT_OFF = 86_400

/** Where the record stands in the store. */
export function catalogRecords(store: Store): Collection<CatalogRecord> {
  return createCollection(store, { name: 'catalog', version: 1, fields: PRODUCT_RECORD })
}

/** An operation that left a product. */
export interface WithdrawnScope {
  readonly scope: string
  /** The epoch that began with it: tokens that carry the scope and are of an earlier one are dead. */
  readonly below: number
  /** Epoch seconds at which the last of them has expired. */
  readonly until: number
}

/** What the record must have that was read. */
const PRODUCT_RECORD: Fields = {
  generation: stringRule,
  epoch: countRule,
  products: mapOf(listOf(stringRule)),
  withdrawn: listOf(objectOf({ scope: stringRule, below: countRule, until: finiteNumberRule })),
}

/**
 * The record once the products give `given`. Whether they do is for the caller to know: something that was read before
 * the record was must not get here, since it would bring back what others have withdrawn.
 *
 * @param before undefined if there is none
 * @param given what the products give now
 * @param at.lowestEpoch what the epoch does not fall below, though the record be lost
 * @param at.now epoch seconds
 * @param at.until epoch seconds at which the last token that is issued now has expired
 */
export function nextRecord(
  before: CatalogRecord | undefined,
  given: ProductScopes,
  at: {
    readonly generation: string
    readonly lowestEpoch: number
    readonly now: number
    readonly until: number
  },
): CatalogRecord {
  const { generation, lowestEpoch, now, until } = at
  const left = new Set(lacking(given, before?.products ?? {}).map(({ scope }) => scope))
  const epoch = Math.max(before?.epoch ?? 0, lowestEpoch) + (left.size > 0 ? 1 : 0)
  const earlier = (before?.withdrawn ?? []).filter((each) => each.until > now)
  // Where the same operation has left before, the later one covers the earlier one.
  const kept = earlier.filter(({ scope }) => !left.has(scope))
  const added = [...left].map((scope) => ({
    scope,
    below: epoch,
    until: Math.max(until, earlier.find((each) => each.scope === scope)?.until ?? 0),
  }))
  return { generation, epoch, products: given, withdrawn: [...kept, ...added] }
}
