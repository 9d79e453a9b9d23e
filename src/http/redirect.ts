import type { Context } from 'koa'

/**
 * Adds parameters to the query of an address without a fragment, or replaces them. The rest stays as it is,
 * byte by byte (RFC 6749 3.1.2), because its owner may have signed it.
 */
export function appendQuery(address: string, parameters: Readonly<Record<string, string>>): string {
  const [base = '', query = ''] = address.split(/\?(.*)/s)
  const pairs = query === '' ? [] : query.split('&')
  const own = pairs.filter((pair) => {
    const [name = ''] = new URLSearchParams(pair).keys()
    return !Object.hasOwn(parameters, name)
  })
  return `${base}?${[...own, new URLSearchParams(parameters)].join('&')}`
}

/** With GET (303), without caching. The bytes of the address stay as they are. */
export function redirect(ctx: Context, address: string): void {
  ctx.redirect(address)
  ctx.status = 303
  ctx.set({ Location: address, 'Cache-Control': 'no-store' })
}
