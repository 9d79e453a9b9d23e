/** The bounds of the option `audit`. */
export const RETENTION = {
  maxAgeDays: { byDefault: 90, max: 3660 },
  maxEntries: { byDefault: 1_000_000, min: 1000, max: 100_000_000 },
  maxFailures: { byDefault: 100_000, min: 1000, max: 100_000_000 },
}

/** The bounds of the audit trail. The oldest entries are deleted first. */
export interface AuditOptions {
  /** Days for which an entry is kept, at most 3660. @default 90 */
  readonly maxAgeDays?: number | undefined
  /** Maximum number of entries about changes, from 1000 to 100,000,000. @default 1000000 */
  readonly maxEntries?: number | undefined
  /**
   * Maximum number of entries, from 1000 to 100,000,000, about failures that strangers cause, such as wrong secrets.
   *
   * @default 100000
   */
  readonly maxFailures?: number | undefined
}

export type AuditBounds = Readonly<Record<keyof AuditOptions, number>>

export type TrailBounds = Omit<AuditBounds, 'maxFailures'>

/** How long entries are kept, and how many (option `audit`): seconds for which a chunk is kept after its last entry. */
export function ttlOf({ maxAgeDays }: TrailBounds): number {
  return maxAgeDays * 86_400
}
