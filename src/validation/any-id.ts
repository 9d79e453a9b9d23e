import type { Rule } from './input.ts'

/** An account's id is the host's: of any length and alphabet. Clients that a host keeps itself have ids like that, too. */
export const anyIdRule: Rule = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a text that is not empty'
