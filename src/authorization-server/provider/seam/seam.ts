import Koa, { type Middleware } from 'koa'
import { Provider } from 'oidc-provider'
import type { ProviderDependencies } from '../dependencies.ts'
import { cacheClients, compareSecretsByHash, type ClientAuthenticated } from './clients.ts'
import { storeConsentVersions } from './sessions.ts'
import { nameRefreshTokensAfterTheirFamily } from './tokens.ts'

// This folder holds the code that uses undocumented behaviour of oidc-provider. Each function says what it relies on.
// Code in other folders may rely on the order of hooks or on the form of a record. It says so in its place, also with
// "Relies on:". For each of these comments, a test fails when an update of oidc-provider changes the behaviour (checked
// with 9.13).

/** Changes a newly built provider, before its first request. */
export function applySeam(
  provider: Provider,
  { registry, refreshTokenFormat }: Pick<ProviderDependencies, 'registry' | 'refreshTokenFormat'>,
  clientAuthenticated: ClientAuthenticated,
): void {
  cacheClients(provider)
  compareSecretsByHash(provider, registry, clientAuthenticated)
  nameRefreshTokensAfterTheirFamily(provider, refreshTokenFormat)
  takeAddressesFromIssuer(provider)
  takeCookieSecurityFromIssuer(provider)
  storeConsentVersions(provider)
}

/**
 * oidc-provider without the response mode `form_post`. It answers that mode, and errors in it, with a page that needs a
 * script and that any site may frame. Errors of a response type with `token` in its name go to the mode `fragment`,
 * which must exist: here it is the same as `query`. Requests for the mode `fragment` are rejected
 * (`endpoints/authorize.ts`).
 *
 * Relies on: the constructor registers its response modes with `this.registerResponseMode()`, and the first mode of a
 * name stays.
 */
export class ScriptlessProvider extends Provider {
  override registerResponseMode(...[name, handler]: Parameters<Provider['registerResponseMode']>): void {
    if (name === 'form_post') return
    super.registerResponseMode(name, handler)
    if (name === 'query') super.registerResponseMode('fragment', handler)
  }
}

/**
 * Relies on: all addresses in documents and redirects come from `ctx.oidc.urlFor()`, which follows the `Host`
 * header; `provider.urlFor()` uses the issuer.
 */
function takeAddressesFromIssuer(provider: Provider): void {
  const { prototype } = provider.OIDCContext as unknown as { prototype: Record<string, unknown> }
  prototype['urlFor'] = (name: string, options?: Record<string, unknown>) => provider.urlFor(name, options)
}

/**
 * Relies on: oidc-provider creates every context with `provider.createContext()`, including the contexts from which it
 * reads cookies. Behind a proxy that ends TLS, the connection looks like plain http unless the host has set
 * `app.proxy`. The issuer is right in both cases.
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
 * Relies on: a provider is a Koa app, which keeps its middleware in this list.
 */
export function middlewareOf(provider: Provider): readonly Middleware[] {
  return provider.middleware
}
