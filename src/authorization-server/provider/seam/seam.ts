import Koa, { type Middleware } from 'koa'
import { Provider } from 'oidc-provider'
import { GatehouseError } from '../../../errors.ts'
import { appendQuery, redirect } from '../../../http/redirect.ts'
import type { ProviderParts } from '../dependencies.ts'
import type { AnswerHere } from '../render-errors.ts'
import { cacheClients, compareSecretsByHash, type ClientAuthenticated } from '../models/clients.ts'
import { storeConsentVersions } from './sessions.ts'
import { nameRefreshTokensAfterTheirFamily } from './tokens.ts'

// This folder holds the code that uses undocumented behaviour of oidc-provider, named after "Relies on:". Code in
// other folders relies only on the order of hooks or on the form of a record. For each, a test fails when an update
// of oidc-provider changes the behaviour, which was checked with 9.13.

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
 * The minifier of a bundler may have changed the names of the classes of models.
 *
 * Relies on: each model is a property of the provider. By the name of its class, it looks up its adapter and
 * lifetime, and names its stored payload.
 * @throws {GatehouseError} `ERR_OPTIONS`
 */
function nameModels(provider: Provider, names: readonly string[]): void {
  for (const name of names) {
    const model: unknown = Reflect.get(provider, name)
    if (typeof model === 'function' && Reflect.defineProperty(model, 'name', { value: name })) continue
    const problem = `the model ${name} of oidc-provider lost its name in a bundle`
    const remedy = 'leave the package oidc-provider out of the bundle, or let the bundler keep names'
    throw new GatehouseError('ERR_OPTIONS', `${problem}: ${remedy}`)
  }
}

/**
 * oidc-provider without the response mode `form_post`, whose page needs a script, and may be framed by any site.
 *
 * The mode `fragment` must exist for the error of a `response_type` that contains `token`. Here it does the same as
 * `query`, and `endpoints/authorize.ts` rejects requests for it. oidc-provider's own `query` would write the query of
 * the redirect URI again.
 *
 * Relies on: the constructor registers its response modes with `this.registerResponseMode()`. If a name is registered
 * twice, the first mode stays. All redirects to applications go through a mode.
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
 * Relies on: all addresses come from `ctx.oidc.urlFor()`, by the `Host` header. `provider.urlFor()` uses the issuer.
 */
function takeAddressesFromIssuer(provider: Provider): void {
  const { prototype } = provider.OIDCContext as unknown as { prototype: Record<string, unknown> }
  prototype['urlFor'] = (name: string, options?: Record<string, unknown>) => provider.urlFor(name, options)
}

/**
 * Behind a proxy that ends TLS, the connection looks like plain http unless the host has set `app.proxy`.
 *
 * Relies on: oidc-provider creates every context, also those from which it reads cookies, with `createContext()`.
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

/** Relies on: a provider is a Koa app, which keeps its middleware in the list `middleware`. */
export function middlewareOf(provider: Provider): readonly Middleware[] {
  return provider.middleware
}
