import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'koa'

/**
 * Creates the token with which scripts of the developer's account call the management API. It is valid until
 * the example ends. In a real host, such tokens are hashed rows of a database.
 */
export function createDeveloperToken() {
  const token = `harbour_${randomBytes(24).toString('base64url')}`
  const expected = Buffer.from(`Bearer ${token}`)
  return {
    token,
    /** Whether a request has the token. */
    isSentIn(ctx: Context): boolean {
      const received = Buffer.from(ctx.get('Authorization'))
      return received.length === expected.length && timingSafeEqual(received, expected)
    },
  }
}
