import type { Context } from 'koa'

/** Demanded before the CSRF token is checked. */
const DEMANDS = {
  /**
   * The consent pages have the origin of the issuer. A form with neither `Origin` nor `Sec-Fetch-Site` is
   * accepted, because its CSRF token is bound to the interaction.
   */
  consent: { origins: 'issuer', mayBeUnknown: true },
  /**
   * The console may have another host name than the issuer. A form of a page without a referrer sends `Origin: null`.
   */
  console: { origins: 'issuer and host', mayBeUnknown: true },
  /**
   * A script can read and send a CSRF token of its own site, so the headers must prove on which origin the script runs.
   */
  management: { origins: 'issuer and host', mayBeUnknown: false },
} as const

export type Surface = keyof typeof DEMANDS

/**
 * Judges by the headers that browsers send (Fetch Metadata, Origin). The CSRF token is checked as well.
 *
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
