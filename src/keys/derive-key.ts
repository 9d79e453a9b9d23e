import { hkdfSync } from 'node:crypto'

/** Each purpose has its own key, so that no key can be used for another purpose. */
type Purpose =
  | 'cookies'
  | 'csrf'
  | 'refresh-tokens'
  | 'refresh-retries'
  | 'signing-keys'
  | 'idempotency'
  | 'erasures'
  | 'returns'

/** Derives a key of 32 bytes from one of the host's secrets (HKDF with SHA-256, RFC 5869). */
export function deriveKey(secret: string, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'koa-gatehouse', `koa-gatehouse/v1/${purpose}`, 32))
}
