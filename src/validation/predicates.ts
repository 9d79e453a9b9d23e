/** Whether a value is an object whose fields can be read: no list, Map, Date or Promise. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]'
}

/** Whether a value is a text that is not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Whether a value is a text with visible characters. */
export function isVisibleText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** Whether a value is a whole number that is at least 0: a counter, or a time without a fraction. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/**
 * The latest valid time in epoch seconds, in the year 4707. Any time from 1973 on is a larger number if it is
 * written in milliseconds by mistake.
 */
export const LATEST_EPOCH_SECONDS = 86_400_000_000

/** Whether a value is a time in epoch seconds, with or without a fraction. */
export function isEpochSeconds(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LATEST_EPOCH_SECONDS
}

/**
 * Whether a text is a day that exists, such as `2027-02-28`. `Date` would read the 30th of February as the 2nd of
 * March.
 */
export function isDay(text: string): boolean {
  const midnight = new Date(text)
  return Number.isFinite(midnight.getTime()) && midnight.toISOString().slice(0, 10) === text
}

/** Whether a value may be a client id or a secret: 1 to 256 printable ASCII characters (RFC 6749 A.1, A.2). */
export function isPrintableAscii(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]{1,256}$/.test(value)
}

/** The kind of a value, for messages: never the value itself, which may be a secret. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (value === '') return 'an empty text'
  if (typeof value === 'string') return 'a text'
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  return `a ${typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value}`
}
