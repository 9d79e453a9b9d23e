import { decide } from '../../grants/consent-policy.ts'
import type { Form } from '../../http/form-body.ts'
import { csrfTokenOf } from './check-form.ts'
import { addressOf, showError, type StepResult, type StepRequest } from './step.ts'
import { scopeGroups } from './scope-groups.ts'

/** Asks the signed-in person for consent. */
export async function showConsent(request: StepRequest): Promise<StepResult> {
  if (await isOutdated(request)) return request.port.restart(request.ctx, request.pending)
  return renderPage(request)
}

/** Handles the consent form: approves or denies the request. */
export async function submitConsent(request: StepRequest, form: Form): Promise<StepResult> {
  const { port, ctx, pending } = request
  if (await isOutdated(request)) return port.restart(ctx, pending)
  const action = form.get('action')
  if (action === 'deny') return port.failed(ctx, pending, 'access_denied', 'the person denied access')
  if (action !== 'approve') return showError(request, 400, 'errorBody')
  const decision = decide(pending.requestedScopes, form.getAll('scope'))
  // If the request includes the scope `openid`, `granted` is never empty, because `openid` is always granted.
  if (decision.granted.length > 0) return port.approved(ctx, pending, decision)
  return renderPage(request, [])
}

/**
 * Signs the person out of our session and out of the host's session, so that another person can sign in and
 * decide.
 */
export async function switchAccount(request: StepRequest): Promise<StepResult> {
  const { accounts, port, ctx, pending } = request
  if (accounts.signInUrl && !accounts.signOut) {
    // Without `accounts.signOut`, only the host's sign-in page can replace the host's session.
    return accounts.signInUrl(addressOf(request), ctx, { reauthenticate: true })
  }
  await accounts.signOut?.(ctx)
  return port.restart(ctx, pending, { endSession: true })
}

/**
 * Whether the authorization request must start again. There are two cases:
 *
 * - The person of this interaction is no longer signed in at the host. No other person may decide for that
 *   person.
 * - The application may no longer request any of the scopes. After the restart, oidc-provider reports an
 *   error to the application.
 */
async function isOutdated({ accounts, ctx, pending }: StepRequest): Promise<boolean> {
  const { account, requestedScopes } = pending
  if (!account || requestedScopes.length === 0) return true
  if (!accounts.current) return false
  const person = await accounts.current(ctx)
  return person?.accountId !== account.accountId || person.userId !== account.userId
}

/** @param selected the scopes that were ticked in a rejected form; undefined if no form was rejected */
function renderPage(request: StepRequest, selected?: readonly string[]): undefined {
  const { pages, catalog, ctx, pending } = request
  const { application, account, uiLocales, accessLifetime, redirectOrigin } = pending
  pages.renderConsent(ctx, {
    status: selected ? 400 : 200,
    problem: selected && 'consentNothingChosen',
    uiLocales,
    action: addressOf(request, 'consent').pathname,
    switchAction: addressOf(request, 'switch').pathname,
    csrfToken: csrfTokenOf(request),
    application,
    account: account ?? { name: '' },
    groups: scopeGroups(pending, catalog.current, pages.textsFor(ctx, uiLocales), selected),
    accessLifetime,
    redirectOrigin,
  })
}
