/** The bounds of the option `audit`. */
export const RETENTION = {
  maxAgeDays: { byDefault: 90, max: 3660 },
  maxEntries: { byDefault: 1_000_000, min: 1000, max: 100_000_000 },
  maxFailures: { byDefault: 100_000, min: 1000, max: 100_000_000 },
}

/** The bounds of the audit trail. The oldest entries are deleted first. */
export interface AuditOptions {
  /** Days for which an entry is kept; up to 3660. @default 90 */
  readonly maxAgeDays?: number | undefined
  /** Maximum number of entries about changes, 1000 to 100,000,000. @default 1000000 */
  readonly maxEntries?: number | undefined
  /**
   * Maximum number of entries about failures that strangers cause, such as wrong secrets, 1000 to 100,000,000.
   *
   * @default 100000
   */
  readonly maxFailures?: number | undefined
}

/** The bounds of the audit trail, with all defaults. */
export type AuditBounds = { readonly [Name in keyof AuditOptions]-?: number }
