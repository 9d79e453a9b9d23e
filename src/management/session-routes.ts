import type { PageTokens } from '../http/csrf.ts'
import { route, type Route } from './route.ts'

/** The route that says who calls, and gives the CSRF token. */
export function sessionRoutes(tokens: PageTokens): Route[] {
  return [
    route({
      method: 'get',
      path: '/session',
      operationId: 'getSession',
      tag: 'Session',
      summary: 'Who calls, and the CSRF token for requests with a session cookie',
      access: 'signed-in',
      status: 200,
      answer: 'Session',
      handle: async ({ ctx, caller, isOperator }) => ({
        accountId: caller.accountId,
        userId: caller.userId,
        operator: await isOperator(),
        csrfToken: tokens.issue(ctx, caller),
      }),
    }),
  ]
}
