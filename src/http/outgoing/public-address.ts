import { isIPv4 } from 'node:net'
import { isAllowed } from '../allowed-networks.ts'

/** The only IPv6 network of the internet (RFC 4291 2.4), without loopback, IPv4-mapped, local and NAT64 addresses. */
const GLOBAL_UNICAST = '2000::/3'

/**
 * The IPv4 networks of the IANA special-purpose registry (RFC 6890), and multicast; then the special-purpose networks
 * inside of `GLOBAL_UNICAST`. Teredo and 6to4 (2002::/16) contain IPv4 addresses.
 */
const SPECIAL =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 ' +
  '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20'

/**
 * Whether an IP address belongs to a machine on the internet, and not to this machine, its network or a
 * special-purpose network (RFC 6890). False for a text with a zone (`fe80::1%eth0`), and for any other text.
 */
export function isPublicAddress(address: string): boolean {
  const isGlobal = isIPv4(address) || (!address.includes('%') && isAllowed(GLOBAL_UNICAST, address))
  return isGlobal && !isAllowed(SPECIAL, address)
}
