import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { digest } from '../../store/digest.ts'

/** The last rotation of a family, for a client that lost the response. */
export interface LastRotation {
  /** Digest of the token that was rotated. */
  readonly of: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The encrypted successor of that token. Decryption needs both the host's secret and the old token. */
  readonly next: string
  /** True if a client received `next` by retrying. The rotation must not be rolled back any more. */
  readonly repeated?: true
}

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * @param options.seconds length of the grace period. The clocks of two processes must differ by less than this
 * @param options.keys derived from the secrets, newest first: the newest encrypts, all of them decrypt
 */
export function createGracePeriod(options: { readonly seconds: number; readonly keys: readonly Buffer[] }) {
  const { seconds, keys } = options
  const [newest] = keys
  if (!newest) throw new TypeError('at least one key is needed')

  return {
    /** The part of a family record that describes a rotation. @param now milliseconds since the epoch */
    record: (token: string, next: string, now: number) => ({
      of: digest(token),
      at: now,
      next: encrypt(next, keyOf(token, newest)),
    }),
    /**
     * The successor of `token`, if the last rotation replaced `token` within the grace period; otherwise undefined.
     *
     * @param now milliseconds since the epoch
     */
    successorOf(token: string, last: LastRotation | undefined, now: number): string | undefined {
      // Compares in both directions: if the clock is set back, the grace period must not last until the clock catches up.
      if (last?.of !== digest(token) || Math.abs(now - last.at) >= seconds * 1000) return undefined
      return keys.map((key) => decrypt(last.next, keyOf(token, key))).find((next) => next !== undefined)
    },
  }
}

/** Lets a client that lost the response of a refresh retry it within some seconds. */
export type GracePeriod = ReturnType<typeof createGracePeriod>

/**
 * The key for the successor of a token. The ciphertext outlives the grace period, so decryption needs both token and
 * secret. A used token from a log is not enough, and a copy of the store with the secret is not enough either.
 */
function keyOf(token: string, key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', token, key, 'koa-gatehouse/v1/refresh-retry', 32))
}

function encrypt(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

function decrypt(ciphertext: string, key: Buffer): string | undefined {
  const bytes = Buffer.from(ciphertext, 'base64url')
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString()
  } catch {
    return undefined
  }
}
