import { randomFillSync } from 'node:crypto'
import { parse } from 'node:querystring'
import type { Context } from 'koa'
import { errors } from 'oidc-provider'
import { isScope } from '../../../../catalog/scope.ts'
import { requesterOf } from '../../../../audit/entry.ts'
import { networksClaim } from '../../../../clients/allowed-addresses.ts'
import type { Client } from '../../../../clients/client.ts'
import { isMistypedSecret } from '../../../../clients/secret-format.ts'
import { lifetimeWithin } from '../../../../clients/expiry-policy.ts'
import { whyNotAuthenticated, whyUnusable } from '../../../../clients/why-no-token.ts'
import { readBasicCredentials, type BasicCredentials } from '../../../../http/basic-credentials.ts'
import { accessTokenSigner } from '../../../../keys/access-token-signer.ts'
import type { SigningJwk } from '../../../../keys/generate-key.ts'
import { findOnce } from '../../../../host/find-once.ts'
import type { SharedDependencies } from '../../dependencies.ts'
import { startLookups, type EarlyLookups } from '../../request-state.ts'
import { findSecretOf } from '../../../../clients/client-registry.ts'
import { reportWrongSecret, TOO_MANY_WRONG_SECRETS } from '../../wrong-secrets.ts'
import { reportDirectToken, reportRejection } from '../token.ts'
import { directClaims, registeredClaims } from './access-token-claims.ts'
import { directTokenResponse, directTokenScopes } from './client-credentials-grant.ts'

interface FastPathParts extends SharedDependencies {
  isFlood(): boolean
}

export type FastPathResult = { readonly isAnswered: boolean; readonly early?: EarlyLookups }

/**
 * Answers the usual token request of an API key (RFC 6749 4.4) without oidc-provider, in a fraction of the
 * time. The response, the token and the events are the same. Wrong secrets are rejected here too, because a
 * flood of such requests must not slow down the API. All other requests are left to oidc-provider.
 */
export function createFastPath(parts: FastPathParts) {
  const { registry, accounts, resources, isFlood } = parts
  const { issuer, lifetimes } = parts.settings

  return async function answerDirectAccess(
    ctx: Context,
    form: string,
    signingKeys: readonly SigningJwk[],
  ): Promise<FastPathResult> {
    const key = signingKeys.find(({ alg }) => alg === 'ES256')
    const request = key && isUsual(ctx) ? readRequest(ctx, form) : undefined
    const resource = request && resources.find(request.resource ?? resources.main.address)
    if (!key || !request || !resource) return { isAnswered: false }

    const early = startLookups(registry)
    // A failed lookup is passed on too: oidc-provider gets the same error from `early`.
    const client = await early.registry.find(request.credentials.clientId).catch(() => null)
    const isUsable = client && !whyUnusable(client) && client.kind === 'apiKey'
    const { clientSecrets } = request.credentials
    const secret = isUsable ? findSecretOf(client, clientSecrets) : undefined
    const isWrong = client === undefined || (isUsable && !secret)
    if (isWrong && ctx.accepts('json', 'html') === 'json') {
      rejectSecret(parts, ctx, client, request.credentials)
      return { isAnswered: true }
    }
    if (!isUsable || isWrong || !isWellFormed(request.scope)) return { isAnswered: false, early }
    const networks = networksClaim(client)
    if (networks !== undefined && !parts.proxyCheck.mayUseFrom(networks, requesterOf(ctx).address)) {
      return { isAnswered: false, early }
    }
    const { current: all } = parts.catalog
    const findOwner = () => findOnce(accounts, early.accounts, client)
    const scopes = await directTokenScopes(resource, all, client, request.scope, findOwner).catch(
      () => undefined,
    )
    if (!scopes) return { isAnswered: false, early }

    const tokenId = randomId()
    const scope = scopes.join(' ')
    const { clientId } = client
    const lifetime = lifetimeWithin(client, lifetimes.directAccessToken)
    const { address: audience } = resource
    const registered = { tokenId, subject: clientId, clientId, scope, lifetime, client, issuer, audience }
    const claims = { ...directClaims(client, all.epoch), ...registeredClaims(registered) }
    const signer = accessTokenSigner(key)
    // During a flood, only the calling thread signs, so that the other cores are free for the API.
    const token = await (isFlood() ? signer.signHere : signer.signOnOtherThread)(claims)
    reportDirectToken(parts, { client, secret }, { tokenId, scopes, lifetime })
    respond(ctx, 200, directTokenResponse(token, lifetime, scope))
    return { isAnswered: true }
  }
}

