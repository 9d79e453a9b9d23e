import type { RevocableToken } from '../revocation/revocation.ts'
import { onlyBearerToken, readBearerToken, type BearerRequest } from './bearer-token.ts'
import type { GatewayDependencies } from './dependencies.ts'
import { createPrincipal, isPrincipalOf, type Principal, type VerifiedToken } from './principal.ts'
import type { FirstLoad } from './first-load.ts'
import type { ErrorResponse, ErrorResponses } from './error-responses.ts'
import { createVerifiedTokens } from './verified-tokens.ts'
import { createTokenVerifier, isExpired } from './verify-token.ts'

export interface Authorized {
  readonly ok: true
  readonly principal: Principal
}

/** Verifies a bearer token, or finds it in the cache, and checks expiry, revocation, scopes and address. */
export function createAuthorizer(
  dependencies: GatewayDependencies,
  errorResponses: ErrorResponses,
  firstLoad: Pick<FirstLoad, 'isReady' | 'soonReady'>,
) {
  const { issuer, audience, getKey, revocations, maxCachedTokens, proxyCheck, logger } = dependencies
  const toPrincipal = (verified: VerifiedToken, token: string) =>
    createPrincipal(verified, token, dependencies)
  const verifyToken = createTokenVerifier({ issuer, audience, getKey })
  const verifiedTokens = createVerifiedTokens(verifyToken, toPrincipal, maxCachedTokens)

  /** The principal as `token` is slower, because it must first decode its token. */
  function authorizePrincipal(
    principal: Principal,
    scopes: readonly string[],
    token: RevocableToken = principal,
  ): Authorized | ErrorResponse {
    const { clientId } = principal
    if (isExpired(principal.expiresAt, Date.now() / 1000))
      return errorResponses.invalidToken({ problem: 'expired', clientId })
    if (revocations.mustReject) return errorResponses.unavailable()
    if (revocations.isTokenRevoked(token))
      return errorResponses.invalidToken({ problem: 'revoked', clientId })
    const missing = scopes.filter((scope) => !principal.has(scope))
    if (missing.length > 0) return errorResponses.insufficientScope(clientId, scopes, missing)
    return { ok: true, principal }
  }

  function authorize(
    principal: Principal,
    verified: VerifiedToken,
    scopes: readonly string[],
    address: string | undefined,
  ): Authorized | ErrorResponse {
    const outcome = authorizePrincipal(principal, scopes, verified)
    const { networks } = verified
    const isAllowed = !outcome.ok || networks === undefined || proxyCheck.mayUseFrom(networks, address)
    return isAllowed ? outcome : errorResponses.addressNotAllowed(principal.clientId, address)
  }

  /** Never rejects. */
  async function authorizeToken(
    request: BearerRequest,
    scopes: readonly string[],
  ): Promise<Authorized | ErrorResponse> {
    const { token, problem } = readBearerToken(request)
    const { address } = request
    if (problem !== undefined) return errorResponses.invalidRequest(problem)
    if (token === undefined) return errorResponses.missingToken(scopes)
    if (!firstLoad.isReady && !(await firstLoad.soonReady())) return errorResponses.unavailable()

    try {
      if (revocations.mustReject) await revocations.catchUp()
      const known = verifiedTokens.get(token)
      if (known !== undefined) return authorize(known.principal, known.verified, scopes, address)
      const verified = await verifiedTokens.verify(token)
      if ('problem' in verified) return errorResponses.invalidToken(verified)
      return authorize(toPrincipal(verified, token), verified, scopes, address)
    } catch (error) {
      // The check failed, so nothing is known about the token.
      logger.error({ err: error }, 'an access token could not be checked')
      return errorResponses.unavailable()
    }
  }

  return {
    authorizeToken,
    authorizePrincipal,
    /** Accepts a valid cached token that carries `scope`, without a wait. Undefined if `authorizeToken` must decide. */
    acceptCachedToken(rawHeaders: readonly string[], scope: string): Principal | undefined {
      const token = onlyBearerToken(rawHeaders)
      const known = token === undefined ? undefined : verifiedTokens.get(token)
      if (known === undefined || !known.verified.has(scope)) return undefined
      // `authorizeToken` must check the address of the caller.
      if (known.verified.networks !== undefined) return undefined
      if (revocations.mustReject || revocations.isTokenRevoked(known.verified)) return undefined
      return known.principal
    },
    isOwn: (principal: unknown): principal is Principal => isPrincipalOf(principal, dependencies),
  }
}
