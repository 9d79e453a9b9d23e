/** Answers with the value; throws if it is undefined, so that the test fails there. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('missing')
  return value
}
