import type { Context } from 'koa'

/** Parameters without a name or a value count too. */
const MAX_PARAMETERS = 100

export const TOO_MANY_PARAMETERS = `the query may have at most ${MAX_PARAMETERS} parameters`

/**
 * Whether a query has more than 100 parameters. Each surface asks this first, and then answers with 400. The raw text
 * is counted, because the time of `ctx.query` in Koa 3 grows with the square of their number.
 */
export function hasTooManyParameters({ querystring }: Context): boolean {
  return querystring.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS
}
