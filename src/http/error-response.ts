import type { Context } from 'koa'

/** The error that a client receives (RFC 6749 4.1.2.1 and 5.2). */
export interface ErrorAnswer {
  /** HTTP status. A status below 400 becomes 400. */
  readonly status: number
  readonly error: string
  readonly description: string
  /** `state` of an authorization request whose error cannot be redirected to the application. */
  readonly state?: string | undefined
}

/**
 * Answers with an error that cannot be sent to an application. A browser gets the error page, and other
 * clients get JSON. Browsers name `text/html` in `Accept` when they open an address. A client that accepts
 * everything, as curl does, or that sends no `Accept`, counts as a program and gets JSON.
 */
export function answerError<Page>(
  ctx: Context,
  pages: { renderError(ctx: Context, page: Page): void },
  answer: ErrorAnswer & Page,
): void {
  ctx.vary('Accept')
  if (ctx.accepts('json', 'html') === 'html') pages.renderError(ctx, answer)
  else answerErrorAsJson(ctx, answer)
}

/** Answers with an error as JSON, at endpoints that only programs use. */
export function answerErrorAsJson(ctx: Context, answer: ErrorAnswer): void {
  ctx.status = Math.max(answer.status, 400)
  ctx.set('Cache-Control', 'no-store')
  ctx.type = 'json'
  ctx.body = JSON.stringify(errorFields(answer))
}

/** The fields of an error (RFC 6749 5.2). */
export function errorFields({ error, description, state }: ErrorAnswer) {
  return { error, error_description: description, ...(state === undefined ? {} : { state }) }
}
