import type { Context } from 'koa'
import { isRejection, readForm, type FormRejection } from '../../http/form-body.ts'

/** Bytes that an address may have: proxies and Node reject longer ones. */
const MAX_ADDRESS = 12_288

/**
 * Answers a form that another site posts (OpenID Connect Core 3.1.2.1, RP-Initiated Logout 1.0, 2) by sending
 * the browser to the same address with GET. A browser does not send our `SameSite=Lax` cookies with such a
 * form, but does with the GET that follows; to weaken the cookies instead would weaken every other page.
 *
 * @param parameters the names that count; of several values all are passed on, and rejected there
 * @returns why the form cannot be read, if so
 */
export async function postToGet(
  ctx: Context,
  address: URL,
  parameters: readonly string[],
): Promise<FormRejection | undefined> {
  const form = await readForm(ctx)
  if (isRejection(form)) return form
  const target = new URL(address)
  for (const name of parameters) {
    for (const value of form.getAll(name)) target.searchParams.append(name, value)
  }
  if (target.href.length > MAX_ADDRESS) return { status: 413 }
  ctx.set('Cache-Control', 'no-store')
  ctx.redirect(target.href)
  ctx.status = 303
  return undefined
}
