import type { EntryFields } from '../../audit/entry.ts'
import type { WithOutbox } from '../../audit/recording.ts'
import { missingFrom, type ProductOperation, type ProductScopes } from '../product-scopes.ts'
import { createCollection, type Collection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { countRule, finiteNumberRule, listOf, mapOf, objectOf, stringRule } from '../../validation/rules.ts'

/** The operations of all products, in one record. The last process that starts or reloads them determines it. */
export interface CatalogRecord extends WithOutbox {
  /** A random value, new at each write. Other processes recognize a change by this value. */
  readonly version: string
  /** Rises by one with each change that removes an operation. It never falls. */
  readonly epoch: number
  readonly products: ProductScopes
  /** The removed operations, for as long as tokens may carry them. */
  readonly withdrawn: readonly WithdrawnScope[]
}

export interface WithdrawnScope {
  readonly scope: string
  /** The epoch of the removal: tokens that carry the scope and have an earlier epoch are revoked. */
  readonly below: number
  /** Epoch seconds at which the last of the revoked tokens has expired. */
  readonly until: number
}

/** The only id. */
export const CATALOG_RECORD = 'products'

export const CATALOG_CHANNEL = 'catalog'

/** Far fewer processes than this number write at the same time. */
export const MAX_WRITE_ATTEMPTS = 200

/** Beyond the longest lifetime of a token: a process without a connection may still issue tokens with the operation. */
export const DISCONNECTED_SECONDS = 86_400

export function catalogRecords(store: Store): Collection<CatalogRecord> {
  return createCollection(store, {
    name: 'catalog',
    version: 1,
    fields: {
      version: stringRule,
      epoch: countRule,
      products: mapOf(listOf(stringRule)),
      withdrawn: listOf(objectOf({ scope: stringRule, below: countRule, until: finiteNumberRule })),
    },
  })
}

/**
 * The next record of the products: the removal of an operation raises the epoch, which revokes its tokens. The caller
 * must load `products` after it has read `before`: otherwise they could contain operations that another process has
 * removed since. `at.lowestEpoch` is the minimum of the new epoch, so that the epoch does not fall if the record is
 * lost. All tokens that are issued now have expired at `at.until`.
 */
export function nextRecord(
  before: CatalogRecord | undefined,
  products: ProductScopes,
  at: {
    readonly version: string
    readonly lowestEpoch: number
    readonly now: number
    readonly until: number
  },
): CatalogRecord {
  const { version, lowestEpoch, now, until } = at
  const removed = new Set(missingFrom(products, before?.products ?? {}).map(({ scope }) => scope))
  const epoch = Math.max(before?.epoch ?? 0, lowestEpoch) + (removed.size > 0 ? 1 : 0)
  const earlier = (before?.withdrawn ?? []).filter((each) => each.until > now)
  // If an operation was removed before and is removed again, only the entry of the later removal is kept.
  const kept = earlier.filter(({ scope }) => !removed.has(scope))
  const added = [...removed].map((scope) => ({
    scope,
    below: epoch,
    until: Math.max(until, earlier.find((each) => each.scope === scope)?.until ?? 0),
  }))
  const { audit } = before ?? {}
  return { version, epoch, products, withdrawn: [...kept, ...added], ...(audit && { audit }) }
}

const MAX_NAMED = 100

/** Undefined if no product has other operations than before. */
export function catalogEntry(before: ProductScopes, after: ProductScopes): EntryFields | undefined {
  const added = missingFrom(before, after)
  const removed = missingFrom(after, before)
  if (added.length === 0 && removed.length === 0) return undefined
  return { name: 'catalog.reloaded', added: namesOf(added), removed: namesOf(removed) }
}

function namesOf(operations: readonly ProductOperation[]): string[] | undefined {
  const names = operations.slice(0, MAX_NAMED).map(({ product, scope }) => `${product}/${scope}`)
  const more = operations.length - names.length
  if (more > 0) names.push(`and ${more} more`)
  return names.length > 0 ? names : undefined
}
