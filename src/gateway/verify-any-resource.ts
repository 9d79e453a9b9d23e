import { decodeJwt } from 'jose/jwt/decode'
import type { Resources } from '../catalog/resources.ts'
import { MAX_TOKEN_LENGTH } from './bearer-token.ts'
import { createTokenVerifier, type VerifyToken } from './verify-token.ts'

/**
 * Creates a verifier of the tokens for several resources. The unverified `aud` of a token only selects the verifier,
 * which then checks the whole token. A token for any other resource is rejected.
 */
export function createVerifierOfResources(
  { all: [main, ...others] }: Pick<Resources, 'all'>,
  options: Omit<Parameters<typeof createTokenVerifier>[0], 'audience'>,
): VerifyToken {
  const verifyMain = createTokenVerifier({ ...options, audience: main.address })
  if (others.length === 0) return verifyMain
  const verifiers = new Map<unknown, VerifyToken>(
    others.map(({ address }) => [address, createTokenVerifier({ ...options, audience: address })]),
  )
  return (token) => (verifiers.get(audienceOf(token)) ?? verifyMain)(token)
}

/** The unverified `aud` of a token; undefined if it is unreadable. */
function audienceOf(token: string): unknown {
  try {
    return token.length > MAX_TOKEN_LENGTH ? undefined : decodeJwt(token).aud
  } catch {
    return undefined
  }
}
