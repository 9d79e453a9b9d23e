import { randomUUID } from 'node:crypto'
import Koa, { type Middleware } from 'koa'
import { Provider, type Adapter, type Client as ProviderClient, type KoaContextWithOIDC } from 'oidc-provider'
import { readBasicCredentials } from '../../http/basic-credentials.ts'
import type { HostRegistry } from '../../clients/host-registry.ts'
import { createLru } from '../../async/lru.ts'
import type { ConsentVersions } from '../../grants/consent-version.ts'
import type { RefreshTokenFormat } from '../../grants/refresh-tokens/token-format.ts'
import { recordOf } from './client-metadata.ts'
import { isAboutToken, isComingBack, isTokenRequest } from './request-kind.ts'
import { requestState } from './request-state.ts'
import { isIgnoredScope, requestedScopes } from './requested-scope.ts'

// What oidc-provider does not document is touched here, by functions that each say what they rely on. Where a file
// relies on more than a function could hold (the order of hooks, the form of a record), it says so in its place, also
// with "Relies on:". For each of them a test breaks when an update takes it away (checked with 9.13).

/** Changes a provider that was just built, before it answers anything. */
export function applySeam(
  provider: Provider,
  parts: {
    readonly registry: HostRegistry
    readonly refreshTokenFormat: RefreshTokenFormat
    readonly openIdScopes: readonly string[]
  },
): void {
  const { registry, refreshTokenFormat, openIdScopes } = parts
  keepClients(provider)
  compareSecretsByHash(provider, registry, openIdScopes)
  nameRefreshTokensAfterTheirFamily(provider, refreshTokenFormat)
  takeAddressesFromIssuer(provider)
  takeCookieSecurityFromIssuer(provider)
  keepVersionsAndFound(provider)
}

/**
 * oidc-provider without the response mode `form_post`, which it answers with a page of its own, also only to tell
 * of an error: one that needs a script, and that any site may frame. Nor does it answer in a fragment, which is
 * where it sends the error of a response type that has `token` in its name, and fails if it cannot: it is `query` too.
 * Who asks for the response mode `fragment` is rejected (`configuration.ts`).
 *
 * Relies on: the constructor makes its response modes known by `this.registerResponseMode()`, and the first of a
 * name stays.
 */
export class ScriptlessProvider extends Provider {
  override registerResponseMode(...[name, handler]: Parameters<Provider['registerResponseMode']>): void {
    if (name === 'form_post') return
    super.registerResponseMode(name, handler)
    if (name === 'query') super.registerResponseMode('fragment', handler)
  }
}

/** Prototypes whose methods are replaced; oidc-provider makes its classes anew for each Provider. */
function prototypeOf(model: unknown): Record<string, unknown> {
  return (model as { prototype: Record<string, unknown> }).prototype
}

/** Clients that are kept made, at some 2 kB each. */
const MOST_CLIENTS = 10_000

/**
 * oidc-provider keeps the last hundred clients that it made of their metadata. To make one takes ten times as long as
 * to find it, so that a token would cost more from the hundred and first client on.
 *
 * Relies on: clients are found by `Client.find(id)` alone, which asks `Client.adapter.find(id)` for the metadata;
 * `new Client(metadata)` checks them, and nobody changes what it makes.
 */
function keepClients({ Client }: Provider): void {
  const { adapter } = Client as unknown as { adapter: Adapter }
  const Made = Client as unknown as new (metadata: object) => ProviderClient
  const kept = createLru<string, ProviderClient>(MOST_CLIENTS)
  Client.find = async (id: unknown) => {
    const metadata = typeof id === 'string' ? await adapter.find(id) : undefined
    if (!metadata) return undefined
    const text = JSON.stringify(metadata)
    const known = kept.get(text)
    if (known) return known
    const made = new Made(metadata)
    kept.set(text, made)
    return made
  }
}

/**
 * Relies on: client authentication awaits `client.compareClientSecret(secret)`, inside the request's context.
 * Secrets are stored as hashes, so the registry compares.
 */
