import { randomUUID } from 'node:crypto'
import type * as Keys from '../../src/keys/generate-key.ts'
import { rsaKeys } from './rsa-keys.ts'

/**
 * Replaces the module that makes keys, for `vi.mock`. Its RS256 keys differ in their `kid` only, because making an
 * RSA key takes as long as the rest of a test.
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
