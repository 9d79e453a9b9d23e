import { isIPv6 } from 'node:net'
import { MAX_ADDRESS_LENGTH } from '../host/change-options.ts'
import { clientAddress, groupsOf, mappedAddress } from './client-address.ts'

/**
 * The group of addresses that a rate limit counts as one client. An IPv4 address itself, however it is written, or the
 * first 64 bits of an IPv6 address, as `2001:db8:0:1::/64`, because a site usually has the whole network (RFC 6177 2).
 * Proxies may forward arbitrary texts from strangers: of another text, the first characters.
 *
 * The result is a copy: `ip` may be a part of a header of the request, and would keep the whole header in memory.
 */
export function addressGroup(ip: string): string {
  const plain = clientAddress(ip)
  const [address = ''] = plain.split('%', 1)
  if (!address.includes(':') || !isIPv6(address))
    return Buffer.from(plain.slice(0, MAX_ADDRESS_LENGTH)).toString()
  const groups = groupsOf(address)
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return mappedAddress(groups) ?? `${network.join(':')}::/64`
}
