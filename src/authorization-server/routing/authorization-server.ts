import type { Context, Middleware } from 'koa'
import compose from 'koa-compose'
import { findSecretOf } from '../../clients/client-registry.ts'
import { readBasicCredentials, type BasicCredentials } from '../../http/basic-credentials.ts'
import type { KeyRing } from '../../keys/key-ring.ts'
import type { RevocationSource } from '../../revocation/revocation-source.ts'
import { answerError } from '../../http/error-response.ts'
import { answerDocument, DOCUMENT_METHODS } from '../../http/public-document.ts'
import { isRejection, readForm } from '../../http/form-body.ts'
import { addressGroup } from '../../http/rate-limit-group.ts'
import { redirect } from '../../http/redirect.ts'
import { pathBelow } from '../../http/request-path.ts'
import type { Pages } from '../interaction/pages.ts'
import type { InteractionPort } from '../interaction/port.ts'
import { interactionRoutes } from '../interaction/routes.ts'
import type { InteractionOptions } from '../interaction/step.ts'
import type { Provider } from '../provider/build-provider.ts'
import type { ProviderSettings, SharedDependencies } from '../provider/dependencies.ts'
import { AUTHORIZATION_PARAMETERS } from '../provider/endpoints/authorize.ts'
import { END_SESSION_PARAMETERS } from '../provider/endpoints/end-session.ts'
import type { Features } from '../provider/features/load-features.ts'
import { createRevocationFeed } from '../provider/endpoints/revocation-feed.ts'
import { createFastPath } from '../provider/endpoints/token/fast-path.ts'
import type { TokenAnswers } from '../provider/endpoints/token/token-request.ts'
import { canonicalizeParameters } from '../provider/resource-indicator.ts'
import {
  CLIENT_ENDPOINTS,
  isOwnPath,
  METADATA,
  METHODS,
  normalizePath,
  OPENID_CONFIGURATION,
  REVOCATION_FEED,
  ROUTES,
} from '../provider/routes.ts'
import { startLookups, type EarlyLookups, type RefreshReaders } from '../provider/request-state.ts'
import { runProvider, type ProviderInput } from '../provider/run-provider.ts'
import { checkRequest, letPageRead } from './check-request.ts'
import { pauseConnection, type RequestsInFlight } from './requests-in-flight.ts'
import { createReject, createRouter } from './router.ts'

export interface AuthorizationServerParts extends SharedDependencies, RefreshReaders {
  readonly settings: ProviderSettings & { readonly maxSignInAttempts: number; readonly mountPath: string }
  readonly port: InteractionPort
  readonly csrfKeys: InteractionOptions['csrfKeys']
  readonly revocationSource: RevocationSource
  readonly requestsInFlight: RequestsInFlight
  /** Seconds between the publication of a key and its first signature. */
  readonly publishAheadSeconds: number
  /** Rejects if the start takes longer than a request may wait. */
  ready(): Promise<Running>
}

interface Running {
  readonly provider: Provider
  readonly answers: TokenAnswers
  readonly features: Features
  readonly keyRing: KeyRing
}

/** At the root of the host: the metadata (RFC 8414 3.1). Some clients put its older name there (RFC 8414 5). */
export function wellKnown(parts: AuthorizationServerParts): Middleware {
  const { pathname } = new URL(parts.settings.issuer)
  const addresses = [METADATA, OPENID_CONFIGURATION].map((name) => normalizePath(name + pathname))
  return createRouter(parts, {
    mountPath: '',
    owns: (path) => addresses.includes(normalizePath(path)),
    methods: Object.fromEntries(addresses.map((address) => [address, DOCUMENT_METHODS])),
    answer: async (ctx) => runProvider((await parts.ready()).provider, ctx, METADATA),
  })
}

