import { Router } from '@koa/router'
import type { Context } from 'koa'
import { GatehouseError, type Problem } from '../errors.ts'
import type { Permission } from '../host/accounts.ts'
import { findCaller } from '../host/caller.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import { requesterOf } from '../http/client-address.ts'
import { sendingSite } from '../http/csrf.ts'
import { Form, isRejection, readForm } from '../http/form-body.ts'
import type { PageTokens } from '../http/page-tokens.ts'
import { ConsoleError } from './console-error.ts'
import type { Mount } from './mount.ts'
import type { Access, Call, Page, Redirect, View } from './page.ts'
import type { Reader } from './reader.ts'

/** The header with which a script asks for a page without a document around it. */
export const FRAGMENT_HEADER = 'X-Gatehouse-Fragment'

/** What the checks of a request need. */
export interface DispatchParts {
  readonly accounts: Pick<HostAccounts, 'current' | 'can' | 'isOperator' | 'signInUrl'>
  readonly tokens: PageTokens
  readonly issuerOrigin: string
  /** Waits until the service has started. */
  ready(): Promise<unknown>
}

/** A page to write, with what its navigation and its notices need. */
export interface Shown {
  readonly view: View
  readonly page: Page
  readonly call: Call
}

/** The codes of errors about the input of a form. The page is shown again with the problems. */
const INPUT_ERRORS: readonly string[] = [
  'ERR_INVALID_ARGUMENT',
  'ERR_SCOPE_TOO_LARGE',
  'ERR_CONFLICT',
  'ERR_TOO_MANY_CLIENTS',
]

/**
 * Creates a function that answers a request by the pages of a mount. The function returns the page to write, or the page
 * to which the browser continues. It returns undefined if a page has written the response itself.
 */
export function createDispatch(mount: Mount, parts: DispatchParts) {
  const { accounts, tokens, issuerOrigin } = parts
  const router = new Router({ sensitive: true, strict: true })
  const matches = new WeakMap<object, Page>()
  for (const each of mount.pages) {
    router.register(mount.below(each.path), ['get', 'post'], [(ctx) => void matches.set(ctx, each)])
  }
  const run = router.routes()

  /** Finds the page of a path, and sets the parameters of the path in `ctx.params`. */
  async function findPage(ctx: Context, path: string): Promise<Page> {
    const { path: matched, route } = router.match(path, ctx.method)
    if (matched.length === 0) throw new ConsoleError('notFound')
    if (!route) {
      ctx.set('Allow', 'GET, HEAD, POST')
      throw new ConsoleError('method')
    }
    // The router reads the path from this field, if it is set.
    const routed = ctx as { newRouterPath?: string }
    routed.newRouterPath = path
    try {
      await run(ctx as unknown as Parameters<typeof run>[0], async () => {})
    } finally {
      delete routed.newRouterPath
    }
    const page = matches.get(ctx)
    if (!page) throw new ConsoleError('notFound')
    return page
  }

  /** @param path the path below the mount path */
  return async function dispatch(
    ctx: Context,
    path: string,
    reader: Reader,
  ): Promise<Shown | Redirect | URL | undefined> {
    const page = await findPage(ctx, path)
    await parts.ready()
    const caller = await findCaller(accounts, ctx)
    if (!caller) return signIn(ctx)
    const call = await createCall(page, { ctx, caller, texts: reader, self: mount.path + path })
    await requireAccess(page.access, call)
    if (ctx.method !== 'POST') return shown(page, call)
    return submit(page, call)
  }

  /**
   * The address of the host's sign-in page. A form cannot continue there, because its fields would be lost. A request
   * target in absolute form names an origin, which the sender chooses. So only its path and its query are used.
   */
  async function signIn(ctx: Context): Promise<URL> {
    const isSubmitted = ctx.method === 'POST' || ctx.get(FRAGMENT_HEADER) !== ''
    if (isSubmitted || !accounts.signInUrl) throw new ConsoleError('signIn')
    const { pathname, search } = new URL(ctx.originalUrl, issuerOrigin)
    const returnTo = Object.assign(new URL(issuerOrigin), { pathname, search })
    return accounts.signInUrl(returnTo, ctx, { reauthenticate: false })
  }

  async function createCall(
    page: Page,
    { ctx, caller, texts, self }: Pick<Call, 'ctx' | 'caller' | 'texts' | 'self'>,
  ): Promise<Call> {
    const params = ctx['params'] as Readonly<Record<string, string>>
    const isOperator = (await accounts.isOperator?.(ctx)) ?? false
    // An operator page is not found by others, before anything else is read.
    if (page.access === 'operator' && !isOperator) throw new ConsoleError('forbidden')
    const resource = await page.find?.(caller, params)
    const target = { accountId: caller.accountId, ...page.target?.(resource) }
    let csrfToken: string | undefined
    return {
      ctx,
      caller,
      isOperator,
      params,
      query: Object.fromEntries(
        Object.entries(ctx.query).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : undefined,
        ]),
      ),
      form: new Form(),
      resource,
      texts,
      get csrfToken() {
        return (csrfToken ??= tokens.issue(ctx, caller))
      },
      change: { actor: caller.actor, ...requesterOf(ctx) },
      problems: [],
      self,
      to: mount.to,
      has: (section) => mount.has(section) && (section !== 'operator' || isOperator),
      may: async (permission: Permission) => (await accounts.can?.(ctx, permission, target)) ?? true,
    }
  }

  async function requireAccess(access: Access, call: Call): Promise<void> {
    const isAllowed =
      access === 'signed-in' || (access === 'operator' ? call.isOperator : await call.may(access))
    if (!isAllowed) throw new ConsoleError('forbidden')
  }

  async function submit(page: Page, call: Call): Promise<Shown | Redirect | undefined> {
    const { ctx, caller } = call
    if (sendingSite(ctx, issuerOrigin) === 'foreign') throw new ConsoleError('form')
    const form = await readForm(ctx)
    if (isRejection(form)) throw new ConsoleError('body', form.status)
    const state = tokens.check(ctx, form.get('csrf'), caller)
    if (state === 'invalid') throw new ConsoleError('form')
    const name = form.get('action') ?? ''
    const action = page.actions && Object.hasOwn(page.actions, name) ? page.actions[name] : undefined
    if (!action) throw new ConsoleError('body', 400)
    await requireAccess(action.access, call)
    const submitted = { ...call, form }
    if (state === 'expired') {
      const problems = [{ path: '', message: EXPIRED }]
      return shown(page, { ...submitted, problems }, EXPIRED)
    }
    try {
      const outcome = await action.run(submitted)
      return 'redirect' in outcome ? outcome : { view: outcome, page, call: submitted }
    } catch (error) {
      const problems = problemsOf(error)
      if (problems.length === 0) throw error
      return shown(page, { ...submitted, problems }, error)
    }
  }

  async function shown(page: Page, call: Call, error?: unknown): Promise<Shown | undefined> {
    const view = await page.show(call)
    if (!view || error === undefined) return view && { view, page, call }
    const title = call.texts.plain('problemWindow', { title: view.title })
    return { view: { ...view, title, status: 422 }, page, call }
  }
}

/** What the page says above a form that was open for too long. The form has a new token. */
const EXPIRED = 'the form is more than 24 hours old: check it, and send it again'

/** What is wrong with a submitted form; empty if the error has another cause. */
function problemsOf(error: unknown): readonly Problem[] {
  if (!(error instanceof GatehouseError) || !INPUT_ERRORS.includes(error.code)) return []
  if (error.problems.length > 0) return error.problems
  const [message = ''] = error.message.split('\n', 1)
  return [{ path: '', message }]
}
