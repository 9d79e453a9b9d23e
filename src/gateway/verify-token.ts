import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import { GatehouseError } from '../errors.ts'
import { isCount, isText } from '../validation/predicates.ts'
import { createPrincipal, type AccessTokenClaims, type Principal, type SignalOf } from './principal.ts'

/** Why a token is not accepted, for `error_description` of `invalid_token`. Never quotes the token. */
export interface InvalidToken {
  readonly problem: string
}

/** Whether a token is good, and for whom it speaks. */
export type VerifyToken = (token: string) => Promise<Principal | InvalidToken>

/** The one algorithm of access tokens. Never taken from the token itself (RFC 8725 3.1). */
const ALGORITHMS = ['ES256']
/** What tells an access token from an ID token (RFC 9068 2.1); jose takes `application/at+jwt` for the same. */
const TYPE = 'at+jwt'
/** RFC 9068 2.2, and what of our own claims decides about access. */
const REQUIRED_CLAIMS = [
  'iss',
  'exp',
  'aud',
  'sub',
  'client_id',
  'iat',
  'jti',
  'access_mode',
  'account_id',
  'access_epoch',
]
/**
 * Seconds by which the clock of the authorization service may be ahead of ours, so that a token is good in the
 * moment it is issued (`nbf`). Its end has no tolerance: `isExpired` is exact, because `expires_in` is a promise,
 * and a client that is told 401 a moment early simply gets a new token.
 */
const CLOCK_TOLERANCE = 5

/** Whether the life of a token is over. Both times in epoch seconds. */
export function isExpired(expiresAt: number, now: number): boolean {
  return now >= expiresAt
}

/** Why an expired token is rejected, and what to do. */
export const EXPIRED: InvalidToken = { problem: 'the access token has expired; get a new one' }

/** Why a revoked token is rejected. */
export const REVOKED: InvalidToken = { problem: 'the access token has been revoked' }

/**
 * Makes the check of RFC 9068 4 for one issuer and one audience. The checks come in the RFC's order as far as
 * it matters: what a token says it is (`typ`) comes first, so that an ID token is rejected before anybody
 * looks for a key; signature, issuer, audience and time are then jose's.
 *
 * @returns a function that rejects with {@link GatehouseError} `ERR_NOT_READY` if the keys could not be looked
 *   at, which says nothing about the token
 */
export function createTokenVerifier(options: {
  readonly issuer: string
  readonly audience: string
  readonly getKey: JWTVerifyGetKey
  /** Finds the signals of principals, where they are offered. */
  readonly signalOf?: SignalOf | undefined
}): VerifyToken {
  const getKey = distinguishFailures(options.getKey)
  const rules = {
    algorithms: ALGORITHMS,
    issuer: options.issuer,
    audience: options.audience,
    typ: TYPE,
    requiredClaims: REQUIRED_CLAIMS,
    clockTolerance: CLOCK_TOLERANCE,
  }

  return async function verifyToken(token) {
    try {
      const { typ, kid } = decodeProtectedHeader(token)
      if (!isAccessTokenType(typ)) return NOT_AN_ACCESS_TOKEN
      // The only key there is would be tried, and whether that was revoked is asked by its id.
      if (typeof kid !== 'string' || kid === '') return NO_KEY_ID
      const { payload } = await jwtVerify(token, getKey, rules)
      return acceptClaims(payload, kid, options.signalOf)
    } catch (error) {
      if (error instanceof GatehouseError) throw error
      return { problem: describe(error) }
    }
  }
}

const NOT_AN_ACCESS_TOKEN: InvalidToken = { problem: `the token is not an access token (typ is not ${TYPE})` }

const NO_KEY_ID: InvalidToken = { problem: 'the access token does not name the key that signed it (kid)' }

function isAccessTokenType(typ: unknown): boolean {
  return typeof typ === 'string' && typ.toLowerCase().replace(/^application\//, '') === TYPE
}

/** Checks what jose does not know of, and makes the principal. */
function acceptClaims(claims: JWTPayload, keyId: string, signalOf?: SignalOf): Principal | InvalidToken {
  // A sender-constrained token proves nothing without the key it is bound to (RFC 7800 3.1, RFC 9449 7.1).
  if (claims['cnf'] !== undefined)
    return { problem: 'the access token is bound to a key (cnf), and no proof is accepted' }
  const wrong = WELL_FORMED.find(([name, isRight]) => !isRight(claims[name]))
  if (wrong !== undefined) return { problem: `the access token has a wrong ${wrong[0]} claim` }
  const checked = claims as AccessTokenClaims
  if (isExpired(checked.exp, Date.now() / 1000)) return EXPIRED
  return createPrincipal(checked, keyId, signalOf)
}

const isOptional = (isRight: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || isRight(value)

const WELL_FORMED: readonly (readonly [name: string, isRight: (value: unknown) => boolean])[] = [
  ['sub', isText],
  ['client_id', isText],
  ['jti', isText],
  ['scope', isOptional((value) => typeof value === 'string')],
  ['access_mode', (value) => value === 'direct' || value === 'delegated'],
  ['account_id', isText],
  ['user_id', isOptional(isText)],
  ['grant_id', isOptional(isText)],
  ['access_epoch', isCount],
  ['catalog_epoch', isOptional(isCount)],
]

/**
 * Keeps "there is no such key" (the token is bad) apart from "the keys are out of reach" (we are): jose lets both
 * through as they come.
 */
function distinguishFailures(getKey: JWTVerifyGetKey): JWTVerifyGetKey {
  return async function getKeyOrFail(header, token) {
    try {
      return await getKey(header, token)
    } catch (cause) {
      if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys)
        throw cause
      throw new GatehouseError('ERR_NOT_READY', 'the keys of access tokens are out of reach', { cause })
    }
  }
}

function describe(error: unknown): string {
  if (error instanceof errors.JWTExpired) return EXPIRED.problem
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return 'the access token is signed with an unknown key'
  }
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return 'the signature of the access token is wrong'
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `the access token is not signed with ${ALGORITHMS.join()}`
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return 'the access token is from another issuer'
    if (error.claim === 'aud') return 'the access token is for another audience'
    if (error.claim === 'nbf') return 'the access token is not valid yet'
    return `the access token has no ${error.claim} claim, or a wrong one`
  }
  return 'the access token is malformed'
}
