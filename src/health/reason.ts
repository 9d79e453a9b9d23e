import { GatehouseError } from '../errors.ts'

const MAX_CHARACTERS = 300
const MAX_DEPTH = 5

/**
 * The reason of a failure in one line that is safe to show. The messages of this library's errors hold no secrets;
 * other errors contribute only their code or name, because their messages may quote any data.
 */
export function reasonOf(error: unknown): string {
  const parts: string[] = []
  let next: unknown = error
  for (let depth = 0; depth < MAX_DEPTH && typeof next === 'object' && next !== null; depth += 1) {
    const part = next instanceof GatehouseError ? next.message : nameOf(next)
    if (part !== '' && !parts.some((known) => known.includes(part))) parts.push(part)
    next = 'cause' in next ? next.cause : undefined
  }
  const line = parts.join(': ').replaceAll(/\s+(?:-\s*)?/g, (gap) => (gap.includes('\n') ? ' ' : gap))
  const shown = withoutCredentials(line === '' ? 'the error has no reason' : line)
  return shown.length > MAX_CHARACTERS ? `${shown.slice(0, MAX_CHARACTERS - 1)}…` : shown
}

function nameOf(error: object): string {
  if ('code' in error && typeof error.code === 'string' && /^[A-Z\d][A-Z\d_]{1,60}$/.test(error.code)) {
    return error.code
  }
  if (!(error instanceof Error) || error.name === 'Error') return ''
  return /^\w{1,60}$/.test(error.name) ? error.name : ''
}

/** The address of a database may contain a password. */
function withoutCredentials(text: string): string {
  return text.replaceAll(/\/\/\S*/g, (word) => {
    const end = word.lastIndexOf('@')
    return end === -1 ? word : `//…${word.slice(end)}`
  })
}
