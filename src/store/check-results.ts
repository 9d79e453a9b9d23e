import type { StoreCheck } from './contract.ts'

/** What was found where all is well. */
export function good(name: string, message: string): StoreCheck {
  return { name, status: 'good', message }
}

/** What was found where there is something to look at. */
export function warning(name: string, message: string, fix: string): StoreCheck {
  return { name, status: 'warning', message, fix }
}

/** What was found where there is something to do at once. */
export function bad(name: string, message: string, fix: string): StoreCheck {
  return { name, status: 'bad', message, fix }
}

/** What is said of something that could not be looked at. */
export function unknown(name: string, message: string, fix: string): StoreCheck {
  return { name, status: 'unknown', message, fix }
}
