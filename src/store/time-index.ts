import { checkInput } from '../validation/check-input.ts'
import { must, optional, wholeNumber } from '../validation/rules.ts'

/** The digits of a time in milliseconds. A member of a time index is `<milliseconds>:<id>`. */
const TIME_DIGITS = 13
const MEMBER = /^\d{13}:([^]{1,256})$/

/** The member for an id. It starts with the padded time, so that the order of bytes is the order of time. */
export function timedMember(listedAt: number, id: string): string {
  return `${String(listedAt).padStart(TIME_DIGITS, '0')}:${id}`
}

/** The id of a member; the empty text if another program has written the member. */
export function idOfMember(member: string): string {
  return MEMBER.exec(member)?.[1] ?? ''
}

/** The time of a member, in milliseconds since the epoch. */
export function timeOfMember(member: string): number {
  return Number(member.slice(0, TIME_DIGITS))
}

/** The options of a list. */
export interface ListOptions {
  /** `cursor` of the previous page. @default the first page */
  readonly cursor?: string | undefined
  /** Maximum number of items, 1 to 500. @default 50 */
  readonly limit?: number | undefined
}

const LIST_FIELDS = {
  cursor: optional(
    must(
      'the `cursor` of the previous page',
      (value) => typeof value === 'string' && /^\d{13}:./.test(value),
    ),
  ),
  limit: optional(wholeNumber(1, 500)),
}

/**
 * Checks the options of a list, and fills in the default.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, also for an option that does not exist
 */
export function checkedPage(options: ListOptions): ListOptions & { readonly limit: number } {
  checkInput('the list was not read', options, LIST_FIELDS)
  const { cursor, limit = 50 } = options
  return { cursor, limit }
}
