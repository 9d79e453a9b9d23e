import type { Context } from 'koa'
import { GatehouseError } from '../../errors.ts'
import { enter, requireAccess, type FrontDoorParts, type Visit } from '../front-door/access.ts'
import { isCsrfTokenExpired, requireOwnPage } from '../front-door/csrf-check.ts'
import { createMatch } from '../front-door/match.ts'
import { Rejection } from '../front-door/rejection.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import { Form, isRejection, readForm } from '../../http/form-body.ts'
import { continuePage, freshSignInOf, type FreshSignInParts } from './fresh-sign-in-pages.ts'
import { confirmPage } from './elements/confirm.ts'
import { EXPIRED, GONE, problemsOf, type FormProblem } from './problem-texts.ts'
import type { Mount } from './mount.ts'
import { showsSection, withNavigation } from './navigation.ts'
import type { Call, Page, View } from './page-types.ts'
import type { Reader } from './reader-formats.ts'
import { FRAGMENT_HEADER } from './send-page.ts'

/** What the checks of a request need. */
export interface PageHandlerParts extends FrontDoorParts, FreshSignInParts {
  readonly accounts: FrontDoorParts['accounts'] & Pick<HostAccounts, 'signInUrl'>
}

/** The page to write, or the address to which the browser continues. Undefined if a page has written the response. */
type Answer = View | string | undefined

/** Creates a function that answers a request with one of the pages of a mount. */
export function createPageHandler(mount: Mount, parts: PageHandlerParts) {
  const match = createMatch(mount.pages, ({ path }) => ({
    path: mount.below(path),
    methods: ['get', 'post'],
  }))

  /** @param path the path below the mount path */
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
    const call = await callOf(visit, { mount, texts: reader, path, tokens: parts.tokens })
    return ctx.method === 'POST' ? submit(page, call, parts) : show(page, call, parts)
  }
}

/**
 * The address of the host's sign-in page. Undefined for a submitted form, because its fields would be lost. The sender
 * of the request chooses its path, which may look like an origin. So the address to return to always has the origin of
 * the issuer.
 */
async function signInUrl(ctx: Context, address: string, { accounts, issuerOrigin }: PageHandlerParts) {
  const isSubmitted = ctx.method === 'POST' || ctx.get(FRAGMENT_HEADER) !== ''
  if (isSubmitted || !accounts.signInUrl) return undefined
  const { pathname, search } = new URL(address + ctx.search, issuerOrigin)
  const returnTo = Object.assign(new URL(issuerOrigin), { pathname, search })
  return (await accounts.signInUrl(returnTo, ctx, { reauthenticate: false })).href
}

async function callOf<Resource>(
  visit: Visit<Resource>,
  {
    mount,
    texts,
    path,
    tokens,
  }: { mount: Mount; texts: Reader; path: string; tokens: PageHandlerParts['tokens'] },
): Promise<Call<Resource>> {
  const { ctx, caller } = visit
  const isOperator = await visit.isOperator()
  const query = Object.entries(ctx.query).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : undefined,
  ])
  let csrfToken: string | undefined
  return {
    ...visit,
    query: Object.fromEntries(query) as Call['query'],
    form: new Form(),
    texts,
    get csrfToken() {
      return (csrfToken ??= tokens.issue(ctx, caller))
    },
    problems: [],
    self: mount.address(path),
    to: mount.to,
    requireFreshSignIn: () => Promise.reject(new Error('only the action of a form may need a fresh sign-in')),
    has: (section) => showsSection(section, mount, isOperator),
  }
}

async function submit(page: Page, call: Call, parts: PageHandlerParts): Promise<Answer> {
  requireOwnPage(call, 'console', parts)
  const form = await readForm(call.ctx)
  if (isRejection(form)) throw new Rejection(BODY_REASONS[form.status])
  const isExpired = isCsrfTokenExpired(call, form.get('csrf'), parts)
  const name = form.get('action') ?? ''
  const action = actionOf(page, name)
  if (!action) throw new Rejection('body')
  await requireAccess(call, action.access)
  const { requireFreshSignIn, askAgain } = freshSignInOf(call, page, parts)
  const submitted = { ...call, form, requireFreshSignIn }
  if (isExpired) return showAgain(page, submitted, [EXPIRED])
  try {
    const outcome = await action.run(submitted)
    if (!('redirect' in outcome)) return withNavigation(outcome, page, submitted)
    return call.to(outcome.redirect, { ...outcome.query, done: outcome.done })
  } catch (error) {
    const asked = await askAgain(error, form)
    if (asked) return withNavigation(asked, page, call)
    const problems = problemsOf(error)
    if (problems.length === 0) throw error
    return showAgain(page, submitted, problems)
  }
}

function actionOf({ actions }: Page, name: string) {
  return actions && Object.hasOwn(actions, name) ? actions[name] : undefined
}

const BODY_REASONS = { 400: 'body', 413: 'bodyTooLarge', 415: 'mediaType' } as const

async function show(page: Page, call: Call, parts: PageHandlerParts): Promise<Answer> {
  try {
    const kept = await continuePage(call, page, parts)
    if (kept === 'gone') return await showAgain(page, call, [GONE])
    if (kept) return withNavigation(kept, page, call)
    const action = actionOf(page, call.query['confirm'] ?? '')
    if (action?.confirm) {
      await requireAccess(call, action.access)
      return withNavigation(confirmPage(call, await action.confirm(call)), page, call)
    }
    const view = await page.show(call)
    return view && withNavigation(view, page, call)
  } catch (error) {
    // For example, the cursor in a link is invalid.
    if (error instanceof GatehouseError && error.code === 'ERR_INVALID_ARGUMENT')
      throw new Rejection('noRoute')
    throw error
  }
}

/** Shows the page of a rejected form again, with the problems. */
async function showAgain(page: Page, call: Call, problems: readonly FormProblem[]): Promise<Answer> {
  const again = { ...call, problems }
  const view = await page.show(again)
  if (!view) return undefined
  const title = call.texts.plain('problemWindow', { title: view.title })
  return withNavigation({ ...view, title, status: 422 }, page, again)
}
