import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { digest } from '../../store/digest.ts'

/** What is kept of the last exchange of a family, for a client that has lost the answer. */
export interface LastExchange {
  /** Digest of the token that was exchanged. */
  readonly of: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The token that it was exchanged for; only whoever has the old one, and the store's secret, can read it. */
  readonly next: string
  /** Somebody was given `next` for trying again, so that the exchange must not be revoked any more. */
  readonly repeated?: true
}

/** Lets a client that lost the answer of a refresh ask again, for some seconds. */
export interface RetryWindow {
  /** What is to be kept of an exchange. @param now milliseconds since the epoch */
  remember(token: string, next: string, now: number): LastExchange
  /**
   * What `token` was exchanged for, if it was the last to be exchanged, and only just; else undefined.
   *
   * @param now milliseconds since the epoch
   */
  nextOf(token: string, last: LastExchange | undefined, now: number): string | undefined
}

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * @param options.seconds after an exchange, and by how much the clocks of two processes may differ
 * @param options.keys derived from the secrets, newest first: the newest seals, all of them open
 */
export function createRetryWindow(options: {
  readonly seconds: number
  readonly keys: readonly Buffer[]
}): RetryWindow {
  const { seconds, keys } = options
  const [newest] = keys
  if (!newest) throw new TypeError('at least one key is needed')

  return {
    remember: (token, next, now) => ({ of: digest(token), at: now, next: seal(next, keyOf(token, newest)) }),
    nextOf(token, last, now) {
      // Both ways: a clock that was put back must not leave the door open until it gets there again.
      if (last?.of !== digest(token) || Math.abs(now - last.at) >= seconds * 1000) return undefined
      for (const key of keys) {
        const next = open(last.next, keyOf(token, key))
        if (next !== undefined) return next
      }
      return undefined
    },
  }
}

/**
 * What is sealed outlasts the seconds in which it is of use. So the old token alone does not open it (it has been
 * used, and may stand in some log by now), and neither does a copy of the store with what protects the store.
 */
function keyOf(token: string, key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', token, key, 'koa-gatehouse/v1/refresh-retry', 32))
}

function seal(text: string, key: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  return Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

function open(sealed: string, key: Buffer): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
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
