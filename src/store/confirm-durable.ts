/**
 * Makes `Collection.update` write an unchanged record again, if its parameter `change` returns `confirmDurable(record)`
 * instead of undefined. The previous write of the record may not have been confirmed as durable. Only another write can
 * confirm that the record is durable.
 */
export function confirmDurable<T>(record: T): T {
  return record
}
