import { isIPv6 } from 'node:net'

/** Characters that count of what is no address: proxies hand on what strangers write. */
const LONGEST = 64

/**
 * The address under which one client is counted: an IPv4 address as it is, also where it is written as IPv6
 * (`::ffff:192.0.2.1`), and the first 64 bits of an IPv6 address, as `2001:db8:0:1::/64`: whoever has one address of
 * such a network has all of them (RFC 6177 2).
 *
 * The answer is a text of its own: a part of a header would keep the whole header in memory.
 *
 * @param ip as Koa's `ctx.ip` has it; of what is no address, the beginning is answered as it is
 */
export function addressGroup(ip: string): string {
  const [address = ''] = ip.split('%', 1)
  if (!isIPv6(address)) return Buffer.from(ip.slice(0, LONGEST)).toString()
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped) {
    const network = groups.slice(0, 4).map((group) => group.toString(16))
    return `${network.join(':')}::/64`
  }
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}

/** The eight groups of an IPv6 address (RFC 4291 2.2). */
function groupsOf(address: string): number[] {
  // The URL parser writes an IPv4 address at the end in groups as well.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = [], tail = []] = canonical
    .split('::')
    .map((part) => part.split(':').filter(Boolean).map(toNumber))
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}

function toNumber(group: string): number {
  return Number.parseInt(group, 16)
}
