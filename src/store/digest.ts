import { createHash } from 'node:crypto'

/**
 * The digest that is stored instead of a secret, token, code or id: SHA-256 of its UTF-8, base64url. A single round is
 * enough for 256 random bits from a machine.
 */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
