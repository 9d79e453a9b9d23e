/**
 * Makes `Collection.update` write an unchanged record again: its parameter `change` returns
 * `confirmDurable(record)` instead of undefined. This is needed if the previous write of the record may not
 * have been confirmed as durable. Only another write proves to the caller that the record is durable.
 */
export function confirmDurable<T>(record: T): T {
  return record
}
