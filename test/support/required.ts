/** What is there. Throws where it is not, so that a test which lacks it fails. */
export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('missing')
  return value
}
