/**
 * Marks an unchanged record as one that `Collection.update` writes again: its parameter `change` returns
 * `confirmDurable(record)` instead of undefined. The previous write of the record may not have been
 * confirmed as durable, and only another write can prove that it is.
 */
export function confirmDurable<T>(record: T): T {
  return record
}