/** RFC 6749 5.2, as oidc-provider does: see `direct-access-fast-path.differential.attack.test.ts`. */
function rejectSecret(
  parts: FastPathParts,
  ctx: Context,
  client: Client | null | undefined,
  { clientId: sentClientId, clientSecrets }: BasicCredentials,
): void {
  const detail = client ? 'invalid secret provided' : 'client not found'
  const { error, error_description: description, status } = new errors.InvalidClientAuth(detail)
  const clientId = client?.clientId
  const noToken = client ? whyNotAuthenticated(client) : undefined
  const { secretPrefix } = parts.settings
  const mistyped = (client && clientSecrets.some((each) => isMistypedSecret(each, secretPrefix))) || undefined
  reportRejection(parts, { error, description }, { clientId, code: error, detail, noToken, mistyped })
  const waitSeconds = reportWrongSecret(parts, ctx, { sentClientId, client: client ?? undefined })
  if (waitSeconds > 0) {
    ctx.set('Retry-After', String(waitSeconds))
    respond(ctx, 429, TOO_MANY_WRONG_SECRETS)
    return
  }
  const challenge = `Basic realm="${parts.settings.issuer}", error="${error}", error_description="${description}"`
  const body = { error, error_description: description }
  respond(ctx, status, body, ctx.headers.authorization === undefined ? undefined : challenge)
}

function respond(ctx: Context, status: number, body: object, challenge?: string): void {
  ctx.vary('Origin')
  ctx.set('cache-control', 'no-store')
  if (challenge !== undefined) ctx.append('WWW-Authenticate', challenge)
  ctx.set('Content-Type', 'application/json; charset=utf-8')
  ctx.body = JSON.stringify(body)
  ctx.status = status
}

const USUAL_TYPE = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i

/** Other headers of the request, or of the host, would change oidc-provider's answer. */
function isUsual({ headers, response }: Context): boolean {
  if (!USUAL_TYPE.test(headers['content-type'] ?? '')) return false
  if ('oauth-client-attestation' in headers || 'oauth-client-attestation-pop' in headers) return false
  return !Object.keys(response.headers).some((name) => /^(access-control-|content-type$)/.test(name))
}

const PARAMETERS = new Set(['grant_type', 'client_id', 'client_secret', 'scope', 'resource'])

function readRequest(ctx: Context, form: string) {
  // oidc-provider uses the same parser. Of visible ASCII characters, the charset does not matter.
  const parameters = new Map(/^[\x21-\x7e]+$/.test(form) ? Object.entries(parse(form)) : [])
  const isSentOnce = (name: string) => PARAMETERS.has(name) && typeof parameters.get(name) === 'string'
  if (![...parameters.keys()].every(isSentOnce)) return undefined
  // An empty parameter counts as absent, as in oidc-provider.
  const read = (name: string) => (parameters.get(name) as string | undefined) || undefined
  const [clientId, secret, scope, resource] = ['client_id', 'client_secret', 'scope', 'resource'].map(read)
  const authorization = ctx.get('Authorization')
  const credentials =
    authorization === ''
      ? clientId !== undefined && secret !== undefined && { clientId, clientSecrets: [secret] as const }
      : secret === undefined && readBasicCredentials(authorization)
  if (read('grant_type') !== 'client_credentials' || !credentials) return undefined
  if (clientId !== undefined && clientId !== credentials.clientId) return undefined
  return { credentials, scope, resource }
}

/** RFC 6749 3.3. oidc-provider rejects a malformed `scope` before it finds the account. */
function isWellFormed(scope: string | undefined): boolean {
  return scope === undefined || scope.split(' ').every(isScope)
}

const ID_BYTES = 32
/** A call of the generator costs as much time as making a hundred ids. */
const POOL_BYTES = 128 * ID_BYTES

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** Makes an id that cannot be guessed: 32 random bytes in base64url. */
export function randomId(): string {
  if (used === POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return pool.toString('base64url', used - ID_BYTES, used)
}
