import type { Context } from 'koa'

/** Maximum number of parameters in a query. Parameters without a name or a value count too. */
const MAX_PARAMETERS = 100

/** Why a request is rejected, for the caller. */
export const TOO_MANY_PARAMETERS = `the query may have at most ${MAX_PARAMETERS} parameters`

/**
 * Whether the query of a request has more than 100 parameters. Each surface that answers requests asks this first, and
 * rejects such a request with 400. Koa 3 needs time in proportion to the square of this number when something reads
 * `ctx.query`, so the parameters are counted in the raw text.
 *
 * Not for requests that the host answers: `gateway.middleware()` never parses their query.
 */
export function hasTooManyParameters({ querystring }: Context): boolean {
  return querystring.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS
}
