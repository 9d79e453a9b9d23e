import type { StoreCheck } from './contract.ts'

/** A check that passes. */
export function good(name: string, message: string): StoreCheck {
  return { name, status: 'good', message }
}

/** A check that warns: an operator should look at it soon. */
export function warning(name: string, message: string, fix: string): StoreCheck {
  return { name, status: 'warning', message, fix }
}

/** A check that fails: an operator has to act at once. */
export function bad(name: string, message: string, fix: string): StoreCheck {
  return { name, status: 'bad', message, fix }
}

/** A check that could not be made. */
export function unknown(name: string, message: string, fix: string): StoreCheck {
  return { name, status: 'unknown', message, fix }
}
