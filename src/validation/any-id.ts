import type { Rule } from './input.ts'

/** The id of an account is the host's, of any length and alphabet. Clients in a host's tables have such ids too. */
export const anyIdRule: Rule = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a text that is not empty'
