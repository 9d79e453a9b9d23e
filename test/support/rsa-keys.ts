import type { SigningJwk } from '../../src/keys/generate-key.ts'

const VARIABLE = 'KOA_GATEHOUSE_TEST_RSA_KEYS'

/** Before the workers start, which inherit it: two keys for RS256, since making one takes as long as a small test. */
export default async function provideRsaKeys(): Promise<void> {
  process.env[VARIABLE] = JSON.stringify(await makeTwo())
}

/** Two keys for RS256, the same in a whole run. */
export async function rsaKeys(): Promise<SigningJwk[]> {
  const provided = process.env[VARIABLE]
  return provided === undefined ? makeTwo() : (JSON.parse(provided) as SigningJwk[])
}

async function makeTwo(): Promise<SigningJwk[]> {
  // Not at the top: where this is asked for by what takes the place of that module, each would wait for the other.
  const { generateSigningKey } = await import('../../src/keys/generate-key.ts')
  return Promise.all([generateSigningKey('RS256'), generateSigningKey('RS256')])
}
