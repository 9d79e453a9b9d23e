import { describe, expect, it } from 'vitest'
import { isAllowed, isPrivate, networkProblem } from '../../src/http/allowed-networks.ts'

describe('networkProblem()', () => {
  it.each([
    '203.0.113.9',
    '203.0.113.0/24',
    '10.0.0.0/8',
    '128.0.0.0/1',
    '2001:db8::1',
    '2001:db8::/32',
    '::1',
    '8000::/1',
    'fe80::/10',
  ])('%s is a valid address or network', (text) => {
    expect(networkProblem(text)).toBeUndefined()
  })

  it.each([
    ['203.0.113.9/24', '203.0.113.0/24'],
    ['203.0.113.9/32', '203.0.113.9'],
    ['203.0.113.0/024', '203.0.113.0/24'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:1.2.3.0/120', '1.2.3.0/24'],
  ])('%s must be written as %s', (text, expected) => {
    expect(networkProblem(text)).toMatchObject({ code: 'network-spelling', expected })
  })

  it.each([
    ['0.0.0.0/0', 'network-all'],
    ['::/0', 'network-all'],
    ['203.0.113.0/33', 'network'],
    ['2001:db8::/129', 'network'],
    ['203.0.113.0/-1', 'network'],
    ['203.0.113.0/', 'network'],
    ['203.0.113.0/2 4', 'network'],
    ['203.0.113.0/24/24', 'network'],
    ['203.0.113', 'network'],
    ['0x7f.1', 'network'],
    ['010.0.0.1', 'network'],
    ['fe80::1%eth0', 'network'],
    ['example.com', 'network'],
    ['', 'network'],
    [' 203.0.113.9', 'network'],
    ['２０３.0.113.9', 'network'],
  ])('%j has the problem %s', (text, code) => {
    expect(networkProblem(text)).toMatchObject({ code })
  })
})

describe('isAllowed()', () => {
  const networks = '203.0.113.0/24 198.51.100.7 2001:db8::/32'
  it.each([
    ['203.0.113.0', true],
    ['203.0.113.255', true],
    ['203.0.114.0', false],
    ['::ffff:203.0.113.9', true],
    ['::FFFF:cb00:7109', true],
    ['198.51.100.7', true],
    ['198.51.100.8', false],
    ['2001:db8:1::5', true],
    ['2001:db9::', false],
    ['2001:db8::1%eth0', true],
    ['unknown', false],
    ['', false],
    [undefined, false],
  ])('the address %s: %s', (address, expected) => {
    expect(isAllowed(networks, address)).toBe(expected)
  })

  it('an IPv6 network does not contain IPv4 addresses', () => {
    for (const network of ['::/1', '::/64', '::/80', '::fffe:0:0/95', '8000::/1']) {
      expect(isAllowed(network, '1.2.3.4')).toBe(false)
      expect(isAllowed(network, '::ffff:1.2.3.4')).toBe(false)
    }
    expect(isAllowed('::/1', '2001:db8::1')).toBe(true)
  })

  it('an IPv4 network does not contain IPv6 addresses', () => {
    expect(isAllowed('128.0.0.0/1', '2001:db8::1')).toBe(false)
  })
})

describe('isPrivate()', () => {
  it.each(['10.1.2.3', '127.0.0.1', '::1', '::ffff:192.168.0.1', 'fd00::1', 'fe80::1%eth0', '100.64.0.1'])(
    '%s is private',
    (address) => expect(isPrivate(address)).toBe(true),
  )
  it.each(['203.0.113.9', '2001:db8::1', '172.32.0.1', 'unknown'])('%s is not private', (address) =>
    expect(isPrivate(address)).toBe(false),
  )
})
