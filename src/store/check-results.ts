import type { StoreCheck } from './contract.ts'

const MAX_NAMED = 5

/** The results of checks. At most five of the items, and how many more there are: `a, b and 3 more`. */
export function nameSome(items: readonly string[]): string {
  const more = items.length - MAX_NAMED
  return `${items.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Those of the checks that are there. */
export function applicable(...checks: readonly (StoreCheck | false | undefined)[]): StoreCheck[] {
  return checks.flatMap((check) => check || [])
}

export function pass(name: string, message: string): StoreCheck {
  return { name, status: 'pass', message }
}

/** An operator should act soon. */
export function warn(name: string, message: string, remedy: string): StoreCheck {
  return { name, status: 'warn', message, remedy }
}

/** An operator has to act at once. */
export function fail(name: string, message: string, remedy: string): StoreCheck {
  return { name, status: 'fail', message, remedy }
}

export function unknown(name: string, message: string, remedy: string): StoreCheck {
  return { name, status: 'unknown', message, remedy }
}
