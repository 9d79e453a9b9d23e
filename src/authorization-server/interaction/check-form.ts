import type { Context } from 'koa'
import { isRejection, readForm, type Form } from '../../http/form-body.ts'
import { isSameOrigin } from '../../http/csrf.ts'
import type { PendingInteraction } from './port.ts'
import { showError, type StepTools } from './step.ts'

/** The CSRF token of a form, valid for the interaction and for the person to whom the form is shown. */
export function csrfTokenOf({ csrf }: StepTools, pending: PendingInteraction): string {
  return csrf.issue(...bindingOf(pending))
}

/**
 * Returns the form if it came from one of our pages, was shown to this account, and is readable. Otherwise it
 * writes the error page, and the caller has nothing left to do.
 */
export async function checkForm(
  tools: StepTools,
  ctx: Context,
  pending: PendingInteraction,
): Promise<Form | undefined> {
  if (!isSameOrigin(ctx, new URL(tools.issuer).origin)) {
    return showError(tools, ctx, 403, 'errorForm', pending)
  }
  const form = await readForm(ctx)
  if (isRejection(form)) return showError(tools, ctx, form.status, 'errorBody', pending)
  const isValid = tools.csrf.isValid(form.get('csrf'), ...bindingOf(pending))
  return isValid ? form : showError(tools, ctx, 403, 'errorForm', pending)
}

function bindingOf({ uid, prompt, account }: PendingInteraction): readonly (string | undefined)[] {
  return [uid, prompt, account?.accountId, account?.userId]
}
