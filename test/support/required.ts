/** Returns the value. Throws if the value is undefined, so that the test fails at this call. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('missing')
  return value
}
