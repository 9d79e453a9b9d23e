import { BlockList, isIP, isIPv4 } from 'node:net'
import { createLru } from '../async/lru.ts'
import type { Fault } from '../errors.ts'
import { groupsOf, mappedAddress, unmapAddress } from './client-address.ts'

/** RFC 6890. A request from these networks passed a proxy, or comes from inside. */
const PRIVATE = networkList(
  '10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ::1 fc00::/7 fe80::/10'.split(
    ' ',
  ),
)

/** Whether the internet does not route an address, or the first address of a network. */
export function isPrivate(address: string): boolean {
  return isIn(PRIVATE, address)
}

/** Many requests have the same list. */
const known = createLru<string, NetworkList>(1000)

/** @param networks valid and separated by spaces, as in the claim `allowed_networks` */
export function isAllowed(networks: string, address: string | undefined): boolean {
  let list = known.get(networks)
  if (list === undefined) {
    list = networkList(networks.split(' '))
    known.set(networks, list)
  }
  return address !== undefined && isIn(list, address)
}

/** A common list would find IPv4 addresses in IPv6 networks such as `::/1`. */
type NetworkList = Readonly<Record<'ipv4' | 'ipv6', BlockList>>

function isIn(list: NetworkList, address: string): boolean {
  if (isIPv4(address)) return list.ipv4.check(address, 'ipv4')
  // The zone of a local address (`fe80::1%eth0`) is the name of an interface.
  const plain = unmapAddress(address.split('%', 1)[0] ?? '')
  return isIP(plain) !== 0 && list[familyOf(plain)].check(plain, familyOf(plain))
}

function networkList(networks: readonly string[]): NetworkList {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = familyOf(address)
    if (prefix === undefined) lists[family].addAddress(address, family)
    else lists[family].addSubnet(address, Number(prefix), family)
  }
  return lists
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6'
}

/** Which networks `allowedAddresses` may have: why a text is none (RFC 4632, RFC 4291 2.3) in its one valid form. */
export function networkProblem(text: string): Fault | undefined {
  const [address = '', prefix, ...others] = text.split('/')
  const size = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  if (size === 0 || address.includes('%') || others.length > 0) {
    return {
      code: 'network',
      message: 'must be an IP address, or a network such as 203.0.113.0/24 or 2001:db8::/32',
    }
  }
  const length = prefix === undefined ? size : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity
  if (length > size) {
    return { code: 'network', message: `must have a number from 1 to ${size} after the slash` }
  }
  if (length === 0) {
    return { code: 'network-all', message: 'allows every address: leave the list empty instead' }
  }
  const mapped = size === 128 && length >= 97 ? mappedAddress(groupsOf(address)) : undefined
  const written = mapped === undefined ? networkOf(address, length, size) : networkOf(mapped, length - 96, 32)
  return text === written ? undefined : misspelt(written)
}

function misspelt(expected: string): Fault {
  return { code: 'network-spelling', message: `must be written as ${expected}`, expected }
}

/** A network of one address is written without its length. */
function networkOf(address: string, length: number, size: number): string {
  const groups = size === 32 ? address.split('.').map(Number) : groupsOf(address)
  const groupSize = size / groups.length
  const kept = groups.map((group, at) => {
    const bits = Math.min(Math.max(length - at * groupSize, 0), groupSize)
    return group - (group % 2 ** (groupSize - bits))
  })
  const first =
    size === 32
      ? kept.join('.')
      : new URL(`http://[${kept.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1)
  return length === size ? first : `${first}/${length}`
}
