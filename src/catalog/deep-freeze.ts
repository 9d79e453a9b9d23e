/** Freezes plain data with all that is in it. Not for objects of classes, which may need to change. */
export function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === 'object' && part !== null) deepFreeze(part as object)
  }
  return Object.freeze(value)
}
