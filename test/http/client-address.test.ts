import { describe, expect, it } from 'vitest'
import { checkChange } from '../../src/host/change-options.ts'
import { addressGroup, requesterOf } from '../../src/http/client-address.ts'

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:db8:0:1:ffff::', '2001:db8:0:1::/64'],
  ['2001:0DB8:0000:0001::9', '2001:db8:0:1::/64'],
  ['2001:db8:0:2::9', '2001:db8:0:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['', ''],
  ['unknown', 'unknown'],
])('the address %s is counted as %s', (ip, group) => {
  expect(addressGroup(ip)).toBe(group)
})

it('addressGroup returns the first characters of a text that is not an address', () => {
  expect(addressGroup('x'.repeat(16_000))).toBe('x'.repeat(64))
})

describe('requesterOf', () => {
  const request = (ip: string, userAgent: string) => ({ ip, get: () => userAgent })

  it('returns the address and the user agent', () => {
    expect(requesterOf(request('192.0.2.1', 'curl/8.5'))).toEqual({
      address: '192.0.2.1',
      userAgent: 'curl/8.5',
    })
  })

  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
  ])('writes the address %s as %s', (ip, address) => {
    expect(requesterOf(request(ip, '')).address).toBe(address)
  })

  it('leaves out what the request does not have', () => {
    expect(requesterOf(request('', ''))).toEqual({})
  })

  it('cuts long texts, removes control characters, and its result is accepted as options of a change', () => {
    const requester = requesterOf(request(`${'9'.repeat(63)}😀`, `a\u0000b\u2028${'c'.repeat(5000)}`))
    expect(requester).toEqual({ address: '9'.repeat(63), userAgent: `ab${'c'.repeat(196)}` })
    expect(() => checkChange('name', requester)).not.toThrow()
  })
})
