import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { digest } from '../../store/digest.ts'

/** The last rotation of a family, for a client that lost the response. */
export interface LastRotation {
  /** Digest of the token that was rotated. */
  readonly of: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Its successor, encrypted. Only a process with the secret of the store, and the old token, can read it. */
  readonly next: string
  /** A client got `next` by retrying. The rotation must not be rolled back any more. */
  readonly repeated?: true
}

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * @param options.seconds length of the grace period; also the most by which the clocks of two processes may differ
 * @param options.keys derived from the secrets, newest first: the newest encrypts, all of them decrypt
 */
export function createGracePeriod(options: { readonly seconds: number; readonly keys: readonly Buffer[] }) {
  const { seconds, keys } = options
  const [newest] = keys
  if (!newest) throw new TypeError('at least one key is needed')

  return {
    /** What a family stores about a rotation. @param now milliseconds since the epoch */
    record: (token: string, next: string, now: number) => ({
      of: digest(token),
      at: now,
      next: encrypt(next, keyOf(token, newest)),
    }),
    /**
     * The successor of `token`, if `token` was the last to be rotated, within the grace period; otherwise undefined.
     *
     * @param now milliseconds since the epoch
     */
    successorOf(token: string, last: LastRotation | undefined, now: number): string | undefined {
      // In both directions: after the clock is set back, the grace period must not last until it catches up.
      if (last?.of !== digest(token) || Math.abs(now - last.at) >= seconds * 1000) return undefined
      return keys.map((key) => decrypt(last.next, keyOf(token, key))).find((next) => next !== undefined)
    },
  }
}

/** Lets a client that lost the response of a refresh retry it within some seconds. */
export type GracePeriod = ReturnType<typeof createGracePeriod>

/**
 * The ciphertext outlives the grace period. The old token alone does not decrypt it, because a used token may stand in
 * a log. Neither does a copy of the store together with the secret.
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
