import { isIP } from 'node:net'
import type { Context } from 'koa'
import { MAX_ADDRESS_LENGTH } from '../host/change-options.ts'
import type { Logger } from '../host/logger.ts'
import { isAllowed, isPrivate } from '../http/allowed-networks.ts'
import { clientAddress } from '../http/client-address.ts'
import { warn } from '../store/check-results.ts'

/** Milliseconds for which the check warns after the last text that is no address. */
const WARNS_FOR_MS = 3_600_000

const HTTP =
  'the issuer is https, but requests arrive over http: if a proxy ends TLS in front of this app, set ' +
  '`app.proxy = true` so that Koa believes its X-Forwarded-* headers'
const ANY_NUMBER =
  'a request named several addresses, and `app.proxy` is set without `app.maxIpsCount`, so a client can choose its ' +
  'address: set `app.maxIpsCount` to the number of your proxies'
const NO_ADDRESS =
  'the address of a caller is not an IP address, so limits by address and allowed addresses do not work'
const PRIVATE =
  'a client with allowed addresses was rejected, because the request has a private address: if a proxy is in front of ' +
  'this app, set app.proxy and app.maxIpsCount'
const SEND_ADDRESS =
  'Let the proxy send an IP address in the header that `app.proxyIpHeader` names, and set `app.maxIpsCount` to the ' +
  'number of your proxies. Outside of Koa, pass an IP address to authenticate()'

/** Finds settings of the host's app that do not fit the proxies in front of it. Each mistake is logged once. */
export function createProxyCheck(settings: { readonly issuer: string; readonly logger: Logger }) {
  const { issuer, logger } = settings
  const logged = new Set<string>()
  let metAt = -Infinity

  function warnOnce(message: string, details: object): void {
    if (!logged.has(message)) logger.warn(details, message)
    logged.add(message)
  }

  /** @param text empty if the address is not known. @returns the address in the form of `clientAddress` */
  function examineAddress(text: string): string {
    const address = clientAddress(text)
    if (text === '' || isIP(address) !== 0) return address
    metAt = performance.now()
    warnOnce(`${NO_ADDRESS}. ${SEND_ADDRESS}`, { address: text.slice(0, MAX_ADDRESS_LENGTH) })
    return address
  }

  return {
    examineAddress,
    /** As `examineAddress`. @param isService whether the request is for the service, whose address is the issuer */
    examine(ctx: Context, isService = false): string {
      const { proxy, proxyIpHeader: header, maxIpsCount } = ctx.app
      if (proxy && !(maxIpsCount > 0) && ctx.get(header).includes(',')) warnOnce(ANY_NUMBER, { header })
      if (isService && !ctx.secure && issuer.startsWith('https:')) warnOnce(HTTP, { issuer })
      return examineAddress(ctx.ip)
    },
    /** By the claim `allowed_networks`. A rejected private address is a proxy's if only public ones are allowed. */
    mayUseFrom(networks: string, address: string | undefined): boolean {
      if (isAllowed(networks, address)) return true
      const isPublicOnly = !networks.split(' ').some((network) => isPrivate(network.split('/', 1)[0] ?? ''))
      if (address !== undefined && isPublicOnly && isPrivate(address)) warnOnce(PRIVATE, { address })
      return false
    },
    check: () =>
      performance.now() < metAt + WARNS_FOR_MS ? [warn('addresses', NO_ADDRESS, SEND_ADDRESS)] : [],
  }
}

export type ProxyCheck = ReturnType<typeof createProxyCheck>
