import { localize } from '../../catalog/localize.ts'
import { GatehouseError } from '../../errors.ts'
import { decide } from '../../grants/consent-decision.ts'
import type { Form } from '../../http/form-body.ts'
import {
  parseGroupChoice,
  scopeGroups,
  selectGroup,
  type GroupChoice,
  type ScopeGroup,
} from './scope-choices.ts'
import { addressOf, csrfTokenOf, showError, type StepRequest, type StepResult } from './step.ts'
import type { Texts } from './texts.ts'

export async function showConsent(request: StepRequest): Promise<StepResult> {
  if (await isOutdated(request)) return request.port.restart(request.ctx, request.pending)
  return renderPage(request)
}

/** Handles the consent form: approve (400 without a scope), deny, tick a group. Begins again for another person. */
export async function submitConsent(request: StepRequest, form: Form): Promise<StepResult> {
  const { port, ctx, pending } = request
  if (await isOutdated(request)) return port.restart(ctx, pending)
  // A form with `select` never decides, whatever else it contains.
  if (form.has('select')) return submitGroupChoice(request, form)
  const action = form.get('action')
  if (action === 'deny') return port.failed(ctx, pending, 'access_denied', 'the person denied access')
  if (action !== 'approve') return showError(request, 400, 'errorBody')
  const decision = decide(pending.requestedScopes, form.getAll('scope'))
  if (decision) {
    return port.approved(ctx, pending, decision).catch((error: unknown) => {
      if (!(error instanceof GatehouseError) || error.code !== 'ERR_TOO_MANY_CLIENTS') throw error
      const { status } = error
      return renderPage(request, { selected: decision.granted, status, problem: 'consentTooManyClients' })
    })
  }
  return renderPage(request, { selected: [], status: 400, problem: 'consentNothingChosen' })
}

function submitGroupChoice(request: StepRequest, form: Form): undefined {
  const pressed = parseGroupChoice(form.get('select'))
  if (!pressed) return showError(request, 400, 'errorBody')
  const selected = selectGroup(groupsOf(request), form.getAll('scope'), pressed)
  return renderPage(request, { selected, pressed })
}

/** Another person may not decide for one who signed out at the host. Without a scope, the restart fails. */
async function isOutdated(request: StepRequest): Promise<boolean> {
  return request.pending.requestedScopes.length === 0 || !(await isPersonSignedIn(request))
}

/** Without `accounts.current`, our session decides. */
async function isPersonSignedIn({ accounts, ctx, pending }: StepRequest): Promise<boolean> {
  const { account } = pending
  if (!account) return false
  if (!accounts.current) return true
  const person = await accounts.current(ctx)
  return person?.accountId === account.accountId && person.userId === account.userId
}

interface PageState {
  readonly selected?: readonly string[]
  readonly status?: number
  readonly problem?: keyof Texts
  readonly pressed?: GroupChoice
}

function groupsOf({ pages, catalog, ctx, pending }: StepRequest, selected?: readonly string[]): ScopeGroup[] {
  const { current } = pending.resource?.catalog ?? catalog
  return scopeGroups(pending, current, pages.textsFor(ctx, pending.uiLocales), selected)
}

function renderPage(request: StepRequest, { selected, ...state }: PageState = {}): undefined {
  const { pages, ctx, pending } = request
  const { application, account, resourceTitle, uiLocales, accessLifetime, destination } = pending
  const { locales, defaultLocale } = pages.textsFor(ctx, uiLocales)
  pages.renderConsent(ctx, {
    ...state,
    uiLocales,
    forms: {
      action: addressOf(request, 'consent').pathname,
      switchAction: addressOf(request, 'switch').pathname,
      csrfToken: csrfTokenOf(request),
    },
    application,
    account: account ?? { name: '' },
    resource: resourceTitle && localize(resourceTitle, locales, defaultLocale),
    groups: groupsOf(request, selected),
    accessLifetime,
    destination,
  })
}
