/**
 * Makes `Collection.update` write an unchanged record again. The function `change` returns
 * `confirmDurable(record)`. The previous write of the record may not have been confirmed as durable. Only
 * another write proves to the caller that the record is durable.
 */
export function confirmDurable<T>(record: T): T {
  return record
}
