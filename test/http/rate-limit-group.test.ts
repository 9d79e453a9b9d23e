import { expect, it } from 'vitest'
import { addressGroup } from '../../src/http/rate-limit-group.ts'

const GROUPS: [address: string, group: string][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:51234', '192.0.2.1'],
  ['192.0.2.999:51234', '192.0.2.999:51234'],
  ['192.0.2.1:', '192.0.2.1:'],
  ['[::ffff:192.0.2.1]:51234', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:db8:0:1:ffff::', '2001:db8:0:1::/64'],
  ['2001:0DB8:0000:0001::9', '2001:db8:0:1::/64'],
  ['2001:db8:0:2::9', '2001:db8:0:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['[2001:db8:0:2::9]', '2001:db8:0:2::/64'],
  ['[2001:db8:0:2::9]:443', '2001:db8:0:2::/64'],
  ['2001:db8:0:2::9:443', '2001:db8:0:2::/64'],
  ['[192.0.2.1]:443', '[192.0.2.1]:443'],
  ['[fe80::1%eth0]:443', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['', ''],
  ['unknown', 'unknown'],
]

it('addresses are counted in groups, and a text that is no address by its first characters', () => {
  expect(GROUPS.map(([address]) => [address, addressGroup(address)])).toEqual(GROUPS)
  expect(addressGroup('x'.repeat(16_000))).toBe('x'.repeat(64))
})
