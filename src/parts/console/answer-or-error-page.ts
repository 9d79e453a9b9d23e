import type { Context } from 'koa'
import type { createFailures, Failure } from '../front-door/failure.ts'
import { Rejection, type RejectionReason } from '../front-door/rejection.ts'
import { html } from '../../http/html.ts'
import { hasTooManyParameters } from '../../http/query-limit.ts'
import type { createPageHandler } from './show-or-submit.ts'
import type { Mount } from './mount.ts'
import type { View } from './page-types.ts'
import type { Reader } from './reader-formats.ts'
import type { createResponder } from './send-page.ts'
import type { TextName } from './texts.ts'

interface Parts {
  readonly handlePage: ReturnType<typeof createPageHandler>
  readonly respond: ReturnType<typeof createResponder>
  readonly fail: ReturnType<typeof createFailures>
  readonly readers: {
    ofBrowser(ctx: Context): Reader
    find(ctx: Context): Promise<Reader>
  }
}

/** Answers a request of the console. If the layout of the host fails for an error page, it has none. */
export function createAnswer(mount: Mount, { handlePage, respond, fail, readers }: Parts) {
  return async function answer(ctx: Context, path: string): Promise<void> {
    // The reader's language is not known yet.
    let reader = readers.ofBrowser(ctx)
    // The host's functions `locale` and `layout` may read `ctx.query`, which has too many parameters.
    const isAlone = hasTooManyParameters(ctx)
    try {
      if (isAlone) throw new Rejection('query')
      reader = await readers.find(ctx)
      const result = await handlePage(ctx, path, reader)
      if (typeof result === 'string') redirect(ctx, result)
      else if (result) await respond(ctx, result, reader)
    } catch (error) {
      const failure = fail(ctx, error)
      ctx.set({ ...failure.headers })
      const view = errorPage(failure, reader, { home: mount.address('/'), retry: mount.address(path) })
      try {
        await respond(ctx, view, reader, isAlone)
      } catch (layoutError) {
        // The layout of the host may fail for every page.
        fail(ctx, layoutError)
        await respond(ctx, view, reader, true)
      }
    }
  }
}

function redirect(ctx: Context, address: string): void {
  ctx.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
  ctx.status = 303
  ctx.redirect(address)
}

function errorPage(failure: Failure, texts: Reader, { home, retry }: { home: string; retry: string }): View {
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
        ${isTemporary && html`<a href="${retry}">${texts.html(link)}</a>`}
        <a href="${home}">${texts.html('backToStart')}</a>
      </p>`,
  }
}

function textsOf({ status, code, reason, details: { limit } }: Failure): readonly [TextName, TextName] {
  if (limit) return ['errorForbiddenTitle', limit === 'owner' ? 'errorOwner' : 'errorOperator']
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
