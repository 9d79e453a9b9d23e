import type { Context, Middleware } from 'koa'
import { createConsentPreview } from '../../authorization-server/interaction/consent-preview.ts'
import { createFailures, type Failure } from '../front-door/error-status.ts'
import { wantedLocales } from '../../http/locale.ts'
import { pathBelow } from '../../http/request-path.ts'
import type { AnyGatehouse } from '../../gatehouse/gatehouse.ts'
import { internalsOf } from '../../gatehouse/internals.ts'
import { createPageTokens } from '../../http/csrf.ts'
import { createAssets } from './assets/assets.ts'
import { createClientLists } from '../../clients/client-index.ts'
import {
  checkConsoleOptions,
  checkPartOptions,
  DEFAULT_PATH,
  type ConsoleOptions,
  type ConsolePartOptions,
} from './console-options.ts'
import { createPageHandler } from './show-or-submit.ts'
import { createMount, type Mount } from './mount.ts'
import { consolePages } from './pages.ts'
import type { Section, View } from './page-types.ts'
import { createReaders, type Reader } from './reader-formats.ts'
import { createResponder } from './send-page.ts'
import { createConsoleTexts, type TextName } from './texts.ts'
import { requireCurrent } from '../front-door/part-options.ts'
import { Rejection, type RejectionReason } from '../front-door/rejection.ts'
import { html } from '../../http/html.ts'
import { hasTooManyParameters } from '../../http/query-limit.ts'

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
 * Creates the console. On its pages, developers manage their API keys and applications, users manage their connected
 * applications, and operators manage the service. Mount the console after your session middleware: `accounts.current`
 * says who is signed in. The result also mounts single parts: `createConsole(gatehouse).connectedApplications({ path
 * })`. Starts the gatehouse in the background.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if `accounts` has no `current` and `signInUrl`; `ERR_INVALID_ARGUMENT` for
 *   invalid options, or if `gatehouse` is not from `createGatehouse()`
 */
export function createConsole(gatehouse: AnyGatehouse, options: ConsoleOptions = {}): Console {
  const parts = internalsOf(gatehouse, 'createConsole()')
  checkConsoleOptions(options)
  requireCurrent('createConsole()', parts.accounts)
  const { accounts, branding, catalog, issuer, defaultLocale, logger } = parts
  const texts = createConsoleTexts({ texts: options.texts ?? {}, defaultLocale, logger })
  const readerOf = createReaders()
  const assets = createAssets(branding.accentColor)
  const fail = createFailures('a page of the console', parts)
  const previewConsent = createConsentPreview({
    ...parts,
    openIdScopes: parts.settings.openIdScopes,
    accessLifetime: parts.settings.lifetimes.refreshToken,
  })
  const { usage, limits, documentationUrl } = options
  const pages = consolePages({ ...parts, previewConsent, usage, limits, documentationUrl })
  const clients = createClientLists(parts.store)
  parts.begin()

  const readerOfBrowser = (ctx: Context) => readerOf(texts.forReader(wantedLocales(ctx)))

  async function findReader(ctx: Context) {
    const known = (await options.locale?.(ctx)) || undefined
    if (known !== undefined) return readerOf(texts.forReader([known]))
    ctx.vary('Accept-Language')
    return readerOfBrowser(ctx)
  }

  function serve(mount: Mount): Middleware {
    const handlePage = createPageHandler(mount, {
      accounts,
      catalog,
      tokens: createPageTokens(parts.csrfKeys, { name: 'console', issuer, path: mount.path }),
      issuerOrigin: new URL(issuer).origin,
      hasClients: async (accountId) => (await clients.count(accountId, 1)) > 0,
      ready: parts.ready,
    })
    const respond = createResponder(mount, { ...parts, assets }, options)

    async function answer(ctx: Context, path: string): Promise<void> {
      // The reader's language is not known yet.
      let reader = readerOfBrowser(ctx)
      // The host's functions `locale` and `layout` may read `ctx.query`, which has too many parameters.
      const isAlone = hasTooManyParameters(ctx)
      try {
        if (isAlone) throw new Rejection('query')
        reader = await findReader(ctx)
        const result = await handlePage(ctx, path, reader)
        if (typeof result === 'string') redirect(ctx, result)
        else if (result) await respond(ctx, result, reader)
      } catch (error) {
        const failure = fail(ctx, error)
        ctx.set({ ...failure.headers })
        const view = errorPage(failure, reader, { home: mount.address('/'), retry: mount.address(path) })
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
      const path = pathBelow(ctx, mount.mountPath)
      if (path === undefined) await next()
      else if (!assets.send(ctx, path)) await answer(ctx, path)
    }
  }

  function part(section: Section, base: string) {
    return function mountPart(partOptions: ConsolePartOptions): Middleware {
      checkPartOptions(partOptions)
      const own = pages.filter((each) => each.section === section)
      return serve(createMount(partOptions, own, base))
    }
  }

  return Object.assign(serve(createMount({ ...options, path: options.path ?? DEFAULT_PATH }, pages)), {
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

function errorPage(failure: Failure, texts: Reader, { home, retry }: { home: string; retry: string }): View {
  const { status, code, reason } = failure
  const [title, text] = textsOf(failure)
  const isTemporary = status >= 500 || code === 'ERR_IN_PROGRESS' || reason === 'signedOut'
  const link = reason === 'signedOut' ? 'signInLink' : 'tryAgainLink'
  return {
    title: texts.plain(title),
    status,
    body: html`<h1>${texts.html(title)}</h1>
      <p>${texts.html(text)}</p>
      <p class="line">
        ${isTemporary && html`<a href="${retry}">${texts.html(link)}</a>`}
        <a href="${home}">${texts.html('backToStart')}</a>
      </p>`,
  }
}

function textsOf({ status, code, reason, details: { limit } }: Failure): readonly [TextName, TextName] {
  if (limit) return ['errorForbiddenTitle', limit === 'owner' ? 'errorOwner' : 'errorOperator']
  if (reason) return REJECTIONS[reason]
  if (code === 'ERR_IN_PROGRESS') return ['errorBusyTitle', 'errorInProgress']
  if (code === 'ERR_IDEMPOTENCY_KEY') return ['errorFormTitle', 'errorRepeated']
  if (status === 404) return NOT_FOUND
  return status === 503 ? ['errorBusyTitle', 'errorBusy'] : ['errorInternalTitle', 'errorInternal']
}

const NOT_FOUND = ['errorNotFoundTitle', 'errorNotFound'] as const
const METHOD = ['errorNotFoundTitle', 'errorMethod'] as const
const FORM = ['errorFormTitle', 'errorForm'] as const

const REJECTIONS: Record<RejectionReason, readonly [TextName, TextName]> = {
  query: METHOD,
  noRoute: NOT_FOUND,
  method: METHOD,
  signedOut: ['errorSignInTitle', 'errorSignIn'],
  forbidden: ['errorForbiddenTitle', 'errorForbidden'],
  confirm: ['errorForbiddenTitle', 'errorForbidden'],
  foreignPage: FORM,
  csrfToken: FORM,
  csrfExpired: FORM,
  body: FORM,
  bodyTooLarge: FORM,
  mediaType: FORM,
  input: FORM,
  unconditional: FORM,
}
