import { isIPv6 } from 'node:net'

/** Turns an IPv4 address that is written as an IPv6 address (`::ffff:192.0.2.1`) into an IPv4 address. */
export function unmapAddress(ip: string): string {
  return (isIPv6(ip) && !ip.includes('%') && mappedAddress(groupsOf(ip))) || ip
}

/** The IPv4 address that is written as an IPv6 address (RFC 4291 2.5.5.2); undefined for other addresses. */
export function mappedAddress(groups: readonly number[]): string | undefined {
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
  return isMapped ? bytes.join('.') : undefined
}

/** The eight groups of an IPv6 address (RFC 4291 2.2). */
export function groupsOf(address: string): number[] {
  // The URL parser turns an IPv4 address at the end (`::ffff:192.0.2.1`) into two groups.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const numbersOf = (part: string) => part.split(':').flatMap((group) => (group ? Number(`0x${group}`) : []))
  const [head = [], tail = []] = canonical.split('::').map(numbersOf)
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}
