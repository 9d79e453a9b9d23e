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

async function makeTwo(): Promise<SigningJwk[]> {
  // This import is not at the top of the file, because the mock of `generate-key` imports this file.
  const { generateSigningKey } = await import('../../src/keys/generate-key.ts')
  return Promise.all([generateSigningKey('RS256'), generateSigningKey('RS256')])
}
