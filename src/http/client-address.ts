import { isIPv6 } from 'node:net'
import { MAX_ADDRESS_LENGTH } from '../host/change-options.ts'

/**
 * The group of addresses that a rate limit counts as one client:
 *
 * - an IPv4 address itself, even if it is written as an IPv6 address (`::ffff:192.0.2.1`)
 * - the first 64 bits of an IPv6 address, as `2001:db8:0:1::/64`, since a site usually has the whole network
 *   (RFC 6177 2)
 *
 * The result is a copy, because a slice of a header would keep the whole header in memory.
 *
 * @param ip Koa's `ctx.ip`. If it is not an address, its first characters are returned, because proxies may forward
 *   arbitrary texts from strangers
 */
export function addressGroup(ip: string): string {
  const [address = ''] = ip.split('%', 1)
  if (!isIPv6(address)) return Buffer.from(ip.slice(0, MAX_ADDRESS_LENGTH)).toString()
  const groups = groupsOf(address)
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return mappedAddress(groups) ?? `${network.join(':')}::/64`
}

/** An address as people know it: an IPv4 address that is written as an IPv6 address becomes an IPv4 address. */
export function unmapAddress(ip: string): string {
  return (isIPv6(ip) && !ip.includes('%') && mappedAddress(groupsOf(ip))) || ip
}

/** The IPv4 address that is written as an IPv6 address (RFC 4291 2.5.5.2); undefined for other addresses. */
function mappedAddress(groups: readonly number[]): string | undefined {
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
  return isMapped ? bytes.join('.') : undefined
}

/** The eight groups of an IPv6 address (RFC 4291 2.2). */
function groupsOf(address: string): number[] {
  // The URL parser turns an IPv4 address at the end (`::ffff:192.0.2.1`) into two groups.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const numbersOf = (part: string) => part.split(':').flatMap((group) => (group ? Number(`0x${group}`) : []))
  const [head = [], tail = []] = canonical.split('::').map(numbersOf)
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}
