import {
  errors,
  type Client,
  type Configuration,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider'
import { requesterOf } from '../../../audit/entry.ts'
import { networksClaim } from '../../../clients/allowed-addresses.ts'
import type { Client as ClientRecord } from '../../../clients/client.ts'
import { whyNotAuthenticated, type NoTokenReason } from '../../../clients/why-no-token.ts'
import type { GatehouseEvents } from '../../../host/events.ts'
import { describeAddress } from '../../../http/client-address.ts'
import { personOf, type Person } from '../../../host/subject.ts'
import { recordOf, requestState } from '../request-state.ts'
import type { ProviderParts, SharedDependencies } from '../dependencies.ts'
import { descriptionOf, errorOf, type ProviderResponse } from '../fix-responses.ts'
import { requireUsableScope } from '../requested-scope.ts'
import { otherResource } from '../resource-indicator.ts'
import { reasonOf } from '../resource-access.ts'
import { fillInRedirectUri } from './token/authorization-code-grant.ts'
import { delegatedClaims } from './token/access-token-claims.ts'

// The token endpoint (RFC 6749 3.2). Each grant type has its own file in `token/`.

/** Options of oidc-provider for code exchanges and first refresh tokens. */
export function tokenOptions() {
  return {
    // No refresh token expires with the browser session.
    issueRefreshToken: async () => true,
    expiresWithSession: async () => false,
    // We revoke grants ourselves, in an order that survives failures (`grants/revoke-grants.ts`).
    revokeGrantPolicy: async () => false,
    // Relies on: in a code exchange, this hook is the last call before the code is used up.
    extraTokenClaims: async (ctx, token) => {
      // If the scope is empty, oidc-provider splits it into one empty name, which is removed here.
      requireUsableScope([...token.scopes].filter(Boolean))
      const { catalogEpoch } = requestState(ctx)
      if (token.kind !== 'AccessToken') throw new TypeError('this token is issued without oidc-provider')
      const person = personOf(token.accountId)
      return delegatedClaims(recordOf(token.client), person, token.grantId, catalogEpoch)
    },
  } satisfies Configuration
}

export async function completeTokenRequest(parts: ProviderParts, ctx: KoaContextWithOIDC, client: Client) {
  const { route, params } = ctx.oidc
  if (route !== 'token' || !params) return
  requireAllowedAddress(parts, ctx, recordOf(client))
  if (params['grant_type'] === 'authorization_code') await fillInRedirectUri(parts, ctx, client, params)
}

/** @throws unauthorized_client */
function requireAllowedAddress({ proxyCheck }: ProviderParts, ctx: KoaContextWithOIDC, client: ClientRecord) {
  const networks = networksClaim(client)
  const { address } = requesterOf(requestState(ctx).host)
  if (networks === undefined || proxyCheck.mayUseFrom(networks, address)) return
  throw new errors.UnauthorizedClient(describeAddress(address), 'address')
}

/** Relies on: after client authentication, oidc-provider checks the grant type first: `invalid_request` if denied. */
function explainGrantType(ctx: ProviderResponse): void {
  const grantType = ctx.oidc.params?.['grant_type']
  if (errorOf(ctx) !== 'invalid_request' || typeof grantType !== 'string') return
  if (ctx.oidc.client?.grantTypeAllowed(grantType) !== false) return
  ctx.body = {
    error: 'unauthorized_client',
    error_description:
      'API keys use client_credentials; applications use authorization_code and refresh_token, and need a redirect URI',
  }
}

/** Relies on: oidc-provider sets the entity of the code, compares the resources, and consumes the code. */
function explainOtherResource(ctx: ProviderResponse): void {
  const { resource } = ctx.oidc.entities.AuthorizationCode ?? {}
  const requested = [ctx.oidc.params?.['resource'] ?? []].flat()
  if (errorOf(ctx) !== 'invalid_target' || typeof resource !== 'string') return
  if (requested.every((each) => each === resource)) return
  ctx.body = { error: 'invalid_target', error_description: otherResource('authorization code', resource) }
}

/** @param token.lifetime in seconds */
export function reportToken(
  { events }: SharedDependencies,
  mode: 'direct' | 'delegated',
  { clientId }: ClientRecord,
  { accountId, userId }: Person,
  token: {
    readonly tokenId: string
    readonly grantId?: string | undefined
    readonly scopes: readonly string[]
    readonly lifetime: number
  },
): void {
  const { tokenId, grantId, scopes, lifetime } = token
  const expiresAt = Math.floor(Date.now() / 1000) + lifetime
  events.emit('token.issued', { mode, clientId, accountId, userId, tokenId, grantId, scopes, expiresAt })
}

/** Emits `token.issued` for a code exchange, and `token.rejected`, and explains `invalid_grant` to the client. */
export function reportTokens(provider: Provider, parts: SharedDependencies): void {
  provider.on('grant.success', ({ oidc }) => {
    const { AccessToken: token, Grant: grant } = oidc.entities
    if (!token || grant?.accountId === undefined) return
    const { jti: tokenId, scopes, expiration: lifetime } = token
    const issued = { tokenId, grantId: grant.jti, scopes: [...scopes], lifetime }
    reportToken(parts, 'delegated', recordOf(oidc.client), personOf(grant.accountId), issued)
  })

  // Relies on: oidc-provider emits `grant.error` after it has written the response, and before it is sent.
  provider.on('grant.error', (context, { error, error_description: description, error_detail: detail }) => {
    const ctx: ProviderResponse = context
    if (error === 'invalid_grant' && detail !== undefined && errorOf(ctx) !== undefined) {
      ctx.body = { error, error_description: publicReason(detail, ctx.oidc.params) }
    }
    explainGrantType(ctx)
    explainOtherResource(ctx)
    const written = { error: errorOf(ctx) ?? error, description: descriptionOf(ctx) ?? description }
    const client = ctx.oidc.client ? recordOf(ctx.oidc.client) : requestState(ctx).unusableClient
    const noToken =
      reasonOf(detail) ?? (error === 'invalid_client' && client ? whyNotAuthenticated(client) : undefined)
    const mistyped = requestState(ctx).isMistyped || undefined
    reportRejection(parts, written, {
      clientId: client?.clientId,
      code: error,
      detail: detail ?? written.description,
      noToken,
      mistyped,
    })
  })
}

interface RejectionLog {
  readonly clientId: string | undefined
  readonly code: string
  readonly detail: string | undefined
  readonly noToken: NoTokenReason | undefined
  /** True for a wrong secret that has the prefix of this service, but not its checksum. */
  readonly mistyped: true | undefined
}

export function reportRejection(
  { events, logger }: SharedDependencies,
  rejection: Pick<GatehouseEvents['token.rejected'], 'error' | 'description'>,
  log: RejectionLog,
): void {
  logger.debug(log, 'the token endpoint rejected a request')
  const { clientId, noToken: reason } = log
  events.emit('token.rejected', { clientId, ...rejection, ...(reason && { reason }) })
}

/** If a code or token belongs to another client, the reason is the same as for an unknown code or token. */
function publicReason(detail: string, params: Record<string, unknown> | undefined): string {
  // Relies on the texts of oidc-provider's errors, because nothing else distinguishes them; and on its authorization
  // endpoint, which rejects every unsupported method: here, the authorization request had no `code_challenge`.
  if (detail === 'unsupported code_challenge_method') {
    return 'code_verifier was sent, but the authorization request had no code_challenge'
  }
  if (detail !== 'client mismatch') return detail
  const what = params?.['grant_type'] === 'refresh_token' ? 'refresh token' : 'authorization code'
  return `${what} not found`
}
