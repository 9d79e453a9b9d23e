import type { Context } from 'koa'
import { GatehouseError } from '../../errors.ts'
import {
  enter,
  requireAccess,
  type FrontDoorParts,
  type Visit,
  isCsrfTokenExpired,
  requireOwnPage,
} from '../front-door/access.ts'
import { createMatch } from '../front-door/match.ts'
import { Rejection } from '../front-door/rejection.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import { html, type Html } from '../../http/html.ts'
import { Form, isRejection, readForm } from '../../http/form-body.ts'
import { confirmPage } from './elements/confirm.ts'
import { EXPIRED, problemsOf } from './problem-texts.ts'
import { withQuery, type Mount } from './mount.ts'
import { showsSection, withNavigation } from './navigation.ts'
import type { Action, Call, Page, Redirect, View } from './page-types.ts'
import type { Reader } from './reader-formats.ts'
import { FRAGMENT_HEADER } from './send-page.ts'
import type { ConfirmedPermission } from '../../host/accounts.ts'
import { notice } from './elements/elements.ts'

export interface PageHandlerParts extends FrontDoorParts {
  readonly accounts: FrontDoorParts['accounts'] & Pick<HostAccounts, 'signInUrl'>
  /** Whether an account has an API key or application. */
  hasClients(accountId: string): Promise<boolean>
}

/** The page to write, or the address to which the browser continues. Undefined if a page has written the response. */
type Answer = View | string | undefined

/** Shows a page or runs a form after all checks in order: caller, access, CSRF token, fresh sign-in; 422 for mistakes. */
export function createPageHandler(mount: Mount, parts: PageHandlerParts) {
  const match = createMatch(mount.pages, ({ path }) => ({
    path: mount.below(path),
    methods: ['get', 'post'],
  }))

  async function callOf<Resource>(
    visit: Visit<Resource>,
    page: Page,
    path: string,
    texts: Reader,
  ): Promise<Call<Resource>> {
    const { ctx, caller } = visit
    const isOperator = await visit.isOperator()
    const query = Object.entries(ctx.query).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : undefined,
    ])
    const isRead = visit.resource === undefined && mount.has('overview') && page.access !== 'operator'
    // It is read together with the page, which fails by itself if the store is away.
    const isDeveloper = isRead ? parts.hasClients(caller.accountId).catch(() => true) : Promise.resolve(true)
    let csrfToken: string | undefined
    return {
      ...visit,
      query: Object.fromEntries(query) as Call['query'],
      form: new Form(),
      texts,
      get csrfToken() {
        return (csrfToken ??= parts.tokens.issue(ctx, caller))
      },
      problems: [],
      self: mount.address(path),
      to: mount.to,
      isDeveloper,
      has: (section) => showsSection(section, mount, isOperator),
    }
  }

  return async function handlePage(ctx: Context, path: string, reader: Reader): Promise<Answer> {
    const { found: page, params } = await match(ctx, path)
    let visit
    try {
      visit = await enter(page, parts, ctx, params)
    } catch (error) {
      const isSignedOut = error instanceof Rejection && error.reason === 'signedOut'
      const signIn = isSignedOut && (await signInUrl(ctx, mount.address(path), parts))
      if (signIn) return signIn
      throw error
    }
    const call = await callOf(visit, page, path, reader)
    return ctx.method === 'POST' ? submit(page, call, parts) : show(page, call, parts)
  }
}

/**
 * Undefined for a submitted form, because its fields would be lost. The origin to return to is always the issuer's,
 * because the sender of the request chooses its path, which may look like an origin.
 */
async function signInUrl(ctx: Context, address: string, { accounts, issuerOrigin }: PageHandlerParts) {
  const isSubmitted = ctx.method === 'POST' || ctx.get(FRAGMENT_HEADER) !== ''
  if (isSubmitted || !accounts.signInUrl) return undefined
  const { pathname, search } = new URL(address + ctx.search, issuerOrigin)
  const returnTo = Object.assign(new URL(issuerOrigin), { pathname, search })
  return (await accounts.signInUrl(returnTo, ctx, { reauthenticate: false })).href
}

async function submit(page: Page, call: Call, parts: PageHandlerParts): Promise<Answer> {
  requireOwnPage(call, 'console', parts)
  const form = await readForm(call.ctx)
  if (isRejection(form)) throw new Rejection(BODY_REASONS[form.status])
  const isExpired = isCsrfTokenExpired(call, form.get('csrf'), parts)
  const action = actionOf(page, form.get('action') ?? '')
  if (!action) throw new Rejection('body')
  await requireAccess(call, action.access)
  const submitted = { ...call, form }
  if (isExpired) return showAgain(page, action, { ...submitted, problems: [EXPIRED] })
  try {
    const url = await signInAgainUrl(call, action.freshSignIn ?? page.freshSignIn, parts)
    if (url !== undefined) return await showAgain(page, action, submitted, url)
    const outcome = await action.run(submitted)
    if ('body' in outcome) return await withNavigation(outcome, page, submitted)
    return addressOf(call, outcome)
  } catch (error) {
    const problems = problemsOf(error)
    if (problems.length === 0) throw error
    return showAgain(page, action, { ...submitted, problems })
  }
}

