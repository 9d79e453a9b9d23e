import type { Context, Middleware } from 'koa'
import { createConsentPreview } from '../authorization-server/interaction/consent-preview.ts'
import { createFailures } from '../front-door/failure.ts'
import { Rejection } from '../front-door/rejection.ts'
import { pathBelow } from '../http/request-path.ts'
import { GatehouseError } from '../errors.ts'
import { hasTooManyParameters } from '../http/query-limit.ts'
import type { AnyGatehouse } from '../gatehouse/gatehouse.ts'
import { internalsOf } from '../gatehouse/internals.ts'
import { createPageTokens } from '../http/csrf.ts'
import { createAssets } from './assets/assets.ts'
import {
  checkConsoleOptions,
  checkPartOptions,
  DEFAULT_PATH,
  type ConsoleOptions,
  type ConsolePartOptions,
} from './console-options.ts'
import { createDispatch } from './dispatch.ts'
import { createMount, type Mount } from './mount.ts'
import { errorPage } from './error-page.ts'
import { consolePages } from './pages.ts'
import type { Section } from './page.ts'
import { createReaders, type Reader } from './reader.ts'
import { createResponder } from './respond.ts'
import { createConsoleTexts } from './texts.ts'

/**
 * The console as a middleware, and its parts as further middleware. A part has no navigation. An invalid path throws
 * `ERR_INVALID_ARGUMENT`.
 */
export interface Console extends Middleware {
  /** Only the applications that the signed-in person has authorized, with the button that disconnects them. */
  connectedApplications(options: ConsolePartOptions): Middleware
  /** Only the API keys of the signed-in account: list, creation, secrets, and guides. */
  apiKeys(options: ConsolePartOptions): Middleware
  /** Only the applications of the signed-in account: list, creation, secrets, settings, guides, and previews. */
  applications(options: ConsolePartOptions): Middleware
}

/**
 * Creates the console: pages on which developers manage their API keys and applications, users their connected
 * applications, and operators the service. Mount the console after your session middleware: `accounts.current` says who is
 * signed in. The result also mounts single parts: `createConsole(gatehouse).connectedApplications({ path })`. Starts the
 * gatehouse in the background.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if `accounts` has no `current` and `signInUrl`; `ERR_INVALID_ARGUMENT` for invalid
 *   options, or if `gatehouse` is not from `createGatehouse()`
 */
export function createConsole(gatehouse: AnyGatehouse, options: ConsoleOptions = {}): Console {
  const parts = internalsOf(gatehouse, 'createConsole()')
  checkConsoleOptions(options)
  if (!parts.accounts.current) {
    throw new GatehouseError(
      'ERR_OPTIONS',
      'createConsole() needs accounts.current and accounts.signInUrl: without them, the host does not say who calls',
    )
  }
  const { accounts, branding, issuer, defaultLocale, logger } = parts
  const texts = createConsoleTexts({ texts: options.texts ?? {}, defaultLocale, logger })
  const readerOf = createReaders()
  const assets = createAssets(branding.accentColor)
  const fail = createFailures('a page of the console', parts)
  const previewConsent = createConsentPreview({
    ...parts,
    openIdScopes: parts.settings.openIdScopes,
    accessLifetime: parts.settings.lifetimes.refreshToken,
  })
  const pages = consolePages({ ...parts, previewConsent })
  parts.begin()

  async function findReader(ctx: Context): Promise<Reader> {
    const known = (await options.locale?.(ctx)) || undefined
    if (known === undefined) ctx.vary('Accept-Language')
    return readerOf(texts.forReader(known === undefined ? ctx.acceptsLanguages() : [known]))
  }

  function serve(mount: Mount): Middleware {
    const dispatch = createDispatch(mount, {
      accounts,
      tokens: createPageTokens(parts.csrfKeys, { name: 'console', issuer, path: mount.path }),
      issuerOrigin: new URL(issuer).origin,
      ready: parts.ready,
    })
    const respond = createResponder(mount, { assets, branding }, options)

    async function answer(ctx: Context, path: string): Promise<void> {
      // An error before the language of the reader is known is shown in a language of the browser.
      let reader = readerOf(texts.forReader(ctx.acceptsLanguages()))
      // The callback for the language, and the layout, may read `ctx.query`. So this request gets neither.
      const isAlone = hasTooManyParameters(ctx)
      try {
        if (isAlone) throw new Rejection('query')
        reader = await findReader(ctx)
        const result = await dispatch(ctx, path, reader)
        if (typeof result === 'string') redirect(ctx, result)
        else if (result) await respond(ctx, result, reader)
      } catch (error) {
        const failure = fail(ctx, error)
        ctx.set({ ...failure.headers })
        const view = errorPage(failure, reader, { home: mount.path || '/', retry: mount.path + path })
        try {
          await respond(ctx, view, reader, isAlone)
        } catch (layoutError) {
          // The layout of the host may fail for every page.
          fail(ctx, layoutError)
          await respond(ctx, view, reader, true)
        }
      }
    }

    return async function console(ctx, next) {
      const path = pathBelow(ctx, mount.path)
      if (path === undefined) await next()
      else if (!assets.send(ctx, path)) await answer(ctx, path)
    }
  }

  function part(section: Section, base: string) {
    return function mountPart(partOptions: ConsolePartOptions): Middleware {
      checkPartOptions(partOptions)
      const own = pages.filter((each) => each.section === section)
      return serve(createMount(partOptions.path, own, base))
    }
  }

  return Object.assign(serve(createMount(options.path ?? DEFAULT_PATH, pages)), {
    connectedApplications: part('connected', '/connected-applications'),
    apiKeys: part('apiKeys', '/api-keys'),
    applications: part('applications', '/applications'),
  })
}

function redirect(ctx: Context, address: string): void {
  ctx.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
  ctx.status = 303
  ctx.redirect(address)
}
