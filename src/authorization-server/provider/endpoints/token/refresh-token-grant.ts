import { errors } from 'oidc-provider'
import { requesterOf } from '../../../../audit/entry.ts'
import type { Resource } from '../../../../catalog/resources.ts'
import type { Client } from '../../../../clients/client.ts'
import { lifetimeWithin } from '../../../../clients/expiry-policy.ts'
import { isPublicClient } from '../../../../clients/public-applications.ts'
import { isActive, type GrantRecord } from '../../../../grants/grant-record.ts'
import { ownerOf, revokeAfterRace, revokeReused } from '../../../../grants/refresh-tokens/revoke-reused.ts'
import type { FoundRefreshToken } from '../../../../grants/refresh-tokens/token-families.ts'
import type { Account } from '../../../../host/accounts.ts'
import { findOnce } from '../../../../host/find-once.ts'
import { personOf, subjectOf } from '../../../../host/subject.ts'
import { randomId } from '../../../../keys/random-id.ts'
import { accessTokenSigner, idTokenSigner } from '../../../../keys/token-signers.ts'
import type { Stored } from '../../../../store/collection.ts'
import { accountClaims, OPENID_CLAIMS } from '../../claims.ts'
import { limitToGrant, requireApplication, resolveScopes } from '../../delegated-scopes.ts'
import type { ProviderParts } from '../../dependencies.ts'
import { refreshTokenLifetime } from '../../lifetimes.ts'
import { invalidScope, isIgnoredScope, requestedScopes, requireUsableScope } from '../../requested-scope.ts'
import { otherResource } from '../../resource-indicator.ts'
import { reportToken } from '../token.ts'
import { delegatedClaims, registeredClaims } from './access-token-claims.ts'
import { requireSameHostEpoch } from './authorization-code-grant.ts'
import type { AnswerTokenRequest, TokenRequest } from './token-request.ts'

/**
 * The stored payload of a refresh token. oidc-provider writes it at the exchange of a code; each refresh copies it.
 *
 * Relies on: the names and meanings of oidc-provider's fields.
 */
type TokenPayload = Readonly<Record<'accountId' | 'clientId' | 'grantId' | 'gty' | 'scope', string>> & {
  readonly exp: number
  readonly resource: string | string[] | undefined
  readonly rotations?: number
  readonly authTime?: number
  readonly sid?: string
  /** Claims of the ID token that the authorization request needs, such as `auth_time` with `max_age`. */
  readonly claims?: { readonly id_token?: object }
}

const GTY = 'refresh_token'

/**
 * Creates what answers a refresh (RFC 6749 6), and how token and grant live on. Its errors are those of oidc-provider,
 * and of the host. All that can fail is done before the token is exchanged, so no client is left without a token.
 */
export function createRefresh(parts: ProviderParts): AnswerTokenRequest {
  const { settings, accounts, grantLifecycle, signingKeys } = parts
  const { issuer, lifetimes, openIdScopes } = settings
  const signAccessToken = accessTokenSigner(signingKeys)
  const signIdToken = idTokenSigner(signingKeys)

  return async function refresh(request) {
    const { client } = request
    const found = await findToken(parts, request)
    const payload = found.payload as unknown as TokenPayload
    const { grantId, accountId: subject } = payload
    const stored = await findGrant(parts, request, grantId)
    const { record: grant } = stored
    const wanted = wantedScopes(parts, request, payload)
    const person = personOf(subject)
    const account = await findOnce(accounts, request.accounts, person)
    if (!account) throw new errors.InvalidGrant('refresh token invalid (referenced account not found)')
    if (subject !== subjectOf(grant)) throw new errors.InvalidGrant('accountId mismatch')
    if (found.state === 'used') {
      const requester = requesterOf(request.host)
      await revokeReused(parts, 'refresh_token.reused', payload, requester, found.afterSeconds)
      throw new errors.InvalidGrant('refresh token already used')
    }

    const resource = requireSameResource(parts, payload, request)
    const find = (owner: Client) => findOnce(accounts, request.accounts, owner)
    const { scopes: all, catalogEpoch } = await resolveScopes(
      parts,
      requireApplication(client),
      resource,
      find,
    )
    const allowed = new Set([...openIdScopes, ...limitToGrant(parts, account, grantId, all)])
    const scopes = (grant.resources?.[resource.address] ?? '')
      .split(' ')
      .filter((name) => wanted.includes(name) && allowed.has(name))
    requireUsableScope(scopes)
    requireSameHostEpoch(client, grant)
    // The grant must live as long as the next token.
    if (!(await grantLifecycle.extend(grantId, stored))) throw new errors.InvalidGrant('grant not found')

    const tokenId = randomId()
    const scope = scopes.join(' ')
    const lifetime = lifetimeWithin(client, lifetimes.delegatedAccessToken)
    const { address: audience } = resource
    const registered = registeredClaims({ tokenId, subject, scope, lifetime, client, issuer, audience })
    const claims = Object.assign(registered, delegatedClaims(client, person, grantId, catalogEpoch))
    const accessToken = signAccessToken.signHere(claims)
    const idToken = wanted.includes('openid')
      ? signIdToken.signOnOtherThread(idTokenClaims(parts, payload, account, grant, wanted))
      : undefined
    const [refreshToken] = await Promise.all([exchange(parts, request, found, payload), idToken])
    reportToken(parts, 'delegated', client, person, { tokenId, grantId, scopes, lifetime })
    return {
      access_token: accessToken,
      expires_in: lifetime,
      id_token: await idToken,
      refresh_token: refreshToken,
      scope,
      token_type: 'Bearer',
    }
  }
}

