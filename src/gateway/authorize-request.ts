import { readBearerToken, type BearerRequest } from './bearer-token.ts'
import type { GatewayDependencies } from './dependencies.ts'
import type { Principal, SignalOf } from './principal.ts'
import type { Readiness } from './readiness.ts'
import type { ErrorResponse, ErrorResponses } from './error-responses.ts'
import { createVerifiedTokens } from './verified-tokens.ts'
import { createTokenVerifier, EXPIRED, isExpired, REVOKED } from './verify-token.ts'

/** A request that is let through. */
export interface Admitted {
  readonly ok: true
  readonly principal: Principal
}

/** Decides about requests by their tokens. */
export interface AuthorizeRequest {
  /** Lets a request through if its token is good and carries all of `scopes`. Never rejects. */
  admit(request: BearerRequest, scopes: readonly string[]): Promise<Admitted | ErrorResponse>
  /** Whether this admission made the principal: anybody can put something into `ctx.state.auth`. */
  isOurs(principal: unknown): principal is Principal
  /**
   * Lets somebody through who is known already, if their token is good now and carries all of `scopes`: it may have
   * expired or been revoked since.
   */
  authorize(principal: Principal, scopes: readonly string[]): Admitted | ErrorResponse
}

/** Makes the admission to one API: bearer token → cache or verify → revoked? → has its scopes? */
export function createAuthorizeRequest(
  dependencies: GatewayDependencies,
  errorResponses: ErrorResponses,
  readiness: Pick<Readiness, 'isReady' | 'soonReady'>,
  signalOf: SignalOf,
): AuthorizeRequest {
  const { issuer, audience, getKey, revocations, tokenCacheBytes, logger } = dependencies
  const verifiedTokens = createVerifiedTokens(
    createTokenVerifier({ issuer, audience, getKey, signalOf }),
    tokenCacheBytes,
  )
  const ours = new WeakSet<object>()

  function authorize(principal: Principal, scopes: readonly string[]): Admitted | ErrorResponse {
    if (isExpired(principal.expiresAt, Date.now() / 1000)) return errorResponses.invalidToken(EXPIRED.problem)
    if (revocations.mustReject) return errorResponses.unavailable()
    if (revocations.isRevoked(principal)) return errorResponses.invalidToken(REVOKED.problem)
    const missing = scopes.filter((scope) => !principal.has(scope))
    return missing.length === 0 ? { ok: true, principal } : errorResponses.insufficientScope(scopes, missing)
  }

  return {
    authorize,

    isOurs(principal): principal is Principal {
      return typeof principal === 'object' && principal !== null && ours.has(principal)
    },

    async admit(request, scopes) {
      const { token, problem } = readBearerToken(request)
      if (problem !== undefined) return errorResponses.invalidRequest(problem)
      if (token === undefined) return errorResponses.missingToken(scopes)
      if (!readiness.isReady && !(await readiness.soonReady())) return errorResponses.unavailable()

      try {
        const known = verifiedTokens.recall(token)
        const principal = known ?? (await verifiedTokens.verify(token))
        if ('problem' in principal) return errorResponses.invalidToken(principal.problem)
        if (known === undefined) ours.add(principal)
        return authorize(principal, scopes)
      } catch (error) {
        // Whatever failed, it was not the token.
        logger.error({ err: error }, 'an access token could not be checked')
        return errorResponses.unavailable()
      }
    },
  }
}
