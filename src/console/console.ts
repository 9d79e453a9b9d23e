import type { Context, Middleware } from 'koa'
import type { Branding } from '../authorization-server/interaction/pages/layout.ts'
import { pathBelow } from '../authorization-server/routing/mount-path.ts'
import { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import type { Logger } from '../host/logger.ts'
import { createCsrfTokens } from '../http/csrf.ts'
import { checkInput } from '../validation/check-input.ts'
import { mountPathProblem } from '../validation/mount-path.ts'
import { booleanRule, must, optional } from '../validation/rules.ts'
import { createAssets } from './assets/assets.ts'
import type { ConsoleOptions, ConsolePartOptions } from './console-options.ts'
import { createDispatch } from './dispatch.ts'
import { errorPage, framed } from './frame.ts'
import { createMount, type Mount } from './mount.ts'
import { consolePages } from './pages.ts'
import type { ConsoleServices } from './services.ts'
import type { Section } from './page.ts'
import { createReaders, type Reader } from './reader.ts'
import { createErrorReports } from './report-errors.ts'
import { createResponder } from './respond.ts'
import { createConsoleTexts } from './texts.ts'

/** What the console needs from the rest of the service. */
export interface ConsoleParts extends ConsoleServices {
  readonly accounts: HostAccounts
  readonly branding: Branding
  /** The HMAC keys of CSRF tokens, newest first. */
  readonly csrfKeys: readonly Uint8Array[]
  readonly events: EventSink
  readonly logger: Logger
  /** Waits until the service has started, as long as a request may wait. */
  ready(): Promise<unknown>
}

/** The console as a middleware, and its parts as further middleware. */
export interface Console extends Middleware {
  /** Only the applications that the signed-in user has authorized, for the settings of users. */
  connectedApplications(options: ConsolePartOptions): Middleware
  /** Only the API keys of the signed-in account. */
  apiKeys(options: ConsolePartOptions): Middleware
  /** Only the applications of the signed-in account. */
  applications(options: ConsolePartOptions): Middleware
}

/**
 * The console as a middleware: pages for developers, users and operators. It passes requests of other paths to the next
 * middleware.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options; `ERR_OPTIONS` if `accounts` has no `current`, so
 *   that no caller can be known
 */
export function createConsole(parts: ConsoleParts, options: ConsoleOptions = {}): Console {
  checkInput('gatehouse.console()', options, CONSOLE_FIELDS)
  if (!parts.accounts.current) {
    throw new GatehouseError(
      'ERR_OPTIONS',
      'gatehouse.console() needs accounts.current and accounts.signInUrl: without them, the host does not say who calls',
    )
  }
  const { accounts, branding, issuer, defaultLocale, logger } = parts
  const texts = createConsoleTexts({ texts: options.texts ?? {}, defaultLocale, logger })
  const readerOf = createReaders()
  const assets = createAssets(branding.accentColor)
  const csrfTokens = createCsrfTokens(parts.csrfKeys)
  const toConsoleError = createErrorReports(parts)
  const pages = consolePages(parts)

  async function findReader(ctx: Context): Promise<Reader> {
    const known = (await options.locale?.(ctx)) || undefined
    if (known === undefined) ctx.vary('Accept-Language')
    return readerOf(texts.forReader(known === undefined ? ctx.acceptsLanguages() : [known]))
  }

  function serve(mount: Mount): Middleware {
    const dispatch = createDispatch(mount, {
      accounts,
      csrfTokens,
      issuerOrigin: new URL(issuer).origin,
      ready: parts.ready,
    })
    const respond = createResponder({ mount, assets, branding, options })

    async function answer(ctx: Context, path: string): Promise<void> {
      let reader = readerOf(texts.forReader(ctx.acceptsLanguages()))
      try {
        reader = await findReader(ctx)
        const result = await dispatch(ctx, path, reader)
        if (result === undefined) return
        if (result instanceof URL) return redirect(ctx, result.href)
        if ('redirect' in result) {
          const { redirect: target, query, done } = result
          return redirect(ctx, mount.to(target, { ...query, done }))
        }
        const { title, status = 200, images, hasFrame } = result.view
        await respond(ctx, { title, status, images, hasFrame, body: framed(result) }, reader)
      } catch (error) {
        const problem = toConsoleError(ctx, error)
        const body = errorPage(problem, reader, mount, mount.path + path)
        const page = { title: reader.plain(problem.title), status: problem.status, body }
        try {
          await respond(ctx, page, reader)
        } catch (failure) {
          // The frame of the host fails for every page.
          toConsoleError(ctx, failure)
          await respond(ctx, { ...page, isAlone: true }, reader)
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
      checkInput('a part of gatehouse.console()', partOptions, { path: mountPathProblem })
      const own = pages.filter((each) => each.section === section)
      return serve(createMount(partOptions.path, own, base))
    }
  }

  return Object.assign(serve(createMount(options.path ?? '/console', pages)), {
    connectedApplications: part('connected', '/connected-applications'),
    apiKeys: part('apiKeys', '/api-keys'),
    applications: part('applications', '/applications'),
  })
}

const isFunction = (value: unknown) => typeof value === 'function'

const CONSOLE_FIELDS = {
  path: optional(mountPathProblem),
  layout: optional(must('a function', isFunction)),
  texts: optional(must('texts by locale', (value) => typeof value === 'object' && value !== null)),
  locale: optional(must('a function', isFunction)),
  sameOriginFrame: optional(booleanRule),
}

function redirect(ctx: Context, address: string): void {
  ctx.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
  ctx.status = 303
  ctx.redirect(address)
}
