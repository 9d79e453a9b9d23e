import type { StoreCheck } from './contract.ts'

/** A check that passes. */
export function pass(name: string, message: string): StoreCheck {
  return { name, status: 'pass', message }
}

/** A check that warns: an operator should act soon. */
export function warn(name: string, message: string, remedy: string): StoreCheck {
  return { name, status: 'warn', message, remedy }
}

/** A check that fails: an operator has to act at once. */
export function fail(name: string, message: string, remedy: string): StoreCheck {
  return { name, status: 'fail', message, remedy }
}

/** A check that could not be made. */
export function unknown(name: string, message: string, remedy: string): StoreCheck {
  return { name, status: 'unknown', message, remedy }
}
