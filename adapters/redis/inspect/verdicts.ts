import type { StoreCheck } from '../../../src/store/contract.ts'

/** All is well. */
export function good(name: string, message: string): StoreCheck {
  return { name, verdict: 'good', message }
}

/** Something to look at. */
export function warning(name: string, message: string, fix: string): StoreCheck {
  return { name, verdict: 'warning', message, fix }
}

/** Something to do at once. */
export function bad(name: string, message: string, fix: string): StoreCheck {
  return { name, verdict: 'bad', message, fix }
}

/** It could not be looked at. */
export function unknown(name: string, message: string, fix: string): StoreCheck {
  return { name, verdict: 'unknown', message, fix }
}
