import type { Logger } from '../host/logger.ts'
import { isAllowed, isPrivate } from './allowed-networks.ts'

/**
 * Whether a caller may use a client or its token.
 *
 * @param networks the claim `allowed_networks`
 * @param address undefined if it is not known
 */
export type AddressCheck = (networks: string, address: string | undefined) => boolean

/**
 * Creates the check of the address of a caller. If a client allows only public networks and a private address is
 * rejected, the request probably passed a proxy, and the host has not set `app.proxy`. The log says so once.
 */
export function createAddressCheck(logger: Logger): AddressCheck {
  let hasWarned = false

  return function mayUseFrom(networks, address) {
    if (isAllowed(networks, address)) return true
    const isFromProxy =
      address !== undefined &&
      isPrivate(address) &&
      !networks.split(' ').some((network) => isPrivate(network.split('/', 1)[0] ?? ''))
    if (isFromProxy && !hasWarned) {
      hasWarned = true
      logger.warn(
        { address },
        'a client with allowed addresses was rejected, because the request has a private address: if a proxy is in front of this app, set app.proxy and app.maxIpsCount',
      )
    }
    return false
  }
}

/** The error text for a caller whose address is not allowed. */
export function describeAddress(address: string | undefined): string {
  return address === undefined
    ? 'this client may be used from certain addresses only, and the address of the caller is not known: pass it to authenticate()'
    : `this client may not be used from ${address}; if that is the address of a proxy, the host must set app.proxy`
}
