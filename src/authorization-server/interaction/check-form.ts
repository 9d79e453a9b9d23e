import type { Context } from 'koa'
import { isRejection, readForm, type Form } from '../../http/form-body.ts'
import { isSameOrigin, type CsrfTokens } from '../../http/csrf.ts'
import type { Pages } from './pages.ts'
import type { PendingInteraction } from './port.ts'

/**
 * Returns the form if it came from one of our pages, was shown to this account, and is readable. Otherwise it
 * writes the error page, and the caller has nothing left to do.
 */
export type FormCheck = (ctx: Context, pending: PendingInteraction) => Promise<Form | undefined>

/** The binding of a form: the interaction, and the person to whom it was shown. */
export function bindingOf({ uid, prompt, account }: PendingInteraction): readonly (string | undefined)[] {
  return [uid, prompt, account?.accountId, account?.userId]
}

/**
 * Creates the check that every form passes.
 *
 * @param deps.origin of {auth_url}
 */
export function createFormCheck(deps: {
  readonly pages: Pages
  readonly csrf: CsrfTokens
  readonly origin: string
}): FormCheck {
  const { pages, csrf, origin } = deps
  return async function checkForm(ctx, pending) {
    const { uiLocales } = pending
    if (!isSameOrigin(ctx, origin)) {
      pages.renderError(ctx, { status: 403, error: 'access_denied', text: 'errorForm', uiLocales })
      return undefined
    }
    const form = await readForm(ctx)
    if (isRejection(form)) {
      pages.renderError(ctx, { status: form.status, error: 'invalid_request', text: 'errorBody', uiLocales })
      return undefined
    }
    if (!csrf.isValid(form.get('csrf'), ...bindingOf(pending))) {
      pages.renderError(ctx, { status: 403, error: 'access_denied', text: 'errorForm', uiLocales })
      return undefined
    }
    return form
  }
}
