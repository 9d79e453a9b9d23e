import Koa, { type Middleware } from 'koa'
import { Provider } from 'oidc-provider'
import { GatehouseError } from '../../../errors.ts'
import { appendQuery, redirect } from '../../../http/redirect.ts'
import type { ProviderParts } from '../dependencies.ts'
import type { AnswerHere } from '../render-errors.ts'
import { cacheClients, compareSecretsByHash, type ClientAuthenticated } from '../models/clients.ts'
import { storeConsentVersions } from './sessions.ts'
import { nameRefreshTokensAfterTheirFamily } from './tokens.ts'

// This folder holds the code that uses undocumented behaviour of oidc-provider. The comment of each function
// says, after "Relies on:", which behaviour this is. Code in other folders relies only on the order of hooks
// or on the form of a record, and says so in the same way. For each "Relies on:", a test fails when an update
// of oidc-provider changes the behaviour. The behaviour was checked with oidc-provider 9.13.

/** Changes a newly built provider, before its first request. */
export function applySeam(
  provider: Provider,
  models: readonly string[],
  parts: Pick<ProviderParts, 'refreshTokenFormat' | 'settings'>,
  authenticated: ClientAuthenticated,
): void {
  nameModels(provider, [...models, 'IdToken'])
  cacheClients(provider, authenticated)
  compareSecretsByHash(provider, parts.settings, authenticated)
  nameRefreshTokensAfterTheirFamily(provider, parts.refreshTokenFormat)
  takeAddressesFromIssuer(provider)
  takeCookieSecurityFromIssuer(provider)
  storeConsentVersions(provider)
}

/**
 * Gives the classes of models their names back, which the minifier of a bundler may have changed.
 *
 * Relies on: each model is a property of the provider. A model looks up its adapter and its lifetime, and names its stored
 * payload, by the name of its class.
 *
 * @throws {GatehouseError} `ERR_OPTIONS`
 */
function nameModels(provider: Provider, names: readonly string[]): void {
  for (const name of names) {
    const model: unknown = Reflect.get(provider, name)
    if (typeof model === 'function' && Reflect.defineProperty(model, 'name', { value: name })) continue
    const remedy = 'leave the package oidc-provider out of the bundle, or let the bundler keep names'
    throw new GatehouseError(
      'ERR_OPTIONS',
      `the model ${name} of oidc-provider lost its name in a bundle: ${remedy}`,
    )
  }
}

/**
 * oidc-provider without the response mode `form_post`. For this mode, oidc-provider sends responses and errors in a
 * page. This page needs a script, and any site may frame it.
 *
 * The mode `fragment` must exist: if a request asks for a `response_type` that contains `token`, oidc-provider
 * sends its error in this mode. In this class, `fragment` does the same as `query`.
 * `endpoints/authorize.ts` rejects a request for the mode `fragment`. oidc-provider's own mode `query` would write the
 * query of the redirect URI again.
 *
 * Relies on: the constructor registers its response modes with `this.registerResponseMode()`. If a name is
 * registered twice, the first mode stays. All redirects to applications go through a mode.
 */
export class ScriptlessProvider extends Provider {
  answerHere: AnswerHere = async () => false

  override registerResponseMode(...[name]: Parameters<Provider['registerResponseMode']>): void {
    if (name !== 'query') return
    const send: Parameters<Provider['registerResponseMode']>[1] = async (ctx, redirectUri, out) => {
      if ('error' in out && (await this.answerHere(ctx, out))) return
      redirect(ctx, appendQuery(redirectUri, out as Record<string, string>))
    }
    super.registerResponseMode(name, send)
    super.registerResponseMode('fragment', send)
  }
}

/**
 * Makes all addresses in documents and redirects start with the issuer, whatever the `Host` header is.
 *
 * Relies on: oidc-provider takes all these addresses from `ctx.oidc.urlFor()`, which follows the `Host`
 * header. `provider.urlFor()` uses the issuer.
 */
function takeAddressesFromIssuer(provider: Provider): void {
  const { prototype } = provider.OIDCContext as unknown as { prototype: Record<string, unknown> }
  prototype['urlFor'] = (name: string, options?: Record<string, unknown>) => provider.urlFor(name, options)
}

/**
 * Marks cookies as `Secure` if the issuer is https. Behind a proxy that ends TLS, the connection looks like
 * plain http unless the host has set `app.proxy`. So this function takes the scheme from the
 * issuer, whether `app.proxy` is set or not.
 *
 * Relies on: oidc-provider creates every context with `provider.createContext()`, including the contexts from
 * which it reads cookies.
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
 * All middleware of a provider.
 *
 * Relies on: a provider is a Koa app, which keeps its middleware in the list `middleware`.
 */
export function middlewareOf(provider: Provider): readonly Middleware[] {
  return provider.middleware
}
