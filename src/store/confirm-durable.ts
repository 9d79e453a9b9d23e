/**
 * Makes `Collection.update` rewrite an unchanged record: return the result from `change`. The previous write may not
 * have been confirmed as durable. Only another write proves to the caller that the record is safe.
 */
export function confirmDurable<T>(record: T): T {
  return record
}
