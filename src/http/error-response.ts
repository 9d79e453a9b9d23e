import type { Context } from 'koa'

/** RFC 6749 4.1.2.1 and 5.2. */
export interface ErrorAnswer {
  /** A status below 400 becomes 400. */
  readonly status: number
  readonly error: string
  readonly description: string
  /** Of an authorization request whose error cannot be redirected to the application. */
  readonly state?: string | undefined
}

/** Browsers name `text/html` in `Accept` and get the error page. Others, such as curl, get JSON. */
export function answerError<Page>(
  ctx: Context,
  pages: { renderError(ctx: Context, page: Page): void },
  answer: ErrorAnswer & Page,
): void {
  ctx.vary('Accept')
  if (ctx.accepts('json', 'html') === 'html') pages.renderError(ctx, answer)
  else answerErrorAsJson(ctx, answer)
}

/** At endpoints that only programs use. */
export function answerErrorAsJson(ctx: Context, answer: ErrorAnswer): void {
  ctx.status = Math.max(answer.status, 400)
  ctx.set('Cache-Control', 'no-store')
  ctx.type = 'json'
  ctx.body = JSON.stringify(errorFields(answer))
}

/** As `answerErrorAsJson`. */
export function reject(ctx: Context, status: number, error: string, description: string): undefined {
  answerErrorAsJson(ctx, { status, error, description })
}

/** RFC 6749 5.2. */
export function errorFields({ error, description, state }: ErrorAnswer) {
  return { error, error_description: description, ...(state === undefined ? {} : { state }) }
}