function compareSecretsByHash(
  provider: Provider,
  registry: HostRegistry,
  openIdScopes: readonly string[],
): void {
  prototypeOf(provider.Client)['compareClientSecret'] = async function (
    this: ProviderClient,
    secret: string,
  ) {
    const isRight = await verifySecret(registry, this, secret)
    if (isRight) {
      await fillInRedirectUri(provider, this)
      dropIgnoredScopes(openIdScopes)
      disguiseToken()
    }
    return isRight
  }
}

/** A secret in the Basic header counts as it is decoded, and as it stands; one that is wrong in both is wrong once. */
async function verifySecret(
  registry: HostRegistry,
  client: ProviderClient,
  secret: string,
): Promise<boolean> {
  const { host } = requestState(Provider.ctx as KoaContextWithOIDC)
  const { clientSecrets = [secret] } = readBasicCredentials(host.get('Authorization')) ?? {}
  for (const reading of clientSecrets) {
    if (await registry.verifySecret(recordOf(client), reading)) return true
  }
  return false
}

/**
 * A code exchange needs no `redirect_uri` (OAuth 2.1 4.1.3). oidc-provider fills in the only one that an
 * application has; of several it is the one that the code was sent to.
 *
 * Relies on: the parameters have been read when the client is authenticated, and the grant reads them later.
 */
async function fillInRedirectUri(provider: Provider, client: ProviderClient): Promise<void> {
  const { route, params } = Provider.ctx?.oidc ?? {}
  const isSkipped = params?.['grant_type'] === 'authorization_code' && params['redirect_uri'] === undefined
  if (route !== 'token' || !isSkipped || (client.redirectUris?.length ?? 0) < 2) return
  const { code: value } = params
  const code = typeof value === 'string' ? await provider.AuthorizationCode.find(value) : undefined
  // Any of them where the code is not this application's: what is wrong then is the code.
  params['redirect_uri'] = code?.clientId === client.clientId ? code?.redirectUri : client.redirectUris?.[0]
}

/**
 * A refresh may ask for standard scopes that this issuer does not have, as the authorization may. oidc-provider
 * rejects each scope that the refresh token does not carry.
 *
 * Relies on: the parameters have been read when the client is authenticated, and the grant reads them later.
 */
function dropIgnoredScopes(openIdScopes: readonly string[]): void {
  const { params } = Provider.ctx?.oidc ?? {}
  const scope = params?.['scope']
  if (!isTokenRequest() || params?.['grant_type'] !== 'refresh_token' || typeof scope !== 'string') return
  const rest = requestedScopes(scope).filter((name) => !isIgnoredScope(name, openIdScopes))
  params['scope'] = rest.length > 0 ? rest.join(' ') : undefined
}

/** In front of a token that is to be introspected or revoked: with a colon it is neither a JWT nor anything else. */
const DISGUISE = 'token:'

/**
 * Tokens are introspected and revoked whatever their form is. oidc-provider rejects what looks like a JWT before it
 * asks anybody, since none of its own JWTs is stored.
 *
 * Relies on: the parameters have been read when the client is authenticated, and the token is looked at later.
 */
function disguiseToken(): void {
  const { params } = Provider.ctx?.oidc ?? {}
  const token = params?.['token']
  if (isAboutToken() && params && typeof token === 'string' && token !== '')
    params['token'] = DISGUISE + token
}

/** The token as we issued it, of one that oidc-provider asks a model for. */
export function tokenAsIssued(token: string): string {
  return isAboutToken() && token.startsWith(DISGUISE) ? token.slice(DISGUISE.length) : token
}

/**
 * Relies on: a model's id, which is the token, comes from `generateTokenId()`; `rotations` counts the tokens
 * before it, and `grantId` is set by then.
 */
