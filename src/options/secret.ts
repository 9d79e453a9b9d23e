import { randomBytes } from 'node:crypto'
import type { Fault } from '../errors.ts'
import { ruleWith, uniqueListOf, type Rule } from '../validation/rules.ts'

const MIN_BYTES = 32
/** Only secrets that were typed by hand have fewer: even 32 random decimal digits almost always have more. */
const MIN_DIFFERENT_CHARACTERS = 6
const HOW_TO = 'make one with: openssl rand -base64 48'

export const SECRET_REQUIRED: Fault = {
  code: 'required',
  message: `is required: at least ${MIN_BYTES} random bytes as text; ${HOW_TO}`,
}

const oneSecretRule: Rule<string> = (secret) => {
  if (typeof secret !== 'string') return 'must be a text, or a list of texts with the newest first'
  if (Buffer.byteLength(secret) < MIN_BYTES) return `must be at least ${MIN_BYTES} bytes long; ${HOW_TO}`
  return new Set(secret).size < MIN_DIFFERENT_CHARACTERS ? `can be guessed; ${HOW_TO}` : undefined
}

const secretsRule = uniqueListOf(oneSecretRule)

/** The option `secret`, read as a list, newest first. The messages never quote a secret. */
export const secretRule = ruleWith<readonly string[]>(
  (secret) => {
    if (!Array.isArray(secret)) return oneSecretRule(secret)
    return secret.length > 0 ? secretsRule(secret) : { code: 'empty', message: `is an empty list; ${HOW_TO}` }
  },
  { read: (secret) => [secret as string | readonly string[]].flat() },
)

/** A random secret, for a store that loses all data when the process ends. */
export function randomSecret(): string {
  return randomBytes(MIN_BYTES).toString('base64url')
}
