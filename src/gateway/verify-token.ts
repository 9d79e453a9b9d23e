import type { JWTPayload, JWTVerifyGetKey } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import * as errors from 'jose/errors'
import { decodeJwt } from 'jose/jwt/decode'
import { jwtVerify } from 'jose/jwt/verify'
import { NOT_BEFORE_TOLERANCE_SECONDS } from '../async/clock-tolerances.ts'
import type { Resources } from '../catalog/resources.ts'
import { GatehouseError } from '../errors.ts'
import { isText } from '../validation/predicates.ts'
import {
  countRule,
  findProblems,
  oneOf,
  optional,
  stringRule,
  textRule,
  type Fields,
} from '../validation/rules.ts'
import { MAX_TOKEN_LENGTH } from './bearer-token.ts'
import { createOwnTokenReader, hasValidSignature } from './verify-own-token.ts'
import { toVerifiedToken, type AccessTokenClaims, type VerifiedToken } from './principal.ts'
import type { InvalidToken } from './token-problem.ts'

export type VerifyToken = (token: string) => Promise<VerifiedToken | InvalidToken>

/** The algorithm is never read from the token (RFC 8725 3.1). */
const ALGORITHMS = ['ES256']
/** Distinguishes access tokens from ID tokens (RFC 9068 2.1). jose also accepts `application/at+jwt`. */
const TYPE = 'at+jwt'
/** RFC 9068 2.2, and our own claims that decide about access. */
const REQUIRED_CLAIMS = 'iss exp aud sub client_id iat jti access_mode account_id access_epoch'.split(' ')
/** Without clock tolerance, so no token is accepted after its `exp`. Both are epoch seconds. */
export function isExpired(expiresAt: number, now: number): boolean {
  return now >= expiresAt
}

/**
 * Creates the verifier of RFC 9068 4 for one issuer and one audience. `typ` is checked first, so that an ID token is
 * rejected before its key is looked up. Rejects with `ERR_NOT_READY` if the keys are unavailable: the token may be
 * valid.
 */
export function createTokenVerifier(options: {
  readonly issuer: string
  readonly audience: string
  readonly getKey: JWTVerifyGetKey
  /** Milliseconds since the epoch. @default the clock of this process */
  readonly now?: (() => number) | undefined
}): VerifyToken {
  const { now = () => Date.now() } = options
  const getKey = distinguishFailures(options.getKey)
  const readOwnToken = createOwnTokenReader(options)
  const rules = {
    algorithms: ALGORITHMS,
    issuer: options.issuer,
    audience: options.audience,
    typ: TYPE,
    requiredClaims: REQUIRED_CLAIMS,
    clockTolerance: NOT_BEFORE_TOLERANCE_SECONDS,
  }

  return async function verifyToken(token) {
    // A token in a request body may be longer than any header, and parsing a token of 56 kB takes 20 ms.
    if (token.length > MAX_TOKEN_LENGTH) return { problem: 'too-long' }
    try {
      const own = readOwnToken(token)
      const accepted = own && acceptClaims(own.claims, own.header.kid, now())
      // If the claims have a problem, the order of jose's checks decides which problem is reported.
      if (own !== undefined && accepted !== undefined && !('problem' in accepted)) {
        const isSigned = await hasValidSignature(own, getKey)
        if (isSigned !== undefined) return isSigned ? accepted : { problem: 'wrong-signature' }
      }
      // Decoders ignore white space, so a token in a form could have many spellings (RFC 7515 2).
      if (/\s/.test(token)) return { problem: 'malformed' }
      const { typ, kid } = decodeProtectedHeader(token)
      const isAccessToken =
        typeof typ === 'string' && typ.toLowerCase().replace(/^application\//, '') === TYPE
      if (!isAccessToken) return { problem: 'not-access-token' }
      // jose would try the only published key. Without the id, revoked keys could not be found.
      if (!isText(kid)) return { problem: 'no-key-id', also: alsoWrong(token, options) }
      const { payload } = await jwtVerify(token, getKey, { ...rules, currentDate: new Date(now()) })
      return acceptClaims(payload, kid, now())
    } catch (error) {
      if (error instanceof GatehouseError) throw error
      return describeError(error, () => alsoWrong(token, options))
    }
  }
}

function acceptClaims(claims: JWTPayload, keyId: string, now: number): VerifiedToken | InvalidToken {
  // The caller would have to prove that it has the key in `cnf` (RFC 7800 3.1, RFC 9449 7.1).
  if (claims['cnf'] !== undefined) return { problem: 'bound-to-key' }
  const [invalid] = findProblems(claims, CLAIM_RULES)
  if (invalid !== undefined) return { problem: 'wrong-claim', claim: invalid.path }
  const checked = claims as AccessTokenClaims
  if (isExpired(checked.exp, now / 1000)) return { problem: 'expired', clientId: checked.client_id }
  return toVerifiedToken(checked, keyId)
}

const CLAIM_RULES: Fields = {
  allowed_networks: optional(textRule),
  sub: textRule,
  client_id: textRule,
  jti: textRule,
  scope: optional(stringRule),
  access_mode: oneOf('direct', 'delegated'),
  account_id: textRule,
  user_id: optional(textRule),
  grant_id: optional(textRule),
  access_epoch: countRule,
  catalog_epoch: optional(countRule),
}

/** A token with an unknown key is invalid. After any other error of `getKey`, the token may be valid. */
function distinguishFailures(getKey: JWTVerifyGetKey): JWTVerifyGetKey {
  return async function getKeyOrFail(header, token) {
    try {
      return await getKey(header, token)
    } catch (cause) {
      if (isUnknownKey(cause)) throw cause
      throw new GatehouseError('ERR_NOT_READY', 'the keys of access tokens are unavailable', { cause })
    }
  }
}

function isUnknownKey(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys
}

function describeError(error: unknown, also: () => InvalidToken['also']): InvalidToken {
  if (error instanceof errors.JWTExpired) {
    // jose checks the signature before the times.
    const { client_id: clientId } = error.payload
    return { problem: 'expired', clientId: isText(clientId) ? clientId : undefined }
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim } = error
    if (claim === 'iss') return { problem: 'wrong-issuer' }
    if (claim === 'aud') return { problem: 'wrong-audience' }
    if (claim === 'nbf') return { problem: 'not-valid-yet' }
    return { problem: 'missing-claim', claim }
  }
  if (isUnknownKey(error)) return { problem: 'unknown-key', also: also() }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return { problem: 'wrong-signature', also: also() }
  if (error instanceof errors.JOSEAlgNotAllowed) return { problem: 'wrong-algorithm', also: also() }
  return { problem: 'malformed', also: also() }
}

function alsoWrong(
  token: string,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
): InvalidToken['also'] {
  try {
    const { alg } = decodeProtectedHeader(token)
    if (!isText(alg) || alg.toLowerCase() === 'none') return 'unsigned'
    const { iss, aud } = decodeJwt(token)
    if (iss !== issuer) return 'wrong-issuer'
    return [aud].flat().includes(audience) ? undefined : 'wrong-audience'
  } catch {
    return undefined
  }
}

/** Verifies the tokens for several resources. The unverified `aud` of a token only selects the verifier. */
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

function audienceOf(token: string): unknown {
  try {
    return token.length > MAX_TOKEN_LENGTH ? undefined : decodeJwt(token).aud
  } catch {
    return undefined
  }
}
