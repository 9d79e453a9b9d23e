import { randomUUID } from 'node:crypto'
import type * as Keys from '../../src/keys/generate-key.ts'
import { rsaKeys } from './rsa-keys.ts'

/**
 * Makes the mock of the module `generate-key`, for `vi.mock`. Making an RSA key takes as long as the rest of
 * a test. So the mock always returns the same RS256 key, with a new `kid` each time.
 */
export async function withQuickKeys(original: () => Promise<unknown>): Promise<typeof Keys> {
  const keys = (await original()) as typeof Keys
  return {
    ...keys,
    async generateSigningKey(alg) {
      if (alg === 'ES256') return keys.generateSigningKey(alg)
      const [rsa] = await rsaKeys()
      return { ...(rsa as Keys.SigningJwk), kid: randomUUID() }
    },
  }
}
