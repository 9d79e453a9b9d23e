import { errors, type Adapter, type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import type { Resource } from '../../../../catalog/resources.ts'
import { isPublicClient } from '../../../../clients/public-applications.ts'
import { ownerOf, revokeAfterRace, revokeReused } from '../../../../grants/refresh-tokens/revoke-reused.ts'
import type { FoundRefreshToken } from '../../../../grants/refresh-tokens/token-families.ts'
import { currentContext, getGrant, getRefreshToken, recordOf, requestState } from '../../request-state.ts'
import { getTokenScopes } from '../../delegated-scopes.ts'
import type { ProviderParts } from '../../dependencies.ts'
import type { ProviderResponse } from '../../fix-responses.ts'
import { isIgnoredScope, requestedScopes, requireUsableScope } from '../../requested-scope.ts'
import { otherResource } from '../../resource-indicator.ts'
import { requesterOf } from '../../../../audit/entry.ts'
import { modelAdapter, withoutId } from '../../models/adapter.ts'
import { isRotation, tokenAsIssued } from '../../seam/tokens.ts'
import { redeemCode, requireSameHostEpoch } from './authorization-code-grant.ts'

// A refresh (RFC 6749 6), step by step. oidc-provider calls the steps in this order.

/** 1. oidc-provider would reject standard scopes that this issuer and the token do not have. */
export function dropIgnoredScopes({ settings }: ProviderParts, params: Record<string, unknown>): void {
  const { scope } = params
  if (typeof scope !== 'string') return
  const scopes = requestedScopes(scope).filter((name) => !isIgnoredScope(name, settings.openIdScopes))
  params['scope'] = scopes.join(' ') || undefined
}

/**
 * 2. oidc-provider reads the refresh token. A valid token looks used if a paused store applied a write late, until that
 * write is rolled back. The wait for the rollback is expensive, so it starts only after the client has authenticated.
 */
async function findRefreshToken(
  parts: ProviderParts,
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
 * 3. oidc-provider has checked client, token, grant and account. A refresh without any scope is rejected
 * before the token is used up. The grant must live as long as the next token.
 */
export async function checkRefresh(parts: ProviderParts, ctx: KoaContextWithOIDC): Promise<true> {
  const { openIdScopes } = parts.settings
  const { Client: client, Grant: grant, RefreshToken: token } = ctx.oidc.entities
  if (!client || !grant || !token) throw new TypeError('this refresh lacks its client, grant or token')
  const resource = requireSameResource(parts, token.resource, ctx.oidc.params?.['resource'])

  const allowed = new Set([...openIdScopes, ...(await getTokenScopes(parts, ctx, client, resource))])
  const authorized = new Set(grant.getResourceScope(resource.address).split(' '))
  const wanted = ctx.oidc.params?.['scope'] ? ctx.oidc.requestParamScopes : token.scopes
  requireUsableScope([...wanted].filter((scope) => allowed.has(scope) && authorized.has(scope)))

  const stored = await getGrant(parts, ctx, grant.jti)
  requireSameHostEpoch(recordOf(client), stored?.record)
  if (await parts.grantLifecycle.extend(grant.jti, stored)) return true
  throw new errors.InvalidGrant('grant not found')
}

/** @throws invalid_target: a refresh may name the resource of its grant, but not change it */
function requireSameResource(
  { resources }: ProviderParts,
  granted: string | string[] | undefined,
  requested: unknown,
): Resource {
  const resource = resources.find(granted)
  if (!resource) throw new errors.InvalidTarget('the resource of this refresh token does not exist any more')
  if ([requested ?? resource.address].flat().every((each) => resources.find(each) === resource))
    return resource
  throw new errors.InvalidTarget(otherResource('refresh token', resource.address))
}

/**
 * 4. oidc-provider saves the next refresh token. One write exchanges the tokens, so exactly one is valid
 * after a failure.
 * @throws invalid_grant if the token was used since step 2: its grant is then revoked
 */
async function rotateRefreshToken(
  parts: ProviderParts,
  ctx: KoaContextWithOIDC,
  next: string,
  payload: AdapterPayload,
  ttl: number,
): Promise<void> {
  const { refreshToken, deadline, host } = requestState(ctx)
  const previous = await refreshToken?.found
  if (!previous) throw new TypeError('this request has not found the refresh token')
  const client = recordOf(ctx.oidc.client)
  parts.clientUsed(client, requestState(ctx).credential)
  const graceSeconds = isPublicClient(client) ? parts.settings.publicGraceSeconds : undefined
  const exchange = await parts.families.rotate(previous, next, payload, ttl, deadline, graceSeconds)
  if (!exchange) {
    // Another request used the token a moment ago: about one second.
    await revokeAfterRace(parts, 'refresh_token.reused', payload, requesterOf(host), 1)
    throw new errors.InvalidGrant('refresh token already used')
  }
  if (!exchange.isRetry) return
  requestState(ctx).repeatedRefreshToken = exchange.next
  parts.events.emit('refresh_token.retried', ownerOf(payload))
}

/** 5. A client that has retried the refresh gets the same refresh token as in the first response. */
export function repeatRefreshToken(ctx: ProviderResponse): void {
  const { repeatedRefreshToken } = requestState(ctx)
  const body = ctx.body as { refresh_token?: string } | undefined
  if (repeatedRefreshToken === undefined || body?.refresh_token === undefined) return
  ctx.body = { ...body, refresh_token: repeatedRefreshToken }
}

/**
 * Refresh tokens, stored as families. oidc-provider first consumes a token, and then saves the next token. A failure
 * in between would leave the client without a valid token, so one write in `upsert` does both.
 */
export function refreshTokens(parts: ProviderParts): Adapter {
  function find(ctx: KoaContextWithOIDC, token: string) {
    const { route } = ctx.oidc
    if (route === 'introspection') return getRefreshToken(parts, ctx, token)
    return route === 'revocation' ? parts.families.find(token) : findRefreshToken(parts, ctx, token)
  }

  return modelAdapter('RefreshToken', {
    async upsert(token, payload, ttl = 0) {
      const ctx = currentContext()
      if (isRotation(ctx)) await rotateRefreshToken(parts, ctx, token, withoutId(payload), ttl)
      else await redeemCode(parts, ctx, token, withoutId(payload), ttl)
    },

    async find(value) {
      const ctx = currentContext()
      const found = await find(ctx, tokenAsIssued(ctx, value))
      if (!found) return undefined
      // The previous token is not active, although the client can send it again within the grace period.
      const isConsumed =
        ctx.oidc.route === 'introspection' ? found.state !== 'current' : found.state === 'used'
      // The ID token of a refresh has no `nonce` (OpenID Connect Core 12.2).
      return { ...found.payload, jti: value, consumed: isConsumed || undefined, nonce: undefined }
    },

    consume: async () => {},

    /** For a token that was used before (RFC 9700 4.14.2), and a token that its client revokes. */
    async destroy() {
      const ctx = currentContext()
      const { route, entities } = ctx.oidc
      const { RefreshToken: token } = entities
      if (!token) throw new TypeError('this request has not found the refresh token')
      const { host, refreshToken } = requestState(ctx)
      if (route !== 'token') {
        const owner = ownerOf(token)
        const reason = 'client-revoked-token'
        return parts.revokeGrant(owner.grantId, {
          name: 'grant.revoked',
          ...owner,
          ...requesterOf(host),
          reason,
        })
      }
      const { afterSeconds } = (await refreshToken?.found) ?? {}
      await revokeReused(parts, 'refresh_token.reused', token, requesterOf(host), afterSeconds)
    },

    revokeByGrantId: async () => {},
  })
}
