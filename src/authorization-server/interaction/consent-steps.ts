import type { Context } from 'koa'
import type { CsrfTokens } from '../../http/csrf.ts'
import { decide } from '../../grants/consent-policy.ts'
import { bindingOf, type FormCheck } from './check-form.ts'
import type { PendingInteraction } from './port.ts'
import type { InteractionOptions, StepResult } from './step.ts'
import { scopeGroups } from './scope-groups.ts'

/** The steps of an interaction that waits for a decision. */
export function createConsentSteps(
  tools: Pick<InteractionOptions, 'port' | 'accounts' | 'catalog' | 'pages'> & {
    readonly csrf: CsrfTokens
    readonly checkForm: FormCheck
    readonly addressOf: (pending: PendingInteraction, action?: string) => URL
  },
) {
  const { port, accounts, catalog, pages, csrf, checkForm, addressOf } = tools

  /**
   * Whether the interaction is still that of whoever is signed in at the host: another account or user, or
   * nobody, must never decide in its name.
   */
  async function isStillTheirs(ctx: Context, { account }: PendingInteraction): Promise<boolean> {
    if (!account) return false
    if (!accounts.current) return true
    const who = (await accounts.current(ctx)) || undefined
    return who?.accountId === account.accountId && who.userId === account.userId
  }

  /**
   * Whether the request must be looked at anew: somebody else is there by now, or the application may not ask
   * for any of it any more, which it is told then.
   */
  async function isOutdated(ctx: Context, pending: PendingInteraction): Promise<boolean> {
    return pending.requestedScopes.length === 0 || !(await isStillTheirs(ctx, pending))
  }

  /** Asks, once it is sure that the right person is asked. */
  async function show(ctx: Context, pending: PendingInteraction): Promise<StepResult> {
    if (await isOutdated(ctx, pending)) return port.restart(ctx, pending)
    renderPage(ctx, pending)
    return undefined
  }

  /** Takes the decision. */
  async function submit(ctx: Context, pending: PendingInteraction): Promise<StepResult> {
    // The form was made for somebody who is signed out by now.
    if (pending.prompt !== 'consent') return addressOf(pending)
    const form = await checkForm(ctx, pending)
    if (!form) return undefined
    if (await isOutdated(ctx, pending)) return port.restart(ctx, pending)

    const action = form.get('action')
    if (action === 'deny') return port.failed(ctx, pending, 'access_denied', 'the person denied access')
    if (action !== 'approve') {
      const { uiLocales } = pending
      pages.renderError(ctx, { status: 400, error: 'invalid_request', text: 'errorBody', uiLocales })
      return undefined
    }
    const decision = decide(pending.requestedScopes, form.getAll('scope'))
    // Signing in is something to allow, too: where it was asked for, it is never unticked.
    if (decision.granted.length > 0) return port.consented(ctx, pending, decision)
    renderPage(ctx, pending, [])
    return undefined
  }

  /** Lets somebody else decide: ends the session, ours and the host's, and starts anew. */
  async function switchAccount(ctx: Context, pending: PendingInteraction): Promise<StepResult> {
    if (pending.prompt !== 'consent') return addressOf(pending)
    const form = await checkForm(ctx, pending)
    if (!form) return undefined
    if (accounts.current && accounts.signInUrl && !accounts.signOut) {
      // The host's session cannot be ended from here; its sign-in page replaces it.
      const returnTo = addressOf(pending)
      return new URL(await accounts.signInUrl(returnTo, ctx, { reauthenticate: true }), returnTo)
    }
    await accounts.signOut?.(ctx)
    return port.restart(ctx, pending, { forget: true })
  }

  /** @param ticked what was ticked when the form was sent, if that was not enough */
  function renderPage(ctx: Context, pending: PendingInteraction, ticked?: readonly string[]): void {
    const { application, account, uiLocales, accessLifetime, redirectOrigin } = pending
    const texts = pages.textsFor(ctx, uiLocales)
    pages.renderConsent(ctx, {
      status: ticked ? 400 : 200,
      problem: ticked && 'consentNothingChosen',
      uiLocales,
      action: addressOf(pending, 'consent').pathname,
      switchAction: addressOf(pending, 'switch').pathname,
      csrfToken: csrf.issue(...bindingOf(pending)),
      application,
      account: account ?? { name: '' },
      groups: scopeGroups(pending, catalog.current, texts, ticked),
      accessLifetime,
      redirectOrigin,
    })
  }

  return { show, submit, switchAccount }
}
