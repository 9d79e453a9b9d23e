import { parse } from 'node:querystring'
import type { Context } from 'koa'
import { errors } from 'oidc-provider'
import { requesterOf } from '../../../../audit/entry.ts'
import { isScope } from '../../../../catalog/scope.ts'
import { networksClaim } from '../../../../clients/allowed-addresses.ts'
import type { Client } from '../../../../clients/client.ts'
import { findSecretOf } from '../../../../clients/client-registry.ts'
import { isPublicClient } from '../../../../clients/public-applications.ts'
import { isMistypedSecret } from '../../../../clients/secret-format.ts'
import { whyNotAuthenticated, whyUnusable } from '../../../../clients/why-no-token.ts'
import { rollbackDeadline } from '../../../../grants/refresh-tokens/uncertain-writes.ts'
import { readBasicCredentials, type BasicCredentials } from '../../../../http/basic-credentials.ts'
import { isDocumentId } from '../../../../validation/document-id.ts'
import type { SharedDependencies } from '../../dependencies.ts'
import {
  startLookups,
  startRefreshReads,
  type EarlyLookups,
  type RefreshReaders,
} from '../../request-state.ts'
import { reportWrongSecret, TOO_MANY_WRONG_SECRETS } from '../../wrong-secrets.ts'
import { reportRejection } from '../token.ts'
import type { TokenAnswers } from './token-request.ts'

interface FastPathParts extends SharedDependencies, RefreshReaders {
  isFlood(): boolean
}

export type FastPathResult = { readonly isAnswered: boolean; readonly early?: EarlyLookups }

/**
 * Answers the usual token request of a client with a secret without oidc-provider, in a fraction of the time: of an API
 * key (RFC 6749 4.4), and a refresh of an application (RFC 6749 6). The response, the token and the events are the same.
 * Wrong secrets are rejected here too, because a flood of such requests must not slow down the API. All other requests
 * are left to oidc-provider.
 */
export function createFastPath(parts: FastPathParts) {
  const { registry, resources, isFlood } = parts

  return async function answerUsualRequest(
    ctx: Context,
    form: string,
    answers: TokenAnswers,
    known?: EarlyLookups,
  ): Promise<FastPathResult> {
    const request = isUsual(ctx) ? readRequest(ctx, form) : undefined
    if (!request || (request.resource !== undefined && !resources.find(request.resource)))
      return { isAnswered: false }
    const { credentials, grantType, scope, resource, token } = request
    if (isDocumentId(credentials.clientId)) return { isAnswered: false }

    const reads = token === undefined ? undefined : startRefreshReads(parts, token)
    const early = known ? { ...known, refreshReads: reads } : startLookups(registry, reads)
    // A failed lookup is passed on too: oidc-provider gets the same error from `early`.
    const client = await early.registry.find(credentials.clientId).catch(() => null)
    const kind = grantType === 'refresh_token' ? 'application' : 'apiKey'
    const isUsable = client && !whyUnusable(client) && client.kind === kind && !isPublicClient(client)
    const secret = isUsable ? findSecretOf(client, credentials.clientSecrets) : undefined
    const isWrong = client === undefined || (isUsable && !secret)
    if (isWrong && ctx.accepts('json', 'html') === 'json') {
      rejectSecret(parts, ctx, client, credentials)
      return { isAnswered: true }
    }
    if (!isUsable || isWrong || !isWellFormed(scope)) return { isAnswered: false, early }
    const networks = networksClaim(client)
    if (networks !== undefined && !parts.proxyCheck.mayUseFrom(networks, requesterOf(ctx).address)) {
      return { isAnswered: false, early }
    }
    const { accounts } = early
    // In direct access, another core signs, but not during a flood. In a refresh, this would cost more: `TokenSigner`.
    const signsHere = kind === 'application' || isFlood()
    const sent = { host: ctx, client, credential: secret, scope, resource, token, signsHere }
    const further = { reads, accounts, deadline: rollbackDeadline() }
    const answer = answers[grantType](Object.assign(sent, further))
    try {
      respond(ctx, 200, await answer)
      return { isAnswered: true }
    } catch {
      return { isAnswered: false, early: { ...early, answer: answer as Promise<never> } }
    }
  }
}

/** Making an error takes longer than finding the client, because it has a stack. */
const INVALID_CLIENT = new errors.InvalidClientAuth('')

/** RFC 6749 5.2, as oidc-provider does: see `fast-path.differential.attack.test.ts`. */
function rejectSecret(
  parts: FastPathParts,
  ctx: Context,
  client: Client | null | undefined,
  { clientId: sentClientId, clientSecrets }: BasicCredentials,
): void {
  const detail = client ? 'invalid secret provided' : 'client not found'
  const { error, error_description: description, status } = INVALID_CLIENT
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
  respond(ctx, status, body, ctx.get('Authorization') === '' ? undefined : challenge)
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
function isUsual({ headers, res }: Context): boolean {
  if (!USUAL_TYPE.test(headers['content-type'] ?? '')) return false
  if ('oauth-client-attestation' in headers || 'oauth-client-attestation-pop' in headers) return false
  return !res.getHeaderNames().some((name) => /^(access-control-|content-type$)/.test(name))
}

const PARAMETERS = new Set(['grant_type', 'client_id', 'client_secret', 'scope', 'resource', 'refresh_token'])

function readRequest(ctx: Context, form: string) {
  // oidc-provider uses the same parser. Of visible ASCII characters, the charset does not matter.
  const parameters = /^[\x21-\x7e]+$/.test(form) ? parse(form) : {}
  for (const name in parameters) {
    if (!PARAMETERS.has(name) || typeof parameters[name] !== 'string') return undefined
  }
  // An empty parameter counts as absent, as in oidc-provider.
  const read = (name: string) => (parameters[name] as string | undefined) || undefined
  const [clientId, secret, scope, resource] = ['client_id', 'client_secret', 'scope', 'resource'].map(read)
  const [grantType, token] = [read('grant_type'), read('refresh_token')]
  const authorization = ctx.get('Authorization')
  const credentials =
    authorization === ''
      ? clientId !== undefined && secret !== undefined && { clientId, clientSecrets: [secret] as const }
      : secret === undefined && readBasicCredentials(authorization)
  if (!credentials || (clientId !== undefined && clientId !== credentials.clientId)) return undefined
  const expected: keyof TokenAnswers = token === undefined ? 'client_credentials' : 'refresh_token'
  return grantType === expected ? { grantType: expected, credentials, scope, resource, token } : undefined
}

/** RFC 6749 3.3. oidc-provider rejects a malformed `scope` before it finds the account. */
function isWellFormed(scope: string | undefined): boolean {
  return scope === undefined || scope.split(' ').every(isScope)
}
