/**
 * Rewrites an unchanged record when it is returned to `Collection.update`. The previous write may not have been
 * confirmed as durable, and only a write of its own proves to this caller that the record is safe.
 */
export function confirmDurable<T>(record: T): T {
  return record
}
