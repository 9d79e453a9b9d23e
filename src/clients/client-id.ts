import { randomBytes } from 'node:crypto'
import type { Client } from './client.ts'

const PREFIX: Record<Client['kind'], string> = { apiKey: 'key_', application: 'app_' }

/** A new, random client id that tells people what it is the id of. */
export function newClientId(kind: Client['kind']): string {
  return PREFIX[kind] + randomBytes(16).toString('base64url')
}

/**
 * Whether `value` may be a client id: characters that mean the same in a URL, in a form and in the Basic
 * header whether or not a client encodes them there as RFC 6749 2.3.1 asks. So no `:`, `%`, `+` or space. Nor
 * is a name that every object has (`__proto__`, `constructor`): a client of that name would be found in tables
 * where nobody put it.
 */
export function isClientId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9._~@=-]{1,200}$/.test(value) && !(value in Object.prototype)
}
