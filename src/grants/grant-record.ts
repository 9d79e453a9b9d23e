import { createCollection, type Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { oneOf, countRule, stringRule, mapOf, optional, type Fields } from '../validation/rules.ts'
import type { ConsentVersions } from './revoked-consents.ts'

/** The stored record of a grant. Properties that this interface does not name are kept unchanged. */
export interface GrantRecord {
  readonly accountId: string
  readonly clientId: string
  readonly userId?: string | undefined
  /** The authorized scopes of each audience, space-delimited. Denied scopes are not included. */
  readonly resources?: Readonly<Record<string, string>> | undefined
  /** Epoch seconds. */
  readonly iat: number
  /** When the grant expires if it is not extended, in epoch seconds. */
  readonly exp: number
  /** The consent versions when the grant was made; absent if the grant is revoked. */
  readonly versions?: ConsentVersions | undefined
  /**
   * Milliseconds since the epoch, to sort the list of the account. Set when the code is exchanged: the grant is in use.
   */
  readonly listedAt?: number | undefined
  /** Epoch seconds of the last known use, updated at most once a day. */
  readonly usedAt?: number | undefined
  /** The record of a revoked grant is kept for a while, so that an unconfirmed revocation can be repeated. */
  readonly revoked?: true | undefined
}

const GRANT: Fields = {
  accountId: stringRule,
  clientId: stringRule,
  userId: optional(stringRule),
  resources: optional(mapOf(stringRule)),
  iat: countRule,
  exp: countRule,
  versions: optional(mapOf(stringRule)),
  listedAt: optional(countRule),
  usedAt: optional(countRule),
  revoked: optional(oneOf(true)),
}

/**
 * The grants in the store, active or revoked. A grant id is not secret, because tokens carry it, so it is not hashed.
 */
export function grantRecords(store: Store): Collection<GrantRecord> {
  return createCollection<GrantRecord>(store, { name: 'grant', version: 1, fields: GRANT })
}

export function isActive(record: GrantRecord | undefined): record is GrantRecord {
  return record !== undefined && record.revoked === undefined
}