function addressOf({ self, to }: Pick<Call, 'self' | 'to'>, { redirect, query, done }: Redirect): string {
  return redirect === undefined ? withQuery(self, { done }) : to(redirect, { ...query, done })
}

function actionOf({ actions }: Page, name: string) {
  return actions && Object.hasOwn(actions, name) ? actions[name] : undefined
}

const BODY_REASONS = { 400: 'body', 413: 'bodyTooLarge', 415: 'mediaType' } as const

async function show(page: Page, call: Call, parts: PageHandlerParts): Promise<Answer> {
  try {
    const otherTab = otherTabPage(call)
    if (otherTab) return await withNavigation(otherTab, page, call)
    const action = actionOf(page, call.query['confirm'] ?? '')
    const isOfAction = action?.confirm !== undefined
    if (isOfAction) await requireAccess(call, action.access)
    const view = isOfAction ? await actionPage(action, call) : await page.show(call)
    // The host is asked last, so that no caller signs in again for a page that does not exist.
    const url = await signInAgainUrl(call, isOfAction ? action.freshSignIn : page.freshSignIn, parts)
    if (url !== undefined || !view) return url
    return 'body' in view ? await withNavigation(view, page, call) : addressOf(call, view)
  } catch (error) {
    // For example, the cursor in a link is invalid.
    if (error instanceof GatehouseError && error.code === 'ERR_INVALID_ARGUMENT')
      throw new Rejection('noRoute')
    throw error
  }
}

/** The page of an action; undefined if the action has no page of its own. */
async function actionPage(action: Action, call: Call): Promise<View | undefined> {
  if (!action.confirm) return undefined
  return confirmPage(call, await action.confirm(call), await action.fields?.(call))
}

/** With what was sent. @param signInAgain where the caller signs in again before the form is accepted */
async function showAgain(page: Page, action: Action, call: Call, signInAgain?: string): Promise<Answer> {
  const hasOwnPage = signInAgain !== undefined || action.fields !== undefined
  const { csrf: _csrf, action: confirm, ...fields } = Object.fromEntries(hasOwnPage ? call.form : [])
  const own = hasOwnPage && (await actionPage(action, { ...call, query: { ...fields, confirm } }))
  const view = own || (await page.show(call))
  if (!view || !('body' in view)) return undefined
  const title = call.texts.plain('problemWindow', { title: view.title })
  if (signInAgain === undefined) return withNavigation({ ...view, title, status: 422 }, page, call)
  const body = html`${signInAgainNotice(call, signInAgain)} ${view.body}`
  return withNavigation({ ...view, body, title, status: 403 }, page, call)
}

/** The parameter of the query that names the page for a tab in which the caller has only signed in again. */
const OTHER_TAB = 'other-tab'

/**
 * Undefined if the act needs no fresh sign-in, or the last one is fresh. Afterwards the host sends the browser back to
 * the page. If a form was sent, it is still open in its tab, so the other tab gets a page without a form.
 */
async function signInAgainUrl(
  { ctx, self }: Pick<Call, 'ctx' | 'self'>,
  permission: ConfirmedPermission | undefined,
  { accounts, issuerOrigin }: Pick<FrontDoorParts, 'accounts' | 'issuerOrigin'>,
): Promise<string | undefined> {
  if (permission === undefined) return undefined
  const search = ctx.method === 'POST' ? `?${OTHER_TAB}=` : ctx.search
  // The origin is always the issuer's, whatever the path is.
  const returnTo = Object.assign(new URL(issuerOrigin), { pathname: self, search })
  return (await accounts.confirm?.(ctx, permission, { base: returnTo.href, returnTo }))?.href
}

/** Says above a form that was sent that it needs a fresh sign-in, with a link that keeps the form in its tab. */
function signInAgainNotice({ texts }: Pick<Call, 'texts'>, url: string): Html {
  return notice(
    'warn',
    html`<p><strong>${texts.html('freshTitle')}</strong></p>
      <p>${texts.html('freshText')}</p>
      <p>
        <a class="button" href="${url}" target="_blank" rel="noopener noreferrer"
          >${texts.html('freshLink')}</a
        >
      </p>`,
  )
}

/** The page for a tab in which the caller has only signed in again. Undefined for every other request. */
function otherTabPage({ texts, query }: Pick<Call, 'texts' | 'query'>): View | undefined {
  if (query[OTHER_TAB] === undefined) return undefined
  return {
    title: texts.plain('freshDoneTitle'),
    body: html`<h1>${texts.html('freshDoneTitle')}</h1>
      <p>${texts.html('freshDoneText')}</p>`,
  }
}
