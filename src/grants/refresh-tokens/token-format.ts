import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'
import { randomId } from '../../keys/random-id.ts'

export interface RefreshTokenParts {
  /** Also identifies the family. */
  readonly grantId: string
  /** The number of earlier tokens in the family: 0 for the first token. */
  readonly generation: number
}

const FORM = /^([\w-]{1,64})\.(0|[1-9]\d{0,9})\.[\w-]{43}\.([\w-]{22})$/

/** @param macKeys keys, newest first. The newest key signs; every key verifies */
export function createRefreshTokenFormat(macKeys: readonly Buffer[]) {
  // With a `Buffer`, Node 24 imports the key again for each HMAC. A `KeyObject` needs a seventh of that CPU time.
  const keys = macKeys.map((key) => createSecretKey(key))
  const [newest] = keys
  if (!newest) throw new TypeError('at least one key is needed')
  const mac = (key: KeyObject, body: string) =>
    createHmac('sha256', key).update(body).digest().subarray(0, 16)

  return {
    mint({ grantId, generation }: RefreshTokenParts): string {
      const body = `${grantId}.${generation}.${randomId()}`
      return `${body}.${mac(newest, body).toString('base64url')}`
    },
    /** Undefined if the text has another format. Does not check that the token is genuine. */
    parse(token: string): RefreshTokenParts | undefined {
      const match = FORM.exec(token)
      return match?.[1] === undefined ? undefined : { grantId: match[1], generation: Number(match[2]) }
    },
    /** Whether this service made the token. The current token needs no check: its stored digest recognizes it. */
    isGenuine(token: string): boolean {
      const at = token.lastIndexOf('.')
      const given = Buffer.from(token.slice(at + 1), 'base64url')
      const body = token.slice(0, at)
      return keys.some((key) => {
        const expected = mac(key, body)
        return given.length === expected.length && timingSafeEqual(given, expected)
      })
    },
  }
}

/** Makes and recognizes refresh tokens: `grant.generation.random.mac`. */
export type RefreshTokenFormat = ReturnType<typeof createRefreshTokenFormat>
