import type { Context } from 'koa'
import { createCsrfTokens } from '../../http/csrf.ts'
import type { Form } from '../../http/form-body.ts'
import { redirect } from '../../http/redirect.ts'
import {
  checkForm,
  addressOf,
  showError,
  type InteractionOptions,
  type StepRequest,
  type StepResult,
} from './step.ts'
import { showConsent, submitConsent } from './submit-consent.ts'
import type { PendingInteraction } from './port.ts'
import { createSignInRateLimit } from './sign-in-rate-limit.ts'
import { showSignIn, submitSignIn } from './sign-in.ts'

const ADDRESS = /^\/interaction\/([\w-]{1,200})(?:\/(sign-in|consent|switch))?$/

interface StepForm {
  readonly prompt: PendingInteraction['prompt']
  readonly step: (request: StepRequest, form: Form) => Promise<StepResult>
}

/** By the last segment of their address. */
const FORMS: Readonly<Record<string, StepForm | undefined>> = {
  'sign-in': { prompt: 'login', step: submitSignIn },
  consent: { prompt: 'consent', step: submitConsent },
  switch: { prompt: 'consent', step: switchAccount },
}

/** Serves the pages below `/interaction/<uid>`: which step answers a form; 404 after the request has expired. */
export function interactionRoutes(options: InteractionOptions) {
  const { accounts, port, pages } = options
  const csrf = createCsrfTokens(options.csrfKeys)
  const now = () => Math.floor(Date.now() / 1000)
  const rateLimit = createSignInRateLimit({ store: options.store, max: options.maxSignInAttempts, now })
  const forms = accounts.authenticate && !accounts.current ? FORMS : { ...FORMS, 'sign-in': undefined }

  return function interaction(ctx: Context, path: string): Promise<void> | undefined {
    return path === '/interaction' || path.startsWith('/interaction/') ? answer(ctx, path) : undefined
  }

  async function answer(ctx: Context, path: string): Promise<void> {
    const [, uid, action] = ADDRESS.exec(path) ?? []
    const form = action === undefined ? undefined : forms[action]
    if (uid === undefined || (action !== undefined && form === undefined)) {
      return showError({ pages, ctx }, 404, 'errorNotFound')
    }
    const methods = form ? ['POST'] : ['GET', 'HEAD']
    if (!methods.includes(ctx.method)) {
      ctx.set('Allow', methods.join(', '))
      return showError({ pages, ctx }, 405, 'errorMethod')
    }
    const pending = await port.find(ctx, uid)
    if (!pending) return showError({ pages, ctx }, 404, 'errorExpired')
    const request = { ...options, csrf, rateLimit, ctx, pending }
    const next = form ? await submit(request, form) : await show(request)
    if (next && form) pages.renderContinue(ctx, next, pending)
    else if (next) redirect(ctx, next.href)
  }
}

function show(request: StepRequest): Promise<StepResult> {
  return request.pending.prompt === 'login' ? showSignIn(request) : showConsent(request)
}

async function submit(request: StepRequest, { prompt, step }: StepForm): Promise<StepResult> {
  // The person may have gone back in the browser, or signed in or out in another tab.
  if (request.pending.prompt !== prompt) return addressOf(request)
  const form = await checkForm(request)
  return form && step(request, form)
}

async function switchAccount(request: StepRequest): Promise<StepResult> {
  const { accounts, port, ctx, pending } = request
  if (accounts.signInUrl && !accounts.signOut) {
    // Only the host's sign-in page can replace the host's session then.
    return accounts.signInUrl(addressOf(request), ctx, { reauthenticate: true })
  }
  await accounts.signOut?.(ctx)
  return port.restart(ctx, pending, { endSession: true })
}
