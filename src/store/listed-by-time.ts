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

/**
 * Refuses a page that nobody can be shown.
 *
 * @param page.after a member of the page before, as the caller of a service handed it over
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`
 */
export function checkPage({ after, limit }: { readonly after: unknown; readonly limit: number }): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'limit must be a whole number from 1 to 500')
  }
  if (after !== undefined && (typeof after !== 'string' || !/^\d{13}:./.test(after))) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'after must be the cursor of the page before')
  }
}
