import { randomUUID } from 'node:crypto'
import type * as Keys from '../../src/keys/generate-key.ts'
import { rsaKeys } from './rsa-keys.ts'

/**
 * The module of new keys, for `vi.mock`, where making an RSA key again and again would take as long as the rest of a
 * test: those for RS256 differ in their names only.
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
