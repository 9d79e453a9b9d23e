import { must } from '../validation/rules.ts'
import type { AuditEntry } from './entry.ts'

/** `<chunk>.<index>.<id>`: the place of the entry, and its id. */
const CURSOR = /^(\d{1,12})\.(\d{1,6})\.([\w-]{1,64})$/

export const cursorRule = must(
  'a `cursor` of the audit trail',
  (value) => typeof value === 'string' && CURSOR.test(value),
)

export interface Place {
  readonly number: number
  readonly index: number
  readonly id: string
}

/** The place that a valid cursor names. */
export function placeOf(cursor: string): Place {
  const [, number, index, id = ''] = CURSOR.exec(cursor) ?? []
  return { number: Number(number), index: Number(index), id }
}

export function cursorOf(number: number, index: number, { id }: Pick<AuditEntry, 'id'>): string {
  return `${number}.${index}.${id}`
}
