import Koa from 'koa'
import { Provider, type Client as ProviderClient } from 'oidc-provider'
import type { CheckedRegistry } from '../registry/checked-registry.ts'
import type { RefreshTokenFormat } from '../tokens/refresh-token.ts'
import { recordOf } from './client-metadata.ts'

/**
 * The one file that touches what oidc-provider does not document. Each function here says what it relies on,
 * and a test breaks when an update of oidc-provider takes it away (checked with 9.13).
 */
export function applySeam(
  provider: Provider,
  { registry, refreshTokenFormat }: { registry: CheckedRegistry; refreshTokenFormat: RefreshTokenFormat },
): void {
  compareSecretsByHash(provider, registry)
  nameRefreshTokensAfterTheirFamily(provider, refreshTokenFormat)
  takeAddressesFromIssuer(provider)
  takeCookieSecurityFromIssuer(provider)
  rememberUsers(provider)
}

/**
 * oidc-provider without the response mode `form_post`, which it answers with a page of its own, also only to tell
 * of an error: one that needs a script, and that any site may frame.
 *
 * Relies on: the constructor makes its response modes known by `this.registerResponseMode()`.
 */
export class ScriptlessProvider extends Provider {
  override registerResponseMode(...mode: Parameters<Provider['registerResponseMode']>): void {
    if (mode[0] !== 'form_post') super.registerResponseMode(...mode)
  }
}

/** Prototypes whose methods are replaced; oidc-provider makes its classes anew for each Provider. */
function prototypeOf(model: unknown): Record<string, unknown> {
  return (model as { prototype: Record<string, unknown> }).prototype
}

/**
 * Relies on: client authentication awaits `client.compareClientSecret(secret)`, inside the request's context.
 * Secrets are stored as hashes, so the registry compares.
 */
function compareSecretsByHash(provider: Provider, registry: CheckedRegistry): void {
  prototypeOf(provider.Client)['compareClientSecret'] = async function (
    this: ProviderClient,
    secret: string,
  ) {
    const isRight = await registry.verifySecret(recordOf(this), secret)
    if (isRight) await fillInRedirectUri(provider, this)
    return isRight
  }
}

/**
 * A code exchange needs no `redirect_uri` (OAuth 2.1 4.1.3). oidc-provider fills in the only one that an
 * application has; of several it is the one that the code was sent to.
 *
 * Relies on: the parameters have been read when the client is authenticated, and the grant reads them later.
 */
async function fillInRedirectUri(provider: Provider, client: ProviderClient): Promise<void> {
  const { route, params } = Provider.ctx?.oidc ?? {}
  const isLeftOut = params?.['grant_type'] === 'authorization_code' && params['redirect_uri'] === undefined
  if (route !== 'token' || !isLeftOut || (client.redirectUris?.length ?? 0) < 2) return
  const { code: value } = params
  const code = typeof value === 'string' ? await provider.AuthorizationCode.find(value) : undefined
  // Any of them where the code is not this application's: what is wrong then is the code.
  params['redirect_uri'] = code?.clientId === client.clientId ? code?.redirectUri : client.redirectUris?.[0]
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
 * first of them is saved. Which member of an account is acting has no place in oidc-provider's models.
 */
function rememberUsers(provider: Provider): void {
  for (const model of [provider.Session, provider.Grant]) {
    const names = [...model.IN_PAYLOAD, 'userId']
    Object.defineProperty(model, 'IN_PAYLOAD', { get: () => names })
  }
}

/** A model of oidc-provider's that also remembers which member of the account is acting. */
export interface WithUser {
  userId?: string | undefined
}
