import { isIPv4, isIPv6 } from 'node:net'

/** `203.0.113.9:51234`, `[2001:db8::1]:51234` and `[2001:db8::1]`. */
const WITH_PORT = /^(?:([\d.]{7,15}):\d{1,5}|\[([^\]]{2,64})\](?::\d{1,5})?)$/

/** An address in one form: without port and brackets, and IPv4 if it is written as IPv6. Other texts stay. */
export function clientAddress(text: string): string {
  if (isIPv4(text)) return text
  const [, ipv4 = '', ipv6 = ''] = WITH_PORT.exec(text) ?? []
  return unmapAddress(isIPv4(ipv4) ? ipv4 : isIPv6(ipv6) ? ipv6 : text)
}

export function describeAddress(address: string | undefined): string {
  return address === undefined
    ? 'this client may be used from certain addresses only, and the address of the caller is not known: pass it to authenticate()'
    : `this client may not be used from ${address}; if that is the address of a proxy, the host must set app.proxy`
}

/** `::ffff:192.0.2.1` */
export function unmapAddress(ip: string): string {
  return (isIPv6(ip) && !ip.includes('%') && mappedAddress(groupsOf(ip))) || ip
}

/** RFC 4291 2.5.5.2; undefined for other addresses. */
export function mappedAddress(groups: readonly number[]): string | undefined {
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
  return isMapped ? bytes.join('.') : undefined
}

/** Reads network addresses, such as the eight groups of an IPv6 address (RFC 4291 2.2). */
export function groupsOf(address: string): number[] {
  // The URL parser turns an IPv4 address at the end (`::ffff:192.0.2.1`) into two groups.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const numbersOf = (part: string) => part.split(':').flatMap((group) => (group ? Number(`0x${group}`) : []))
  const [head = [], tail = []] = canonical.split('::').map(numbersOf)
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}
