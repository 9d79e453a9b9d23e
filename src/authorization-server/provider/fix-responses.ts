import type { Provider, KoaContextWithOIDC } from 'oidc-provider'
import type { Next } from 'koa'
import { answerDocument } from '../../http/public-document.ts'
import { requestState } from './request-state.ts'

type Ctx = KoaContextWithOIDC & { body: unknown }

/**
 * Puts right what oidc-provider answers differently from the RFCs or from what people expect, by the hook
 * that it documents for this: a middleware around its own.
 */
export function fixResponses(provider: Provider, scopesSupported: () => readonly string[]): void {
  provider.use(async function answers(ctx: unknown, next: Next) {
    const answered = ctx as Ctx
    const isOpenedByHost = Boolean(answered.response.get('Access-Control-Allow-Origin'))
    await next()
    // Only set where one of oidc-provider's routes matched.
    const route = (answered as { oidc?: { route: string } }).oidc?.route
    if (route !== undefined && !isOpenedByHost) removeCors(answered)
    if (route === 'token') {
      fixGrantError(answered)
      repeatRefreshToken(answered)
    }
    if (route === 'revocation') {
      answered.set('Cache-Control', 'no-store')
      if (answered.status === 200) answered.body = {}
    }
    if (route !== undefined && WITH_CLIENTS.has(route)) fixClientError(answered)
    if (route === 'userinfo') fixUserInfoError(answered)
    if (route === 'discovery' && answered.status === 200) fixDiscovery(answered, scopesSupported())
  })
  // The reason is for the developer who reads the answer; oidc-provider keeps it to itself.
  // Relies on: the event comes when the answer has been written, and before it is sent.
  provider.on('grant.error', (ctx, { error, error_detail: reason }) => {
    const answered: Ctx = ctx
    if (error === 'invalid_grant' && reason !== undefined && isJson(answered)) {
      answered.body = { error, error_description: publicReason(reason, ctx.oidc.params) }
    }
  })
}

/**
 * The reason as the client may read it. That a code or token is genuine, but somebody else's, is told to nobody: it is
 * as good as unknown.
 */
function publicReason(reason: string, params: Record<string, unknown> | undefined): string {
  // Relies on: the authorization endpoint takes no other method, so there was no challenge at all.
  if (reason === 'unsupported code_challenge_method') {
    return 'code_verifier was sent, but the authorization request had no code_challenge'
  }
  if (reason !== 'client mismatch') return reason
  const what = params?.['grant_type'] === 'refresh_token' ? 'refresh token' : 'authorization code'
  return `${what} not found`
}

function isJson({ body }: Ctx): boolean {
  return typeof body === 'object' && body !== null && 'error' in body
}

/** Where clients show their secret: names of oidc-provider's. */
const WITH_CLIENTS: ReadonlySet<string> = new Set(['token', 'revocation', 'introspection'])

/** oidc-provider says that pages of other origins may read an answer, even where it rejects all their requests. */
function removeCors(ctx: Ctx): void {
  ctx.remove('Access-Control-Allow-Origin')
  ctx.remove('Access-Control-Expose-Headers')
}

function fixGrantError(ctx: Ctx): void {
  if (errorOf(ctx) === 'invalid_request' && isGrantTypeOfOthers(ctx)) {
    ctx.body = {
      error: 'unauthorized_client',
      error_description:
        'API keys use client_credentials; applications use authorization_code and refresh_token, and need a redirect URI',
    }
  }
}

/** A client that sent a refresh token again gets what it got before, and not the one that was made for nothing. */
function repeatRefreshToken(ctx: Ctx): void {
  const { repeatedRefreshToken } = requestState(ctx)
  const body = ctx.body as { refresh_token?: string } | undefined
  if (repeatedRefreshToken === undefined || body?.refresh_token === undefined) return
  ctx.body = { ...body, refresh_token: repeatedRefreshToken }
}

function fixClientError(ctx: Ctx): void {
  if (errorOf(ctx) === 'invalid_client' && !hasCredentials(ctx)) {
    // RFC 9110 15.5.2. Not after a wrong secret in the body: client libraries read no error beside a challenge, and
    // who chose the body knows how to authenticate.
    ctx.set('WWW-Authenticate', `Basic realm="${ctx.oidc.issuer}"`)
    ctx.body = {
      error: 'invalid_client',
      error_description:
        'client_secret is missing: send it in the body or by HTTP Basic. Clients that cannot keep a secret, ' +
        'such as browsers and mobile apps, are not supported',
    }
  }
}

function errorOf({ body }: Ctx): string | undefined {
  return (body as { error?: string } | undefined)?.error
}

/** Without a token nothing went wrong yet: no error code in the body either, as at the gateway (RFC 6750 3.1). */
function fixUserInfoError(ctx: Ctx): void {
  if (ctx.status !== 401 || ctx.response.get('WWW-Authenticate').includes('error=')) return
  ctx.body = {
    error_description: 'send an access token in the header Authorization: Bearer <ACCESS_TOKEN>',
  }
}

/**
 * Whether the client is known by its secret, and its kind has not this grant type.
 *
 * Relies on: of what can be wrong with such a request, nothing is invalid_request before this.
 */
function isGrantTypeOfOthers({ oidc }: Ctx): boolean {
  const grantType = oidc.params?.['grant_type']
  return typeof grantType === 'string' && oidc.client?.grantTypeAllowed(grantType) === false
}

function hasCredentials(ctx: Ctx): boolean {
  return ctx.headers.authorization !== undefined || ctx.oidc.body?.['client_secret'] !== undefined
}

/** Seconds for which a client may keep the document; it changes with the products. */
const DISCOVERY_MAX_AGE = 60

/** OpenID Connect Discovery 1.0, 3, and RFC 8414 2. */
function fixDiscovery(ctx: Ctx, scopes: readonly string[]): void {
  const document = ctx.body as {
    token_endpoint_auth_methods_supported?: readonly string[]
    claims_supported?: readonly string[]
  }
  const authentication = document.token_endpoint_auth_methods_supported
  const put = {
    ...document,
    revocation_endpoint_auth_methods_supported: authentication,
    introspection_endpoint_auth_methods_supported: authentication,
    scopes_supported: scopes,
    response_modes_supported: ['query'],
    claims_parameter_supported: false,
    // No ID token has the id of a session.
    claims_supported: document.claims_supported?.filter((claim) => claim !== 'sid'),
    // ID tokens are RS256. Resource servers that know nothing but the issuer take the list for that of access tokens.
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
  }
  answerDocument(ctx, JSON.stringify(put), { maxAge: DISCOVERY_MAX_AGE })
}