/** Answers below {auth_url}: caching of `/oauth2/jwks`, HEAD, forms of other sites, other host names, 503 in a flood. */
export function authorizationServer(parts: AuthorizationServerParts): Middleware {
  const { settings, resources, pages, events, requestsInFlight } = parts
  const { issuer, mountPath, maxSignInAttempts } = settings
  // At most half of `publishAheadSeconds`, so that gateways have a new key before it signs.
  const maxAge = Math.min(600, Math.floor(parts.publishAheadSeconds / 2))
  const jwks = { type: 'application/jwk-set+json', maxAge }
  const reject = createReject(pages)
  const answerInteraction = interactionRoutes({ ...parts, issuer, maxSignInAttempts })
  const answerFeed = createRevocationFeed({ ...parts, issuer, source: parts.revocationSource })
  const answerUsualRequest = createFastPath({ ...parts, isFlood: requestsInFlight.isFlood })

  async function answer(ctx: Context, path: string): Promise<boolean> {
    const route = normalizePath(path)
    // Link previews and scanners send HEAD requests, which must not start a sign-in and must not use up a code.
    if (ctx.method === 'HEAD' && route.startsWith(ROUTES.authorization)) {
      ctx.set('Cache-Control', 'no-store')
      ctx.status = 200
      return true
    }
    const running = await parts.ready()
    const posted = ctx.method === 'POST' ? POSTED_PARAMETERS[route] : undefined
    const interaction = answerInteraction(ctx, path)
    let isAnswered = true
    if (interaction) await interaction
    else if (route === ROUTES.jwks) answerDocument(ctx, JSON.stringify(running.keyRing.published), jwks)
    else if (route === REVOCATION_FEED) await answerFeed(ctx)
    else if (posted) await postToGet(ctx, pages, new URL(issuer + route), posted)
    else if (!POSTED_PARAMETERS[route] || !rejectOtherName(ctx, pages, issuer + route))
      isAnswered = await answerByProvider(running, ctx, path)
    return isAnswered
  }

  async function answerByProvider(running: Running, ctx: Context, path: string): Promise<boolean> {
    const address = CLIENT_ENDPOINTS.has(normalizePath(path)) ? addressGroup(ctx.ip) : undefined
    // A request that would be rejected anyway is rejected before its form is read.
    if (address !== undefined && requestsInFlight.isFull(address)) return rejectForNow(ctx, path, address)
    const checked = await checkRequest(ctx, path, { issuer, events, features: running.features })
    if ('rejection' in checked) {
      reject(ctx, path, { ...checked.rejection, text: 'errorBody' })
      return true
    }
    const { credentials, authorization } = checked
    const form = checked.form && canonicalizeParameters(checked.form, resources)
    const sent = { form, authorization }
    if (address === undefined || credentials === undefined) return answerChecked(running, ctx, path, sent)
    // An address that has sent too many wrong secrets waits, but not with a right one.
    const early = parts.wrongSecrets.isBeyond(address) ? startLookups(parts.registry) : undefined
    const comesLast = early && (() => hasWrongSecret(early, checked))
    const answer = () => answerChecked(running, ctx, path, { form, authorization, early })
    const isAnswered = await requestsInFlight.run({ address, credentials, comesLast }, answer)
    return isAnswered ?? rejectForNow(ctx, path, address)
  }

  /** False if the store does not answer. */
  async function hasWrongSecret({ registry }: EarlyLookups, sent: ProviderInput): Promise<boolean> {
    const credentials = readCredentials(sent)
    if (!credentials) return false
    const client = await registry.find(credentials.clientId).catch(() => null)
    return client !== null && !(client && findSecretOf(client, credentials.clientSecrets))
  }

  function rejectForNow(ctx: Context, path: string, address: string): true {
    // API calls may also arrive on this connection. So other requests of the same address must be in flight.
    const isFlood = requestsInFlight.isSending(address)
    const seconds = isFlood ? pauseConnection(ctx, RETRY_AFTER_SECONDS) : RETRY_AFTER_SECONDS
    ctx.set('Retry-After', String(seconds))
    if (settings.publicClients && ctx.get('Origin') !== '') letPageRead(ctx)
    const description = 'too many requests at once; try again'
    reject(ctx, path, { status: 503, error: 'temporarily_unavailable', description, text: 'errorBody' })
    return true
  }

  async function answerChecked(running: Running, ctx: Context, path: string, sent: ProviderInput) {
    const { provider, answers } = running
    const isTokenRequest = sent.form !== undefined && normalizePath(path) === ROUTES.token
    const usual = isTokenRequest ? await answerUsualRequest(ctx, sent.form, answers, sent.early) : undefined
    if (usual?.isAnswered) return true
    const query = canonicalizeParameters(ctx.search, resources)
    return runProvider(provider, ctx, path, { ...sent, query, early: usual?.early ?? sent.early })
  }

  const route = createRouter(parts, {
    mountPath,
    owns: isOwnPath,
    methods: METHODS,
    async answerPreflight(ctx, path) {
      if (!settings.publicClients) return false
      const { cors } = (await parts.ready()).features
      return cors?.answerPreflight(ctx, normalizePath(path)) ?? false
    },
    answer,
  })
  return compose([route, issuerPage(issuer, mountPath, pages)]) as Middleware
}

