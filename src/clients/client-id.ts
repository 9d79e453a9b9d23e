import { randomBytes } from 'node:crypto'
import { GatehouseError } from '../errors.ts'
import type { Client } from './client.ts'
import { mayContainSecret } from './secret-format.ts'

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
 * Whether `value` may be a client id. Each of its characters must mean the same in a URL, in a form and in the Basic
 * header, even if a client does not encode the id (RFC 6749 2.3.1). So `:`, `%`, `+` and space are not allowed. A name
 * that every object has (`__proto__`, `constructor`) is not allowed either, because lookups by that name would find
 * inherited properties.
 */
export function isClientId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9._~@=-]{1,200}$/.test(value) && !(value in Object.prototype)
}

/**
 * The error (`ERR_NOT_FOUND`) for a client id that no client has.
 *
 * @param what the requested kind of client in words, for the message: `API key`, `application`, or `API key
 *   or application`
 * @param clientId any input, possibly a secret. The message quotes the input only if it is a valid client id
 *   and does not look like a secret
 */
export function clientNotFound(what: string, clientId: string): GatehouseError {
  const which =
    isClientId(clientId) && !mayContainSecret(clientId) ? ` "${clientId}"` : ' with that client id'
  return new GatehouseError('ERR_NOT_FOUND', `there is no ${what}${which}`)
}
