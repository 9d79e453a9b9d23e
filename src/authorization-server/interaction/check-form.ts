import { isRejection, readForm, type Form } from '../../http/form-body.ts'
import { isFromOwnPage } from '../../http/own-page.ts'
import { showError, type StepRequest } from './step.ts'

/**
 * The CSRF token of a form. It is valid only for this interaction, for the present step of the interaction,
 * and for the account to which the form is shown.
 */
export function csrfTokenOf(request: StepRequest): string {
  return request.csrf.issue(...bindingOf(request))
}

/**
 * Returns the form of the request if it came from one of our pages, was shown to this account, and is
 * readable. Otherwise this function writes the error page and returns undefined.
 */
export async function checkForm(request: StepRequest): Promise<Form | undefined> {
  const { ctx, issuer, csrf } = request
  if (!isFromOwnPage(ctx, 'consent', new URL(issuer).origin)) return showError(request, 403, 'errorForm')
  const form = await readForm(ctx)
  if (isRejection(form)) return showError(request, form.status, 'errorBody')
  return csrf.isValid(form.get('csrf'), ...bindingOf(request)) ? form : showError(request, 403, 'errorForm')
}

function bindingOf({ pending }: StepRequest): readonly (string | undefined)[] {
  const { uid, prompt, account } = pending
  return [uid, prompt, account?.accountId, account?.userId]
}
