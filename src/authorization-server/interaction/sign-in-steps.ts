import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import type { SignedIn } from '../../host/accounts.ts'
import { addressGroup } from '../../http/client-address.ts'
import type { CsrfTokens } from '../../http/csrf.ts'
import { createSignInRateLimit } from './sign-in-rate-limit.ts'
import { bindingOf, type FormCheck } from './check-form.ts'
import type { PendingInteraction } from './port.ts'
import type { InteractionOptions, StepResult } from './step.ts'
import type { Texts } from './texts.ts'

/** Marks the way back from the host's sign-in page, so that nobody is sent there in a circle. */
const RETURNED = 'returned'

const now = () => Math.floor(Date.now() / 1000)

/** The steps of an interaction that waits for somebody to sign in. */
export function createSignInSteps(
  tools: Pick<InteractionOptions, 'port' | 'accounts' | 'pages' | 'signInAttempts'> & {
    readonly csrf: CsrfTokens
    readonly checkForm: FormCheck
    readonly addressOf: (pending: PendingInteraction, action?: string) => URL
  },
) {
  const { port, accounts, pages, csrf, checkForm, addressOf } = tools
  const attempts = createSignInRateLimit({ ...tools.signInAttempts, now })

  /** Signs in by the host's session, sends the browser to where the host signs in, or shows our own page. */
  async function show(ctx: Context, pending: PendingInteraction): Promise<StepResult> {
    if (accounts.current) {
      const who = (await accounts.current(ctx)) || undefined
      const isNobody = who !== undefined && !(await isKnown(who))
      if (who && !isNobody && isProven(who, pending)) {
        const { accountId, userId, signedInAt } = who
        return port.signedIn(ctx, pending, { accountId, userId, signedInAt })
      }
      if (ctx.query[RETURNED] !== undefined) {
        const description = who ? 'the person did not sign in anew' : 'the person did not sign in'
        return port.failed(ctx, pending, 'login_required', description)
      }
      if (accounts.signInUrl) {
        const returnTo = addressOf(pending)
        returnTo.searchParams.set(RETURNED, '1')
        // A session of an account that is gone is of no use: whoever comes back must be somebody else.
        const reauthenticate = pending.reauthenticate || isNobody
        return new URL(await accounts.signInUrl(returnTo, ctx, { reauthenticate }), returnTo)
      }
    } else if (accounts.authenticate) {
      renderPage(ctx, pending, { identifier: pending.loginHint })
      return undefined
    }
    pages.renderError(ctx, {
      status: 501,
      error: 'server_error',
      text: 'errorNoSignIn',
      ...localesOf(pending),
    })
    return undefined
  }

  /** Takes what was typed into our own page. */
  async function submit(ctx: Context, pending: PendingInteraction): Promise<StepResult> {
    // Sent again, by the back button say, when somebody has signed in already.
    if (pending.prompt !== 'login') return addressOf(pending)
    if (accounts.current || !accounts.authenticate) {
      pages.renderError(ctx, {
        status: 404,
        error: 'not_found',
        text: 'errorNotFound',
        ...localesOf(pending),
      })
      return undefined
    }
    const form = await checkForm(ctx, pending)
    if (!form) return undefined

    const identifier = form.get('identifier')?.trim() ?? ''
    const password = form.get('password') ?? ''
    if (identifier === '' || password === '' || identifier.length > 320 || password.length > 1024) {
      renderPage(ctx, pending, { status: 400, identifier, problem: 'signInIncomplete' })
      return undefined
    }
    const key = attemptKey(ctx.ip, identifier)
    const wait = attempts.take(pending.uid, key)
    if (wait > 0) {
      ctx.set('Retry-After', String(wait))
      renderPage(ctx, pending, { status: 429, identifier, problem: 'signInTooOften' })
      return undefined
    }
    const who = await accounts.authenticate({ identifier, password }, ctx)
    if (!who || !(await isKnown(who))) {
      renderPage(ctx, pending, { status: 401, identifier, problem: 'signInFailed' })
      return undefined
    }
    attempts.forget(key)
    const { accountId, userId } = who
    return port.signedIn(ctx, pending, { accountId, userId, signedInAt: now() })
  }

  /** Whether the host has the account (still): without one there would be nobody to go on with. */
  async function isKnown({ accountId, userId }: SignedIn): Promise<boolean> {
    return (await accounts.find(accountId, userId)) !== undefined
  }

  function renderPage(
    ctx: Context,
    pending: PendingInteraction,
    state: { status?: number; identifier?: string | undefined; problem?: keyof Texts },
  ): void {
    pages.renderSignIn(ctx, {
      ...state,
      ...localesOf(pending),
      action: addressOf(pending, 'sign-in').pathname,
      csrfToken: csrf.issue(...bindingOf(pending)),
      application: pending.application,
    })
  }

  return { show, submit }
}

/** Whether the host's session is proof enough: any, or one that began after the request that asks for a fresh one. */
function isProven({ signedInAt }: SignedIn, { reauthenticate, startedAt }: PendingInteraction): boolean {
  return !reauthenticate || (signedInAt !== undefined && signedInAt >= startedAt)
}

const localesOf = ({ uiLocales }: PendingInteraction) => ({ uiLocales })

/** Of one length, whatever was typed, and nothing to read in a dump of the memory. */
function attemptKey(ip: string, identifier: string): string {
  const text = JSON.stringify([addressGroup(ip), identifier.normalize('NFKC').toLowerCase()])
  return createHash('sha256').update(text).digest('base64url')
}
