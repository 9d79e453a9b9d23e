import { BlockList, isIP } from 'node:net'

/** The IPv4 networks of the IANA special-purpose registry (RFC 6890), and multicast. */
const SPECIAL_IPV4 = networks('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

/**
 * The only IPv6 network with addresses of the internet (RFC 4291 2.4). Loopback, IPv4-mapped and local addresses,
 * multicast, and the addresses of NAT64 are outside of it.
 */
const GLOBAL_UNICAST = networks('ipv6', ['2000::/3'])

/** The special-purpose networks inside of `GLOBAL_UNICAST`. Teredo and 6to4 (2002::/16) contain IPv4 addresses. */
const SPECIAL_IPV6 = networks('ipv6', [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])

/**
 * Whether an IP address belongs to a machine on the internet, and not to this machine, its network or a
 * special-purpose network (RFC 6890). A text with a zone (`fe80::1%eth0`) is not public, and neither is a text that is
 * not an IP address.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  switch (isIP(address)) {
    case 4:
      return !SPECIAL_IPV4.check(address, 'ipv4')
    case 6:
      return GLOBAL_UNICAST.check(address, 'ipv6') && !SPECIAL_IPV6.check(address, 'ipv6')
    default:
      return false
  }
}

function networks(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}
