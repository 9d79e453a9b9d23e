import { createHash } from 'node:crypto'

/**
 * What is stored of a secret, token, code or id in its stead: SHA-256 of its UTF-8, base64url. A single round is
 * enough for what a machine drew at random with 256 bits.
 */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
