import type { Context } from 'koa'
import { answerError } from '../../http/error-response.ts'
import { isRejection, readForm } from '../../http/form-body.ts'
import type { Pages } from '../interaction/pages.ts'

/** The longest address, in bytes. Proxies and Node reject longer addresses. */
const MAX_ADDRESS_BYTES = 12_288

/**
 * Answers a form that another site posts (OpenID Connect Core 3.1.2.1, RP-Initiated Logout 1.0, 2). The
 * answer redirects the browser to the same address with GET. Our cookies are `SameSite=Lax`, so the browser
 * sends them with that GET, but not with the form. `SameSite=None` would make all our pages less secure.
 *
 * @param options.parameters the names of the parameters that are passed on, with all their values. After the
 *   redirect, the endpoint rejects repeated parameters
 */
export async function postToGet(
  ctx: Context,
  { pages, target, parameters }: { pages: Pages; target: URL; parameters: readonly string[] },
): Promise<void> {
  const form = await readForm(ctx)
  if (isRejection(form)) return rejectForm(ctx, pages, form.status)
  for (const name of parameters) {
    for (const value of form.getAll(name)) target.searchParams.append(name, value)
  }
  if (target.href.length > MAX_ADDRESS_BYTES) return rejectForm(ctx, pages, 413)
  ctx.set('Cache-Control', 'no-store')
  ctx.redirect(target.href)
  ctx.status = 303
}

function rejectForm(ctx: Context, pages: Pages, status: number): void {
  const description = 'the form could not be read'
  answerError(ctx, pages, { status, error: 'invalid_request', text: 'errorBody', description })
}
