import { randomUUID } from 'node:crypto'
import type * as Keys from '../../src/keys/generate-key.ts'
import { rsaKeys } from './rsa-keys.ts'

/**
 * Makes the mock of the module `generate-key`, for `vi.mock`. All RS256 keys are one key with different
 * `kid`s, because making an RSA key takes as long as the rest of a test.
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
