import { generateKeyPair, importJWK, type GenerateKeyPairResult, type JWK } from 'jose'
import type { SigningJwk } from '../../src/keys/generate-key.ts'

const VARIABLE = 'KOA_GATEHOUSE_TEST_RSA_KEYS'

/** Makes two RS256 keys that all workers inherit, because making a key takes as long as a small test. */
export default async function provideRsaKeys(): Promise<void> {
  process.env[VARIABLE] ??= JSON.stringify(await makeTwo())
}

/** Returns two RS256 keys, which are the same for all tests of a test run. */
export async function rsaKeys(): Promise<SigningJwk[]> {
  const provided = process.env[VARIABLE]
  if (provided === undefined) throw new Error('the global set-up of the tests has not run')
  return JSON.parse(provided) as SigningJwk[]
}

/** Generates a pair of extractable keys, as `generateKeyPair` of jose does, but with one of the two RSA keys of the run. */
export async function keyPairOf(alg: string): Promise<GenerateKeyPairResult> {
  if (!/^[RP]S/.test(alg)) return generateKeyPair(alg, { extractable: true })
  const [jwk] = await rsaKeys()
  const { kty, n, e } = jwk as JWK
  const [privateKey, publicKey] = await Promise.all(
    [
      { ...jwk, alg, kid: undefined },
      { kty, n, e },
    ].map((key) => importJWK(key as JWK, alg, { extractable: true })),
  )
  return { privateKey, publicKey } as GenerateKeyPairResult
}

async function makeTwo(): Promise<SigningJwk[]> {
  // This import is not at the top of the file, because the mock of `generate-key` imports this file.
  const { generateSigningKey } = await import('../../src/keys/generate-key.ts')
  return Promise.all([generateSigningKey('RS256'), generateSigningKey('RS256')])
}
