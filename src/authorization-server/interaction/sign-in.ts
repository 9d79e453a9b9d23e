import type { SignedIn } from '../../host/accounts.ts'
import { addressGroup } from '../../http/rate-limit-group.ts'
import type { Form } from '../../http/form-body.ts'
import { csrfTokenOf, addressOf, showError, type StepResult, type StepRequest } from './step.ts'
import type { Texts } from './texts.ts'

/** Marks a return from the host's sign-in page, which prevents a redirect loop. */
const RETURNED = 'returned'

/** Signs a person in: by the host's session if recent enough (`max_age`, `prompt=login`), else on a page (400, 401, 429). */
export async function showSignIn(request: StepRequest): Promise<StepResult> {
  const { accounts, port, ctx, pending } = request
  if (accounts.current && accounts.signInUrl) {
    const person = await accounts.current(ctx)
    const isUnknown = person !== undefined && !(await hasAccount(request, person))
    if (person && !isUnknown && isProven(person, pending)) return port.signedIn(ctx, pending, person)
    if (ctx.query[RETURNED] !== undefined) {
      const description = person ? 'the person did not sign in again' : 'the person did not sign in'
      return port.failed(ctx, pending, 'login_required', description)
    }
    const returnTo = addressOf(request)
    returnTo.searchParams.set(RETURNED, '1')
    // If the account of the host's session no longer exists, the host's page must ask for a new sign-in.
    const reauthenticate = pending.reauthenticate || isUnknown
    return accounts.signInUrl(returnTo, ctx, { reauthenticate })
  }
  if (!accounts.authenticate) return showError(request, 501, 'errorNoSignIn')
  return renderPage(request, { identifier: pending.loginHint })
}

export async function submitSignIn(request: StepRequest, form: Form): Promise<StepResult> {
  const { accounts, port, rateLimit, ctx, pending } = request
  const identifier = form.get('identifier')?.trim() ?? ''
  const password = form.get('password') ?? ''
  if (identifier === '' || password === '' || identifier.length > 320 || password.length > 1024) {
    return renderPage(request, { status: 400, identifier, problem: 'signInIncomplete' })
  }
  const address = addressGroup(ctx.ip)
  const key = JSON.stringify([address, identifier.normalize('NFKC').toLowerCase()])
  const waitSeconds = rateLimit.consume({ keys: [pending.uid, key], address })
  if (waitSeconds > 0) {
    ctx.set('Retry-After', String(waitSeconds))
    return renderPage(request, { status: 429, identifier, problem: 'signInTooOften' })
  }
  const person = await accounts.authenticate?.({ identifier, password }, ctx)
  if (!person || !(await hasAccount(request, person))) {
    port.signInRejected(ctx, pending)
    return renderPage(request, { status: 401, identifier, problem: 'signInFailed' })
  }
  rateLimit.succeeded(key, address)
  return port.signedIn(ctx, pending, { ...person, signedInAt: Math.floor(Date.now() / 1000) })
}

/** A person without an account could not continue after the sign-in. */
async function hasAccount({ accounts }: StepRequest, { accountId, userId }: SignedIn): Promise<boolean> {
  return (await accounts.find(accountId, userId)) !== undefined
}

/** A request may demand a sign-in that is newer than its interaction. */
function isProven({ signedInAt }: SignedIn, { reauthenticate, startedAt }: StepRequest['pending']): boolean {
  return !reauthenticate || (signedInAt !== undefined && signedInAt >= startedAt)
}

function renderPage(
  request: StepRequest,
  state: { status?: number; identifier?: string | undefined; problem?: keyof Texts },
): undefined {
  const { pages, ctx, pending } = request
  pages.renderSignIn(ctx, {
    ...state,
    uiLocales: pending.uiLocales,
    action: addressOf(request, 'sign-in').pathname,
    csrfToken: csrfTokenOf(request),
    application: pending.application,
  })
}
