import type { Context } from 'koa'

/** Demanded before the CSRF token is checked. */
const DEMANDS = {
  /** Below {auth_url}. Without headers, the CSRF token is enough: it is bound to the interaction. */
  consent: { origins: 'issuer', mayBeUnknown: true },
  /** Another host name than the issuer is possible. Without a referrer, a form sends `Origin: null`. */
  console: { origins: 'issuer and host', mayBeUnknown: true },
  /** A script can read a CSRF token of its own site, so the headers must prove its origin. */
  management: { origins: 'issuer and host', mayBeUnknown: false },
} as const

export type Surface = keyof typeof DEMANDS

/**
 * Whether a request comes from our own page, by the headers of browsers (Fetch Metadata, Origin). The CSRF
 * token is checked as well.
 * @param issuerOrigin the origin of the authorization service, which is an origin of the host too
 */
export function isFromOwnPage(ctx: Context, surface: Surface, issuerOrigin: string): boolean {
  const { origins, mayBeUnknown } = DEMANDS[surface]
  const site = ctx.get('Sec-Fetch-Site')
  const origin = ctx.get('Origin')
  if (site !== '' && site !== 'same-origin') return false
  if (origins === 'issuer') return origin === '' || origin === issuerOrigin
  // Browsers set `Sec-Fetch-Site` themselves, and proxies do not change what it means.
  if (site === 'same-origin') return true
  if (origin === '' || origin === 'null') return mayBeUnknown
  // `ctx.origin` is not used: in Koa 3 it is the header Origin itself.
  return origin === `${ctx.protocol}://${ctx.host}` || origin === issuerOrigin
}
