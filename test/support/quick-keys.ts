/**
 * Replaces `src/keys/generate-key.ts` in tests: see `vitest.config.ts`. The RS256 keys are the keys of this test run, each
 * time with a new `kid`. Tests that import `generate-key.ts` themselves get the original.
 */
import { randomUUID } from 'node:crypto'
import * as original from '../../src/keys/generate-key.ts'
import { rsaKeys } from './rsa-keys.ts'

export * from '../../src/keys/generate-key.ts'

let next = 0

export async function generateSigningKey(alg: original.SigningAlgorithm): Promise<original.SigningJwk> {
  if (alg === 'ES256') return original.generateSigningKey(alg)
  const keys = await rsaKeys()
  next += 1
  return { ...(keys[next % keys.length] as original.SigningJwk), kid: randomUUID() }
}
