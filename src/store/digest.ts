import { hash } from 'node:crypto'

/**
 * The digest that is stored instead of a secret, token, code or id: SHA-256 of its UTF-8 bytes, as base64url. A slow
 * hash is not needed: a secret, token or code contains 256 random bits, and an id is not secret.
 */
export function digest(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
