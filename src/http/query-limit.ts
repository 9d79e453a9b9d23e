import type { Context } from 'koa'

/** Maximum number of parameters in a query. Parameters without a name or a value count too. */
const MAX_PARAMETERS = 100

/** Why a request is rejected, for the caller. */
export const TOO_MANY_PARAMETERS = `the query may have at most ${MAX_PARAMETERS} parameters`

/**
 * Whether the query of a request has more than 100 parameters. Each surface that answers requests calls this function
 * first, and rejects such a request with 400. The parameters are counted in the raw text, because the time of
 * `ctx.query` in Koa 3 grows with the square of their number.
 *
 * `gateway.middleware()` does not call this function, because it never parses the query.
 */
export function hasTooManyParameters({ querystring }: Context): boolean {
  return querystring.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS
}
