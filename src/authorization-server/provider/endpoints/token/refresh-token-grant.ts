import { errors, type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import type { FoundRefreshToken } from '../../../../grants/refresh-tokens/token-families.ts'
import { recordOf, getGrant, getRefreshToken, requestState } from '../../request-state.ts'
import { getTokenScopes, requireSomethingLeft } from '../../delegated-scopes.ts'
import type { ProviderParts } from '../../dependencies.ts'
import type { ProviderResponse } from '../../fix-responses.ts'
import { isIgnoredScope, requestedScopes } from '../../requested-scope.ts'
import { requireKnownResource } from '../../resource-indicator.ts'
import { ownerOf, revokeAfterRace } from './reuse.ts'

// A refresh (RFC 6749 6), step by step. oidc-provider calls the steps in this order.

/**
 * 1. The client has authenticated. Standard scopes that this issuer does not have are dropped, as in an
 * authorization request. If they stayed, oidc-provider would reject the request, because the refresh token
 * does not carry them.
 */
export function dropIgnoredScopes(
  { settings }: Pick<ProviderParts, 'settings'>,
  params: Record<string, unknown>,
): void {
  const { scope } = params
  if (typeof scope !== 'string') return
  const scopes = requestedScopes(scope).filter((name) => !isIgnoredScope(name, settings.openIdScopes))
  params['scope'] = scopes.join(' ') || undefined
}

/**
 * 2. oidc-provider reads the refresh token, whose family is usually prefetched. A valid token looks used if a
 * paused store applied a write late, and the rollback of that write is still pending. This function waits for
 * the rollback. The wait is expensive, so it starts only after the client has authenticated.
 */
export async function findRefreshToken(
  parts: Pick<ProviderParts, 'families' | 'refreshTokenFormat' | 'grantLifecycle'>,
  ctx: KoaContextWithOIDC,
  token: string,
): Promise<FoundRefreshToken | undefined> {
  const found = await getRefreshToken(parts, ctx, token)
  if (found?.state !== 'used') return found
  const state = requestState(ctx)
  const polled = parts.families.findForRotation(token, state.deadline)
  state.refreshToken = { token, found: polled }
  return polled
}

/**
 * 3. oidc-provider has checked the client, token, grant and account. A refresh that would produce no scope is
 * rejected before the token is used up. The lifetime of the grant is extended, so that the grant lives as
 * long as the next token.
 *
 * @returns true: every refresh token is rotated
 */
export async function checkRefresh(
  parts: Pick<
    ProviderParts,
    'settings' | 'catalog' | 'accountLookup' | 'isGrantScopeRevoked' | 'grantLifecycle'
  >,
  ctx: KoaContextWithOIDC,
): Promise<true> {
  const { audience, openIdScopes } = parts.settings
  const { Client: client, Grant: grant, RefreshToken: token } = ctx.oidc.entities
  if (!client || !grant || !token) throw new TypeError('this refresh lacks its client, grant or token')
  requireKnownResource(ctx.oidc.params?.['resource'], audience)

  const allowed = new Set([...openIdScopes, ...(await getTokenScopes(parts, ctx, client))])
  const authorized = new Set(grant.getResourceScope(audience).split(' '))
  const wanted = ctx.oidc.params?.['scope'] ? ctx.oidc.requestParamScopes : token.scopes
  requireSomethingLeft([...wanted].filter((scope) => allowed.has(scope) && authorized.has(scope)))

  if (await parts.grantLifecycle.extend(grant.jti, await getGrant(parts, ctx, grant.jti))) return true
  throw new errors.InvalidGrant('grant not found')
}

/**
 * 4. oidc-provider saves the next refresh token. One write exchanges the old token for the new token, so
 * after a failure one of the two tokens is still valid. The use of the client is recorded in the same round
 * trip.
 *
 * @throws invalid_grant if another request has used the token since step 2. In this case this function
 *   revokes the grant
 */
export async function rotateRefreshToken(
  parts: Pick<ProviderParts, 'families' | 'clientUsed' | 'events' | 'revokeGrant'>,
  ctx: KoaContextWithOIDC,
  next: string,
  payload: AdapterPayload,
  ttl: number,
): Promise<void> {
  const { refreshToken, deadline } = requestState(ctx)
  const previous = await refreshToken?.found
  if (!previous) throw new TypeError('this request has not found the refresh token')
  parts.clientUsed(recordOf(ctx.oidc.client))
  const exchange = await parts.families.rotate(previous, next, payload, ttl, deadline)
  if (!exchange) {
    await revokeAfterRace(parts, 'refresh_token.reused', payload)
    throw new errors.InvalidGrant('refresh token already used')
  }
  if (!exchange.isRetry) return
  requestState(ctx).repeatedRefreshToken = exchange.next
  parts.events.emit('refresh_token.retried', ownerOf(payload))
}

/**
 * 5. oidc-provider has written the response. If the client has retried the refresh, the response gets the
 * same refresh token as the first response.
 */
export function repeatRefreshToken(ctx: ProviderResponse): void {
  const { repeatedRefreshToken } = requestState(ctx)
  const body = ctx.body as { refresh_token?: string } | undefined
  if (repeatedRefreshToken === undefined || body?.refresh_token === undefined) return
  ctx.body = { ...body, refresh_token: repeatedRefreshToken }
}
