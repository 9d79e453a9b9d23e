import type { Failure } from '../front-door/failure.ts'
import type { RejectionReason } from '../front-door/rejection.ts'
import { html } from '../http/html.ts'
import type { View } from './page-types.ts'
import type { Reader } from './reader-formats.ts'
import type { TextName } from './texts.ts'

/**
 * The page of an error.
 *
 * @param address.home the address of the start page
 * @param address.retry the address that the reader can try again
 */
export function errorPage(failure: Failure, texts: Reader, address: { home: string; retry: string }): View {
  const { status, code, reason } = failure
  const [title, text] = textsOf(failure)
  const isTemporary = status >= 500 || code === 'ERR_IN_PROGRESS' || reason === 'signedOut'
  const link = reason === 'signedOut' ? 'signInLink' : 'tryAgainLink'
  return {
    title: texts.plain(title),
    status,
    body: html`<h1>${texts.html(title)}</h1>
      <p>${texts.html(text)}</p>
      <p class="line">
        ${isTemporary && html`<a href="${address.retry}">${texts.html(link)}</a>`}
        <a href="${address.home}">${texts.html('backToStart')}</a>
      </p>`,
  }
}

function textsOf({ status, code, reason, details }: Failure): readonly [title: TextName, text: TextName] {
  if (details.needs === 'operator') return ['errorForbiddenTitle', 'errorOperator']
  if (details.needs === 'owner') return ['errorForbiddenTitle', 'errorOwner']
  if (reason) return REJECTIONS[reason]
  if (code === 'ERR_IN_PROGRESS') return ['errorBusyTitle', 'errorInProgress']
  if (code === 'ERR_IDEMPOTENCY_KEY') return ['errorFormTitle', 'errorRepeated']
  if (status === 404) return NOT_FOUND
  return status === 503 ? ['errorBusyTitle', 'errorBusy'] : ['errorInternalTitle', 'errorInternal']
}

const NOT_FOUND = ['errorNotFoundTitle', 'errorNotFound'] as const
const METHOD = ['errorNotFoundTitle', 'errorMethod'] as const
const FORM = ['errorFormTitle', 'errorForm'] as const

const REJECTIONS: Record<RejectionReason, readonly [TextName, TextName]> = {
  query: METHOD,
  noRoute: NOT_FOUND,
  method: METHOD,
  signedOut: ['errorSignInTitle', 'errorSignIn'],
  forbidden: ['errorForbiddenTitle', 'errorForbidden'],
  confirm: ['errorForbiddenTitle', 'errorForbidden'],
  foreignPage: FORM,
  csrfToken: FORM,
  csrfExpired: FORM,
  body: FORM,
  bodyTooLarge: FORM,
  mediaType: FORM,
  input: FORM,
  unconditional: FORM,
}
