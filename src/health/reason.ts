import { GatehouseError } from '../errors.ts'

/** Characters of a reason at most. */
const MAX_LENGTH = 300
/** Errors that follow from one another at most. */
const MAX_DEPTH = 5

/**
 * Why something failed, in one line that may be shown: our own messages, which hold no secret, and of errors of others
 * only code or name, as nobody knows what their messages quote.
 */
export function reasonOf(error: unknown): string {
  const parts: string[] = []
  let next: unknown = error
  for (let depth = 0; depth < MAX_DEPTH && typeof next === 'object' && next !== null; depth += 1) {
    const part = next instanceof GatehouseError ? next.message : nameOf(next)
    if (part !== '' && !parts.some((known) => known.includes(part))) parts.push(part)
    next = 'cause' in next ? next.cause : undefined
  }
  const line = parts.join(': ').replaceAll(/\s*\n\s*-?\s*/g, ' ')
  const shown = withoutCredentials(line === '' ? 'no reason was given' : line)
  return shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH - 1)}…` : shown
}

/** `ECONNREFUSED`, or the name of its class. */
function nameOf(error: object): string {
  if ('code' in error && typeof error.code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code)) {
    return error.code
  }
  if (!(error instanceof Error) || error.name === 'Error') return ''
  return /^\w{1,60}$/.test(error.name) ? error.name : ''
}

/** Addresses of databases carry passwords. */
function withoutCredentials(text: string): string {
  return text.replaceAll(/\/\/\S*@/g, '//…@')
}
