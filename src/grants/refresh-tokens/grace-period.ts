// Model: test/proof/models/refresh-family.pml
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { digest } from '../../store/digest.ts'

/** The option `refreshTokenGraceSeconds`. Public programs often refresh twice at once, or lose the response. */
export const GRACE_SECONDS = { confidential: 0, public: 30, min: 0, max: 60 }

/** If the client lost the response and sends the old token again, this gives the same new token. */
export interface LastRotation {
  readonly of: string
  /** When the token was rotated, in milliseconds since the epoch. */
  readonly at: number
  /** The length of the grace period, in seconds; absent if it has the usual length. */
  readonly seconds?: number | undefined
  /** The new token, encrypted. Decryption needs both the host's secret and the token that was rotated. */
  readonly next: string
  /** True if `next` was sent again. The client may use it, so the rotation must not be rolled back. */
  readonly repeated?: true
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** Lets a client repeat a refresh within some seconds. @param options.keys newest first; every key decrypts */
export function createGracePeriod(options: { readonly seconds: number; readonly keys: readonly Buffer[] }) {
  const { seconds, keys } = options
  const [newest] = keys
  if (!newest) throw new TypeError('at least one key is needed')

  return {
    seconds,
    /** @param now milliseconds since the epoch */
    record: (token: string, next: string, now: number, length = seconds): LastRotation => ({
      of: digest(token),
      at: now,
      ...(length !== seconds && { seconds: length }),
      next: encrypt(next, keyOf(token, newest)),
    }),
    /** Undefined unless the last rotation replaced `token` within the grace period before `now`. */
    successorOf(token: string, last: LastRotation | undefined, now: number): string | undefined {
      // Absolute, because the clock may be set back: a negative difference would stay below the limit for long.
      const length = (last?.seconds ?? seconds) * 1000
      if (last?.of !== digest(token) || Math.abs(now - last.at) >= length) return undefined
      return keys.map((key) => decrypt(last.next, keyOf(token, key))).find((next) => next !== undefined)
    },
  }
}

export type GracePeriod = ReturnType<typeof createGracePeriod>

/** The ciphertext stays in the store: a used token from a log, or the store with the secret, must not decrypt it. */
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
