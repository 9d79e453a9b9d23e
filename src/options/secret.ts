import { randomBytes } from 'node:crypto'
import type { Fault } from '../errors.ts'
import type { AddProblem } from './schema.ts'

const MIN_BYTES = 32
/**
 * The minimum number of different characters in a secret. Only secrets that were typed by hand have fewer: even 32
 * random decimal digits almost always have more.
 */
const MIN_DIFFERENT_CHARACTERS = 6
const HOW_TO = 'make one with: openssl rand -base64 48'
const TWICE: Fault = { code: 'duplicate', message: 'is in the list twice' }

/** The problem of a missing secret. */
export const SECRET_REQUIRED: Fault = {
  code: 'required',
  message: `is required: at least ${MIN_BYTES} random bytes as text; ${HOW_TO}`,
}

/** The option `secret`, resolved to a list, newest first. The messages never quote a secret. */
export function secretSchema(secret: unknown, add: AddProblem): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  if (secrets.length === 0) add([], { code: 'empty', message: `is an empty list; ${HOW_TO}` })
  for (const [position, one] of secrets.entries()) {
    const problem = secrets.indexOf(one) < position ? TWICE : secretProblem(one)
    if (problem !== undefined) add(Array.isArray(secret) ? [position] : [], problem)
  }
  return [...(secrets as readonly string[])]
}

/** A random secret, for a store that loses all data when the process ends. */
export function randomSecret(): string {
  return randomBytes(MIN_BYTES).toString('base64url')
}

function secretProblem(secret: unknown): string | undefined {
  if (typeof secret !== 'string') return 'must be a text, or a list of texts with the newest first'
  if (Buffer.byteLength(secret) < MIN_BYTES) return `must be at least ${MIN_BYTES} bytes long; ${HOW_TO}`
  return new Set(secret).size < MIN_DIFFERENT_CHARACTERS ? `can be guessed; ${HOW_TO}` : undefined
}
