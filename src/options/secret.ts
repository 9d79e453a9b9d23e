import { randomBytes } from 'node:crypto'

const FEWEST_BYTES = 32
/** Even 32 random decimal digits have more, so this rejects only what a hand has typed. */
const FEWEST_DIFFERENT_CHARACTERS = 6
const HOW_TO = 'make one with: openssl rand -base64 48'

/** The secrets as a list, newest first; a store that forgets everything gets a new one of its own. */
export function secretsOf(secret: unknown, volatile: boolean): readonly string[] {
  if (secret === undefined && volatile) return [randomBytes(FEWEST_BYTES).toString('base64url')]
  return typeof secret === 'string' ? [secret] : [...(secret as readonly string[])]
}

/**
 * What is wrong with the option `secret`. What it holds is never part of a message.
 *
 * @param add told of each problem, with its position where `secret` is a list
 */
export function checkSecret(
  secret: unknown,
  volatile: boolean,
  add: (position: number | undefined, message: string) => void,
): void {
  if (secret === undefined) {
    if (!volatile) add(undefined, `is required: at least ${FEWEST_BYTES} random bytes as text; ${HOW_TO}`)
    return
  }
  if (!Array.isArray(secret)) {
    const problem = secretProblem(secret)
    if (problem !== undefined) add(undefined, problem)
    return
  }
  if (secret.length === 0) add(undefined, `is an empty list; ${HOW_TO}`)
  for (const [position, one] of (secret as unknown[]).entries()) {
    const problem = secret.indexOf(one) < position ? 'is in the list twice' : secretProblem(one)
    if (problem !== undefined) add(position, problem)
  }
}

function secretProblem(secret: unknown): string | undefined {
  if (typeof secret !== 'string') return 'must be a text, or a list of texts with the newest first'
  if (Buffer.byteLength(secret) < FEWEST_BYTES)
    return `must be at least ${FEWEST_BYTES} bytes long; ${HOW_TO}`
  return new Set(secret).size < FEWEST_DIFFERENT_CHARACTERS ? `can be guessed; ${HOW_TO}` : undefined
}
