import type { Context } from 'koa'

/** Parameters without a name or a value count too. */
const MAX_PARAMETERS = 100

export const TOO_MANY_PARAMETERS = `the query may have at most ${MAX_PARAMETERS} parameters`

/**
 * Each surface that answers requests calls this function first, and rejects the request with 400. The raw
 * text is counted, because the time of `ctx.query` in Koa 3 grows with the square of the parameters.
 * `gateway.middleware()` never parses the query.
 */
export function hasTooManyParameters({ querystring }: Context): boolean {
  return querystring.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS
}
