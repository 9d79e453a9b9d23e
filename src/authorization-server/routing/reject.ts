import type { Context } from 'koa'
import { answerError, answerErrorAsJson, type ErrorAnswer } from '../../http/error-response.ts'
import type { Pages } from '../interaction/pages.ts'
import type { ErrorModel } from '../interaction/pages/notices.ts'
import { isForPrograms } from '../provider/routes.ts'

/**
 * Answers a request with an error, in the form that the readers of the path expect.
 *
 * @param path the path below {auth_url}
 */
export type Reject = (ctx: Context, path: string, answer: ErrorAnswer & ErrorModel) => void

/** Errors are JSON at the endpoints for programs, and pages for browsers elsewhere. */
export function createReject(pages: Pages): Reject {
  return function reject(ctx, path, answer) {
    if (isForPrograms(path)) answerErrorAsJson(ctx, answer)
    else answerError(ctx, pages, answer)
  }
}
