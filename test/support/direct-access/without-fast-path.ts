import type { Middleware } from 'koa'

/**
 * Middleware of a host whose token requests are all answered by oidc-provider. It adds a parameter to the type of the form.
 * The fast path leaves such a request to oidc-provider, which ignores the parameter.
 */
export const withoutFastPath: Middleware = ({ req: { headers } }, next) => {
  if (headers['content-type'] !== undefined) headers['content-type'] += '; x=y'
  return next()
}
