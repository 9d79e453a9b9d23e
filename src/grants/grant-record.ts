import { createCollection, type Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { countRule, type Fields, mapOf, oneOf, optional, stringRule } from '../validation/rules.ts'
import type { ConsentVersions } from './consent-version.ts'

/** The stored record of a grant. Properties that are not named here are kept unchanged. */
export interface GrantRecord {
  readonly accountId: string
  readonly clientId: string
  readonly userId?: string | undefined
  /** What was authorized: space-delimited scopes, by audience. Denied scopes are not among them. */
  readonly resources?: Readonly<Record<string, string>> | undefined
  /** Epoch seconds. */
  readonly iat: number
  /** Epoch seconds. */
  readonly exp: number
  /** The consent versions when it was made; absent in records of older versions. */
  readonly epochs?: ConsentVersions | undefined
  /**
   * Its time in the list of its account, in milliseconds since the epoch; undefined if it is not in use yet.
   */
  readonly listedAt?: number | undefined
  /** Epoch seconds at which it was last extended. */
  readonly prolongedAt?: number | undefined
  /**
   * The grant is revoked. The record is kept for a while, so that a caller that got no answer can revoke it
   * again.
   */
  readonly withdrawn?: true | undefined
}

const GRANT: Fields = {
  accountId: stringRule,
  clientId: stringRule,
  userId: optional(stringRule),
  resources: optional(mapOf(stringRule)),
  iat: countRule,
  exp: countRule,
  epochs: optional(mapOf(stringRule)),
  listedAt: optional(countRule),
  prolongedAt: optional(countRule),
  withdrawn: optional(oneOf(true)),
}

/** The grants in the store, active or revoked. A grant id is no credential: tokens carry it in clear text. */
export function grantRecords(store: Store): Collection<GrantRecord> {
  return createCollection<GrantRecord>(store, { name: 'grant', version: 1, fields: GRANT })
}

/** Whether a grant is active: it exists and is not revoked. */
export function isLiving(record: GrantRecord | undefined): record is GrantRecord {
  return record !== undefined && record.withdrawn === undefined
}
