import type { Context } from 'koa'
import { GatehouseError } from '../errors.ts'
import {
  enter,
  isCsrfTokenExpired,
  requireAccess,
  requireOwnPage,
  type FrontDoorParts,
  type Visit,
} from '../front-door/enter.ts'
import { createMatch } from '../front-door/match.ts'
import { Rejection } from '../front-door/rejection.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import { Form, isRejection, readForm } from '../http/form-body.ts'
import { EXPIRED, problemsOf, type FormProblem } from './form-problems.ts'
import type { Mount } from './mount.ts'
import type { Call, Page, Redirect, View } from './page.ts'
import type { Reader } from './reader.ts'

/** The header with which a script asks for a page without a document around it. */
export const FRAGMENT_HEADER = 'X-Gatehouse-Fragment'

/** What the checks of a request need. */
export interface DispatchParts extends FrontDoorParts {
  readonly accounts: Pick<HostAccounts, 'current' | 'can' | 'isOperator' | 'signInUrl'>
}

/** A page to write, with what its navigation and its notices need. */
export interface Shown {
  readonly view: View
  readonly page: Page
  readonly call: Call
}

/**
 * Creates a function that answers a request by the pages of a mount. The function returns the page to write, or the page
 * to which the browser continues. It returns undefined if a page has written the response itself.
 */
export function createDispatch(mount: Mount, parts: DispatchParts) {
  const match = createMatch(mount.pages, ({ path }) => ({
    path: mount.below(path),
    methods: ['get', 'post'],
  }))

  /** @param path the path below the mount path */
  return async function dispatch(
    ctx: Context,
    path: string,
    reader: Reader,
  ): Promise<Shown | Redirect | URL | undefined> {
    const { found: page, params } = await match(ctx, path)
    let visit
    try {
      visit = await enter(page, parts, ctx, params)
    } catch (error) {
      const signIn = isSignedOut(error) && (await signInUrl(ctx, parts))
      if (signIn) return signIn
      throw error
    }
    const call = await callOf(visit, { mount, texts: reader, path, tokens: parts.tokens })
    return ctx.method === 'POST' ? submit(page, call, parts) : show(page, call)
  }
}

function isSignedOut(error: unknown): boolean {
  return error instanceof Rejection && error.reason === 'signedOut'
}

/**
 * The address of the host's sign-in page. A form cannot continue there, because its fields would be lost. A request
 * target in absolute form names an origin, which the sender chooses. So only its path and its query are used.
 */
async function signInUrl(ctx: Context, { accounts, issuerOrigin }: DispatchParts): Promise<URL | undefined> {
  const isSubmitted = ctx.method === 'POST' || ctx.get(FRAGMENT_HEADER) !== ''
  if (isSubmitted || !accounts.signInUrl) return undefined
  const { pathname, search } = new URL(ctx.originalUrl, issuerOrigin)
  const returnTo = Object.assign(new URL(issuerOrigin), { pathname, search })
  return accounts.signInUrl(returnTo, ctx, { reauthenticate: false })
}

async function callOf<Resource>(
  visit: Visit<Resource>,
  {
    mount,
    texts,
    path,
    tokens,
  }: { mount: Mount; texts: Reader; path: string } & Pick<DispatchParts, 'tokens'>,
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
    self: mount.path + path,
    to: mount.to,
    has: (section) => mount.has(section) && (section !== 'operator' || isOperator),
  }
}

async function submit(page: Page, call: Call, parts: DispatchParts): Promise<Shown | Redirect | undefined> {
  requireOwnPage(call, 'console', parts)
  const form = await readForm(call.ctx)
  if (isRejection(form)) throw new Rejection(BODY_REASONS[form.status])
  const isExpired = isCsrfTokenExpired(call, form.get('csrf'), parts)
  const name = form.get('action') ?? ''
  const action = page.actions && Object.hasOwn(page.actions, name) ? page.actions[name] : undefined
  if (!action) throw new Rejection('body')
  await requireAccess(call, action.access)
  const submitted = { ...call, form }
  if (isExpired) return showAgain(page, submitted, [EXPIRED])
  try {
    const outcome = await action.run(submitted)
    return 'redirect' in outcome ? outcome : { view: outcome, page, call: submitted }
  } catch (error) {
    const problems = problemsOf(error)
    if (problems.length === 0) throw error
    return showAgain(page, submitted, problems)
  }
}

const BODY_REASONS = { 400: 'body', 413: 'bodyTooLarge', 415: 'mediaType' } as const

async function show(page: Page, call: Call): Promise<Shown | undefined> {
  try {
    const view = await page.show(call)
    return view && { view, page, call }
  } catch (error) {
    // A link with another cursor than one of ours, for example.
    if (error instanceof GatehouseError && error.code === 'ERR_INVALID_ARGUMENT')
      throw new Rejection('noRoute')
    throw error
  }
}

/** Shows the page of a rejected form again, with what is wrong. */
async function showAgain(
  page: Page,
  call: Call,
  problems: readonly FormProblem[],
): Promise<Shown | undefined> {
  const again = { ...call, problems }
  const view = await page.show(again)
  if (!view) return undefined
  const title = call.texts.plain('problemWindow', { title: view.title })
  return { view: { ...view, title, status: 422 }, page, call: again }
}