function nameRefreshTokensAfterTheirFamily(provider: Provider, format: RefreshTokenFormat): void {
  prototypeOf(provider.RefreshToken)['generateTokenId'] = function (this: {
    grantId: string
    rotations?: number
  }) {
    return format.mint({ grantId: this.grantId, generation: this.rotations ?? 0 })
  }
}

/**
 * Relies on: all addresses in documents and redirects come from `ctx.oidc.urlFor()`, which follows the `Host`
 * header; `provider.urlFor()` goes by the issuer.
 */
function takeAddressesFromIssuer(provider: Provider): void {
  prototypeOf(provider.OIDCContext)['urlFor'] = (name: string, options?: Record<string, unknown>) =>
    provider.urlFor(name, options)
}

/**
 * Relies on: oidc-provider makes every context, also those that it reads cookies from, by
 * `provider.createContext()`. Behind a proxy that ends TLS the connection looks like plain http, unless the
 * host has set `app.proxy`; the issuer knows better.
 */
function takeCookieSecurityFromIssuer(provider: Provider): void {
  const isSecure = provider.issuer.startsWith('https:')
  const createContext: Provider['createContext'] = Koa.prototype.createContext.bind(provider)
  provider.createContext = (request, response) => {
    const ctx = createContext(request, response)
    ctx.cookies.secure = isSecure
    return ctx
  }
}

/**
 * Relies on: a model stores the properties named in its static `IN_PAYLOAD`, which is first read when the
 * first of them is saved. What was in force when a grant was made has no place in oidc-provider's models, nor as what
 * a session was found: that goes with it from `find` to `upsert`, which does not store it.
 */
function keepVersionsAndFound({ Grant, Session }: Provider): void {
  storeToo(Grant, 'versions')
  storeToo(Session, 'found')
}

function storeToo(model: { readonly IN_PAYLOAD: string[] }, property: string): void {
  const names = [...model.IN_PAYLOAD, property]
  Object.defineProperty(model, 'IN_PAYLOAD', { get: () => names })
}

/** A grant of oidc-provider's that also says what was in force when it was made. */
export interface WithConsentVersions {
  versions?: ConsentVersions | undefined
}

/** A session of oidc-provider's in a browser. */
export type ProviderSession = NonNullable<KoaContextWithOIDC['oidc']['session']>

/**
 * Makes another session of one: its cookie changes, and what was begun in it leads nowhere any more.
 *
 * Relies on: one that is not stored yet is `new`, and nobody has its cookie; the one of a request that comes back
 * from the pages has been given another cookie by then; an interaction belongs to the `uid` of its session.
 */
export function replaceSessionIds(ctx: KoaContextWithOIDC, session: ProviderSession): void {
  const isNew = (session as { new?: boolean }).new === true
  if (!isNew && !isComingBack(ctx)) session.resetIdentifier()
  session.uid = randomUUID()
}

/**
 * Lets nothing count that was answered on the pages.
 *
 * Relies on: the answer is `ctx.oidc.result`, set before the first of our hooks, and read after it.
 */
export function dropAnswers(ctx: KoaContextWithOIDC): void {
  Object.assign(ctx.oidc, { result: undefined })
}

/**
 * What the form of the sign-out page must send back.
 *
 * Relies on: it is in the session when the page is due.
 */
export function signOutSecret({ oidc }: KoaContextWithOIDC): string {
  const secret = oidc.session?.state?.['secret']
  if (typeof secret === 'string') return secret
  throw new TypeError('there is no secret for the sign-out form')
}

/**
 * Whether the refresh token that is saved now takes the place of another.
 *
 * Relies on: a refresh makes the exchanged one known before it saves the next.
 */
export function isRotation({ oidc }: KoaContextWithOIDC): boolean {
  return oidc.entities.RotatedRefreshToken !== undefined
}

/**
 * All that a provider does with a request.
 *
 * Relies on: it is an app of Koa's, which keeps its middleware in this list.
 */
export function middlewareOf(provider: Provider): readonly Middleware[] {
  return provider.middleware
}
