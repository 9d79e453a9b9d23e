import { GatehouseError } from '../errors.ts'

/** Members of an index that is listed by time are `<milliseconds>:<id>`. */
const TIME = 13
const MEMBER = /^\d{13}:([^]{1,256})$/

/** The member for an id: the time in front, padded, makes the order of bytes the order of time. */
export function timedMember(listedAt: number, id: string): string {
  return `${String(listedAt).padStart(TIME, '0')}:${id}`
}

/** The id of a member; empty, as no id is, where it is none of ours. */
export function idOfMember(member: string): string {
  return MEMBER.exec(member)?.[1] ?? ''
}

/** Milliseconds since the epoch by which a member is listed. */
export function timeOfMember(member: string): number {
  return Number(member.slice(0, TIME))
}

/** Which part of a list is wanted. */
export interface ListOptions {
  /** `cursor` of the page before; the first page if left out. */
  readonly cursor?: string | undefined
  /** Items at most, 1 to 500. @default 50 */
  readonly limit?: number | undefined
}

/**
 * Checks the options of a list, as the caller of a service handed them over, and fills in the default.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, also for an option that does not exist
 */
export function checkedPage(options: ListOptions): ListOptions & { readonly limit: number } {
  if (typeof options !== 'object' || options === null)
    throw refused('the options of a list must be an object')
  const unknown = Object.keys(options).find((name) => name !== 'cursor' && name !== 'limit')
  if (unknown !== undefined) throw refused(`a list has no option "${unknown}"; it takes cursor and limit`)
  const { cursor, limit = 50 } = options
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw refused('limit must be a whole number from 1 to 500')
  }
  if (cursor !== undefined && (typeof cursor !== 'string' || !/^\d{13}:./.test(cursor))) {
    throw refused('cursor must be the cursor of the page before')
  }
  return { cursor, limit }
}

function refused(message: string): GatehouseError {
  return new GatehouseError('ERR_INVALID_ARGUMENT', message)
}
