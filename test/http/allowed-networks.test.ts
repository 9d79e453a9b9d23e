import { describe, expect, it } from 'vitest'
import { isAllowed, isPrivate, networkProblem } from '../../src/http/allowed-networks.ts'

describe('networkProblem()', () => {
  it('an address or a network in its usual spelling is valid', () => {
    const valid =
      '203.0.113.9 203.0.113.0/24 10.0.0.0/8 128.0.0.0/1 2001:db8::1 2001:db8::/32 ::1 8000::/1 fe80::/10'
    expect(valid.split(' ').filter((text) => networkProblem(text) !== undefined)).toEqual([])
  })

  it('another spelling is rejected, and the problem names the usual one', () => {
    const spellings = {
      '203.0.113.9/24': '203.0.113.0/24',
      '203.0.113.9/32': '203.0.113.9',
      '203.0.113.0/024': '203.0.113.0/24',
      '2001:DB8::/32': '2001:db8::/32',
      '2001:db8:0:0:0:0:0:1': '2001:db8::1',
      '2001:db8:ffff::/33': '2001:db8:8000::/33',
      '2001:db8::1/128': '2001:db8::1',
      '::ffff:203.0.113.9': '203.0.113.9',
      '::ffff:1.2.3.0/120': '1.2.3.0/24',
    }
    for (const [text, expected] of Object.entries(spellings)) {
      expect(networkProblem(text)).toMatchObject({ code: 'network-spelling', expected })
    }
  })

  it('all addresses together, and any other text, are rejected', () => {
    for (const all of ['0.0.0.0/0', '::/0'])
      expect(networkProblem(all)).toMatchObject({ code: 'network-all' })
    const others =
      '203.0.113.0/33,2001:db8::/129,203.0.113.0/-1,203.0.113.0/,203.0.113.0/2 4,203.0.113.0/24/24,203.0.113,0x7f.1,010.0.0.1,fe80::1%eth0,example.com,, 203.0.113.9,２０３.0.113.9'
    const found = others.split(',').map((text) => [text, networkProblem(text)?.code])
    expect(found).toEqual(others.split(',').map((text) => [text, 'network']))
  })
})

describe('isAllowed()', () => {
  const networks = '203.0.113.0/24 198.51.100.7 2001:db8::/32'
  const ADDRESSES: [address: string | undefined, isInside: boolean][] = [
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
  ]
  it('an address is allowed if one of the networks has it', () => {
    expect(ADDRESSES.map(([address]) => [address, isAllowed(networks, address)])).toEqual(ADDRESSES)
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
  it('loopback, link-local and private addresses are private, and no others', () => {
    const addresses =
      '10.1.2.3 127.0.0.1 ::1 ::ffff:192.168.0.1 fd00::1 fe80::1%eth0 100.64.0.1 203.0.113.9 2001:db8::1 172.32.0.1 unknown'
    expect(addresses.split(' ').filter((address) => !isPrivate(address))).toEqual(
      '203.0.113.9 2001:db8::1 172.32.0.1 unknown'.split(' '),
    )
  })
})
