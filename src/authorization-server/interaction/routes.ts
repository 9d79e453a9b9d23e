import type { Context } from 'koa'
import { createCsrfTokens } from '../../http/csrf.ts'
import { createConsentSteps } from './consent-steps.ts'
import { createFormCheck } from './check-form.ts'
import type { PendingInteraction } from './port.ts'
import { createSignInSteps } from './sign-in-steps.ts'
import type { InteractionOptions, Step } from './step.ts'

/** Addresses of one interaction, below {auth_url}. */
const ADDRESS = /^\/interaction\/([\w-]{1,200})(?:\/(sign-in|consent|switch))?$/

/**
 * Serves the pages of a pending authorization, at `/interaction/<uid>` and below:
 *
 * - `GET  /interaction/<uid>` signs in or asks for consent, depending on the step that is due
 * - `POST /interaction/<uid>/sign-in` the form of the built-in sign-in page
 * - `POST /interaction/<uid>/consent` approve or deny
 * - `POST /interaction/<uid>/switch` use another account
 *
 * @returns a function that takes the host's own context and the path below {auth_url}. It answers the request
 *   and resolves to true, or ignores it and resolves to false. Errors of the host's callbacks and of the port
 *   pass through.
 */
export function interactionRoutes(
  options: InteractionOptions,
): (ctx: Context, path: string) => Promise<boolean> {
  const { port, pages, issuer } = options
  const csrf = createCsrfTokens(options.csrfKeys)
  const checkForm = createFormCheck({ pages, csrf, origin: new URL(issuer).origin })
  const addressOf = ({ uid }: PendingInteraction, action = '') =>
    new URL(`${issuer}/interaction/${uid}${action && `/${action}`}`)

  const tools = { ...options, csrf, checkForm, addressOf }
  const signIn = createSignInSteps(tools)
  const consent = createConsentSteps(tools)
  const show: Step = (ctx, pending) =>
    pending.prompt === 'login' ? signIn.show(ctx, pending) : consent.show(ctx, pending)
  const submissions: Readonly<Record<string, Step>> = {
    'sign-in': signIn.submit,
    consent: consent.submit,
    switch: consent.switchAccount,
  }

  return async function interaction(ctx, path) {
    if (path !== '/interaction' && !path.startsWith('/interaction/')) return false
    const [, uid, action] = ADDRESS.exec(path) ?? []
    const step = action === undefined ? show : submissions[action]
    if (uid === undefined || step === undefined) {
      pages.renderError(ctx, { status: 404, error: 'not_found', text: 'errorNotFound' })
      return true
    }
    const methods = action === undefined ? ['GET', 'HEAD'] : ['POST']
    if (!methods.includes(ctx.method)) {
      ctx.set('Allow', methods.join(', '))
      pages.renderError(ctx, { status: 405, error: 'invalid_request', text: 'errorMethod' })
      return true
    }
    const pending = await port.find(ctx, uid)
    if (!pending) {
      pages.renderError(ctx, { status: 404, error: 'invalid_request', text: 'errorExpired' })
      return true
    }
    const next = await step(ctx, pending)
    if (next && action === undefined) redirect(ctx, next)
    else if (next) pages.renderContinue(ctx, next, pending)
    return true
  }
}

function redirect(ctx: Context, next: URL): void {
  ctx.set('Cache-Control', 'no-store')
  ctx.status = 303
  ctx.redirect(next.href)
}
