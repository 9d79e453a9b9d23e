import type { SigningJwk } from '../../src/keys/generate-key.ts'

const VARIABLE = 'KOA_GATEHOUSE_TEST_RSA_KEYS'

/** Before the workers start, which inherit it: two keys for RS256, since making one takes as long as a small test. */
export default async function provideRsaKeys(): Promise<void> {
  process.env[VARIABLE] ??= JSON.stringify(await makeTwo())
}

/** Two keys for RS256, the same in a whole run. */
export async function rsaKeys(): Promise<SigningJwk[]> {
  const provided = process.env[VARIABLE]
  if (provided === undefined) throw new Error('the global set-up of the tests has not run')
  return JSON.parse(provided) as SigningJwk[]
}

async function makeTwo(): Promise<SigningJwk[]> {
  // Not at the top, since what takes the place of that module imports this file.
  const { generateSigningKey } = await import('../../src/keys/generate-key.ts')
  return Promise.all([generateSigningKey('RS256'), generateSigningKey('RS256')])
}
