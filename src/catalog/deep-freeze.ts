/** Freezes plain data recursively. Do not pass class instances: their state may need to change. */
export function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) deepFreeze(part as object)
  }
  return Object.freeze(value)
}
