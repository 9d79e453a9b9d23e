import { randomBytes } from 'node:crypto'
import { GatehouseError } from '../errors.ts'
import { optional } from '../validation/rules.ts'
import type { Client } from './client.ts'
import { mayContainSecret } from './secret-format.ts'

const PREFIX: Record<Client['kind'], string> = { apiKey: 'key_', application: 'app_' }

/** @param bytes 16 bytes that no other client has. @default random */
export function newClientId(kind: Client['kind'], bytes: Buffer = randomBytes(16)): string {
  return PREFIX[kind] + bytes.toString('base64url')
}

/**
 * Which client ids there may be. Each character means the same in a URL, a form and the Basic header, even if it is not
 * encoded (RFC 6749 2.3.1). Lookups by a name that every object has (`__proto__`) would find inherited properties.
 */
export function isClientId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9._~@=-]{1,200}$/.test(value) && !(value in Object.prototype)
}

/** A new client without a given id gets one. */
export const newClientIdRule = optional((value) =>
  isClientId(value) ? undefined : 'must have 1 to 200 characters; letters, digits and ._~@=- are allowed',
)

/** The error for a client id that no client has; no secret is quoted. @param what such as `API key` */
export function clientNotFound(clientId: string, what = 'API key or application'): GatehouseError {
  const which =
    isClientId(clientId) && !mayContainSecret(clientId) ? ` "${clientId}"` : ' with that client id'
  return new GatehouseError('ERR_NOT_FOUND', `there is no ${what}${which}`)
}
