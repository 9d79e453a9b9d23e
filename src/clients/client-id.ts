import { randomBytes } from 'node:crypto'
import type { Client } from './client.ts'

const PREFIX: Record<Client['kind'], string> = { apiKey: 'key_', application: 'app_' }

/**
 * A new client id, whose prefix shows people the kind of the client.
 *
 * @param bytes 16 bytes that no other client has. @default random
 */
export function newClientId(kind: Client['kind'], bytes: Buffer = randomBytes(16)): string {
  return PREFIX[kind] + bytes.toString('base64url')
}

/**
 * Whether `value` may be a client id. Each of its characters must mean the same in a URL, in a form and in
 * the Basic header, whether or not a client encodes it as RFC 6749 2.3.1 requires. So `:`, `%`, `+` and space
 * are not allowed. A name that every object has (`__proto__`, `constructor`) is not allowed either, because
 * lookups by that name would find inherited properties.
 */
export function isClientId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9._~@=-]{1,200}$/.test(value) && !(value in Object.prototype)
}
