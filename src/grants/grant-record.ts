import { createCollection, type Collection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { is, isCount, isText, mapOf, optional, type Fields } from '../validation/shape.ts'
import type { ConsentVersions } from './consent-version.ts'

/** What is stored of a grant; what is not named here is kept as it is. */
export interface GrantRecord {
  readonly accountId: string
  readonly clientId: string
  readonly userId?: string | undefined
  /** What was authorized: space-delimited scopes, by audience. What was refused is not among them. */
  readonly resources?: Readonly<Record<string, string>> | undefined
  /** Epoch seconds. */
  readonly iat: number
  /** Epoch seconds. */
  readonly exp: number
  /** What was in force when it was made; none in those of older versions. */
  readonly epochs?: ConsentVersions | undefined
  /** Milliseconds since the epoch by which it stands in the list of its account; undefined if it is not in use yet. */
  readonly listedAt?: number | undefined
  /** Epoch seconds at which it was last prolonged. */
  readonly prolongedAt?: number | undefined
  /** It was taken back. Kept for a while, so that whoever got no answer can take it back again. */
  readonly withdrawn?: true | undefined
}

const GRANT: Fields = {
  accountId: isText,
  clientId: isText,
  userId: optional(isText),
  resources: optional(mapOf(isText)),
  iat: isCount,
  exp: isCount,
  epochs: optional(mapOf(isText)),
  listedAt: optional(isCount),
  prolongedAt: optional(isCount),
  withdrawn: optional(is(true)),
}

/** The grants in the store, living or withdrawn. A grant id is no credential: tokens carry it in the clear. */
export function grantRecords(store: Store): Collection<GrantRecord> {
  return createCollection<GrantRecord>(store, { name: 'grant', version: 1, fields: GRANT })
}

/** Whether anything can still come of a grant. */
export function isLiving(record: GrantRecord | undefined): record is GrantRecord {
  return record !== undefined && record.withdrawn === undefined
}
