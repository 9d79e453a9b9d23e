import type { Context } from 'koa'

type Addresses = readonly { readonly address: URL }[]

/** URL parsers take too long for longer texts. */
const HOST = /^[\w.:[\]-]{1,261}$/
const ABSOLUTE_FORM = /^[a-z][a-z\d+.-]*:[/\\]{2,}([^/?#\\]*)/i

/**
 * Finds the address with the host of a request. Routers read the host from several places, and compare it with and
 * without letter case and port. So it must be written as in the address, and no place may name another.
 * @returns the index of the address; -1 if no place names one of the hosts; undefined if the host is unclear
 */
export function findHost(ctx: Context, addresses: Addresses): number | undefined {
  const [, target = ''] = ABSOLUTE_FORM.exec(ctx.originalUrl) ?? []
  const forwarded = ctx.app.proxy ? ctx.get('X-Forwarded-Host').split(',') : []
  const places = [ctx.host, target, ctx.get('Host'), ctx.get(':authority'), ...forwarded]
  const [found, ...others] = places.map((text) => indexOfHost(text.trim(), addresses))
  return others.every((other) => other === -1 || other === found) ? found : undefined
}

function indexOfHost(text: string, addresses: Addresses): number | undefined {
  const exact = addresses.findIndex(({ address }) => address.host === text)
  if (exact >= 0 || text === '') return exact
  const name = HOST.test(text) ? URL.parse(`http://${text}`)?.hostname.replace(/(?<!\.)\.+$/, '') : undefined
  const isOther = name !== undefined && addresses.every(({ address }) => address.hostname !== name)
  return isOther ? -1 : undefined
}