/**
 * A valid token looks used if a paused store applied a write late, until that write is rolled back. The wait for the
 * rollback is expensive, so it starts only for a client that has authenticated.
 * @throws invalid_grant
 */
async function findToken(
  parts: ProviderParts,
  { client, token, reads, deadline }: TokenRequest,
): Promise<FoundRefreshToken> {
  const { families } = parts
  if (token === undefined) throw new errors.InvalidRequest("missing required parameter 'refresh_token'")
  const read = await (reads?.found ?? families.find(token))
  const found = read?.state === 'used' ? await families.findForRotation(token, deadline) : read
  if (!found) throw new errors.InvalidGrant('refresh token not found')
  const { clientId, exp } = found.payload as unknown as TokenPayload
  if (clientId !== client.clientId) throw new errors.InvalidGrant('client mismatch')
  if (exp <= nowInSeconds()) throw new errors.InvalidGrant('refresh token is expired')
  return found
}

/** @throws invalid_grant */
async function findGrant(
  { grantLifecycle }: ProviderParts,
  { client, reads }: TokenRequest,
  grantId: string,
): Promise<Stored<GrantRecord>> {
  const stored = await (reads?.grant ?? grantLifecycle.records.read(grantId))
  if (!stored || !isActive(stored.record)) throw new errors.InvalidGrant('grant not found')
  if (stored.record.exp <= nowInSeconds()) throw new errors.InvalidGrant('grant is expired')
  if (stored.record.clientId !== client.clientId) throw new errors.InvalidGrant('client mismatch')
  return stored
}

/** The requested scopes, or else those of the token. @throws invalid_scope */
function wantedScopes({ settings }: ProviderParts, request: TokenRequest, { scope }: TokenPayload) {
  const held = scope.split(' ')
  const asked = requestedScopes(request.scope).filter((name) => !isIgnoredScope(name, settings.openIdScopes))
  const missing = asked.filter((name) => !held.includes(name))
  if (missing.length === 0) return asked.length > 0 ? asked : held
  throw invalidScope(
    `refresh token missing requested scope${missing.length > 1 ? 's' : ''}`,
    missing.join(' '),
  )
}

/** @throws invalid_target: a refresh may name the resource of its grant, but not change it */
function requireSameResource(
  { resources }: ProviderParts,
  { resource: granted }: TokenPayload,
  { resource: requested }: TokenRequest,
): Resource {
  const resource = resources.find(granted)
  if (!resource) throw new errors.InvalidTarget('the resource of this refresh token does not exist any more')
  if ([requested ?? resource.address].flat().every((each) => resources.find(each) === resource))
    return resource
  throw new errors.InvalidTarget(otherResource('refresh token', resource.address))
}

/**
 * One write exchanges the tokens, so exactly one is valid after a failure. A client that has retried the refresh gets
 * the same token as in the first response.
 * @throws invalid_grant if the token was used since it was read: its grant is then revoked
 */
async function exchange(
  parts: ProviderParts,
  { client, credential, deadline, host }: TokenRequest,
  found: FoundRefreshToken,
  payload: TokenPayload,
): Promise<string> {
  const { families, refreshTokenFormat, settings } = parts
  const { grantId, gty } = payload
  const rotations = (payload.rotations ?? 0) + 1
  const now = nowInSeconds()
  const ttl = refreshTokenLifetime(client, settings.lifetimes)
  const copied = Object.assign({}, found.payload, {
    iat: now,
    exp: now + ttl,
    gty: gty.endsWith(GTY) ? gty : `${gty} ${GTY}`,
    rotations,
    // The ID token of a refresh has no `nonce` (OpenID Connect Core 12.2).
    nonce: undefined,
  })
  parts.clientUsed(client, credential)
  const next = refreshTokenFormat.mint({ grantId, generation: rotations })
  const graceSeconds = isPublicClient(client) ? settings.publicGraceSeconds : undefined
  const exchanged = await families.rotate(found, next, copied, ttl, deadline, graceSeconds)
  if (!exchanged) {
    // Another request used the token a moment ago: about one second.
    await revokeAfterRace(parts, 'refresh_token.reused', payload, requesterOf(host), 1)
    throw new errors.InvalidGrant('refresh token already used')
  }
  if (exchanged.isRetry) parts.events.emit('refresh_token.retried', ownerOf(payload))
  return exchanged.next
}

/** The claims of the ID token of a refresh (OpenID Connect Core 12.2), as oidc-provider chooses them. */
function idTokenClaims(
  { settings }: ProviderParts,
  payload: TokenPayload,
  account: Account,
  grant: GrantRecord & { readonly openid?: { readonly scope?: string } },
  wanted: readonly string[],
) {
  const { accountId: sub, clientId: aud, authTime: auth_time, sid } = payload
  const scopes = (grant.openid?.scope ?? '').split(' ').filter((scope) => wanted.includes(scope))
  const names = scopes.flatMap((scope) =>
    scope === 'openid' ? OPENID_CLAIMS : (settings.claims[scope] ?? []),
  )
  const chosen = new Set([...names, ...Object.keys(payload.claims?.id_token ?? {})])
  const available = { ...accountClaims(account, sub, settings.claimsInIdToken), auth_time }
  const claims = Object.fromEntries(Object.entries(available).filter(([name]) => chosen.has(name)))
  const iat = nowInSeconds()
  return { ...claims, sid, aud, exp: iat + settings.lifetimes.idToken, iat, iss: settings.issuer, sub }
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
