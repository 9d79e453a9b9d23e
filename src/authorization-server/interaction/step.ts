import type { Context } from 'koa'
import type { CurrentCatalog } from '../../catalog/catalog.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import { isRejection, readForm, type Form } from '../../http/form-body.ts'
import { isFromOwnPage, type CsrfTokens } from '../../http/csrf.ts'
import type { Pages } from './pages.ts'
import type { InteractionPort, PendingInteraction } from './port.ts'
import type { SignInRateLimit } from './sign-in-rate-limit.ts'
import type { Store } from '../../store/contract.ts'
import type { Texts } from './texts.ts'

export interface InteractionOptions {
  readonly port: InteractionPort
  readonly accounts: HostAccounts
  readonly catalog: CurrentCatalog
  readonly pages: Pages
  readonly issuer: string
  /** At least 32 bytes each, newest first, the same keys in all processes. */
  readonly csrfKeys: readonly Uint8Array[]
  readonly store: Pick<Store, 'count' | 'delete'>
  readonly maxSignInAttempts: number
}

export interface StepRequest extends InteractionOptions {
  readonly csrf: CsrfTokens
  readonly rateLimit: SignInRateLimit
  readonly ctx: Context
  readonly pending: PendingInteraction
}

/** The address to which the browser continues; undefined if the step has written a page. */
export type StepResult = URL | undefined

export function addressOf({ issuer, pending }: StepRequest, action = ''): URL {
  return new URL(`${issuer}/interaction/${pending.uid}${action && `/${action}`}`)
}

const CODES = {
  errorBody: 'invalid_request',
  errorExpired: 'invalid_request',
  errorForm: 'access_denied',
  errorMethod: 'invalid_request',
  errorNoSignIn: 'server_error',
  errorNotFound: 'not_found',
} as const satisfies { readonly [Text in keyof Texts]?: string }

export function showError(
  { pages, ctx, pending }: Pick<StepRequest, 'pages' | 'ctx'> & Partial<StepRequest>,
  status: number,
  text: keyof typeof CODES,
): undefined {
  pages.renderError(ctx, { status, error: CODES[text], text, uiLocales: pending?.uiLocales })
}

export function csrfTokenOf(request: StepRequest): string {
  return request.csrf.issue(...bindingOf(request))
}

/** Rejects (403) a form of our pages from another site, or without a valid CSRF token, and writes the error page. */
export async function checkForm(request: StepRequest): Promise<Form | undefined> {
  const { ctx, issuer, csrf } = request
  if (!isFromOwnPage(ctx, 'consent', new URL(issuer).origin)) return showError(request, 403, 'errorForm')
  const form = await readForm(ctx)
  if (isRejection(form)) return showError(request, form.status, 'errorBody')
  return csrf.isValid(form.get('csrf'), ...bindingOf(request)) ? form : showError(request, 403, 'errorForm')
}

function bindingOf({ pending }: StepRequest): readonly (string | undefined)[] {
  const { uid, prompt, account, application } = pending
  return [uid, prompt, account?.accountId, account?.userId, application.document?.version]
}