/** @returns undefined without a secret, as of a public application */
function readCredentials({ form, authorization = '' }: ProviderInput): BasicCredentials | undefined {
  const parameters = new URLSearchParams(form)
  const [clientId, secret] = ['client_id', 'client_secret'].map((name) => parameters.get(name) ?? '')
  if (!clientId || !secret) return readBasicCredentials(authorization)
  return { clientId, clientSecrets: [secret] }
}

const RETRY_AFTER_SECONDS = 2

const POSTED_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  [ROUTES.authorization]: AUTHORIZATION_PARAMETERS,
  [ROUTES.end_session]: END_SESSION_PARAMETERS,
}

/** Proxies and Node reject longer addresses. */
const MAX_ADDRESS_BYTES = 12_288

/**
 * Answers a form that another site posts (OpenID Connect Core 3.1.2.1, RP-Initiated Logout 1.0, 2) with a redirect:
 * the browser sends our `SameSite=Lax` cookies with that GET, but not with the form. All values of a parameter are
 * passed on, because the endpoint rejects repeated ones.
 */
async function postToGet(ctx: Context, pages: Pages, target: URL, parameters: readonly string[]) {
  const form = await readForm(ctx)
  if (isRejection(form)) return rejectForm(ctx, pages, form.status)
  for (const name of parameters) {
    for (const value of form.getAll(name)) target.searchParams.append(name, value)
  }
  if (target.href.length > MAX_ADDRESS_BYTES) return rejectForm(ctx, pages, 413)
  redirect(ctx, target.href)
}

/** Our cookies and forms do not work at other names. Further names may be those of a proxy. */
function rejectOtherName(ctx: Context, pages: Pages, endpoint: string): boolean {
  const { host, search } = ctx
  const { host: own } = new URL(endpoint)
  if (host === own || commonName(host) !== commonName(own) || search.endsWith(FOLLOWED)) return false
  const link = `${endpoint}${search || '?'}${FOLLOWED}`
  const description = 'this is not the host name of the issuer'
  const answer = { status: 400, error: 'invalid_request', description }
  answerError(ctx, pages, { ...answer, text: 'errorOtherHost', link })
  return true
}

const commonName = (host: string) =>
  host.replace(/^www\./, '').replace(/^(?:127\.0\.0\.1|\[::1\])(?=:|$)/, 'localhost')

/** The page appears only once, because a proxy may have changed `Host`. */
const FOLLOWED = '&from_other_host=1'

function rejectForm(ctx: Context, pages: Pages, status: number): void {
  const description = 'the form could not be read'
  answerError(ctx, pages, { status, error: 'invalid_request', text: 'errorBody', description })
}

/** For a person who opens the issuer in a browser, unless the host answers the request. */
function issuerPage(issuer: string, mountPath: string, pages: Pages): Middleware {
  return async function issuerPage(ctx, next) {
    const isIssuer = pathBelow(ctx, mountPath) === '/' && ['GET', 'HEAD'].includes(ctx.method)
    await next()
    const isUnanswered =
      ctx.status === 404 && ctx.body === undefined && ctx.respond !== false && !ctx.headerSent
    if (!isIssuer || !isUnanswered || ctx.accepts('json', 'html') !== 'html') return
    ctx.vary('Accept')
    pages.renderIssuer(ctx, issuer + OPENID_CONFIGURATION)
  }
}
