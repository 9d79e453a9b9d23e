import { expect, it } from 'vitest'
import { isPublicAddress } from '../../../src/http/outgoing/public-address.ts'

/** One address of each special-purpose network, or its first and last address. */
const SPECIAL = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255
  169.254.0.1 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1
  192.88.99.1 192.168.0.0 192.168.255.255 192.175.48.1 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1
  224.0.0.1 239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255
  :: ::1 ::7f00:1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:93.184.216.34 ::ffff:0:93.184.216.34
  64:ff9b::7f00:1 64:ff9b::93.184.216.34 64:ff9b:1::1 100::1 100:0:0:1::1
  2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff 2001:db8::1
  2002::1 2002:7f00:1::1 2002:5db8:d822::1 2620:4f:8000::1 3fff::1 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff 5f00::1
  1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 4000::1 fc00::1 fdff::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1
`
  .trim()
  .split(/\s+/)

/** Addresses of the internet, among them the neighbours of special-purpose networks. */
const PUBLIC = `
  1.0.0.0 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
  169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0
  198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255
  2000::1 2001:200::1 2001:db7::1 2001:db9::1 2003::1 2606:2800:220:1:248:1893:25c8:1946 2620:4f:8001::1 3ffe::1 3fff:1000::1
`
  .trim()
  .split(/\s+/)

it('an address is public unless it is in a special-purpose network, or is no address', () => {
  expect(SPECIAL.filter((address) => isPublicAddress(address))).toEqual([])
  expect(PUBLIC.filter((address) => !isPublicAddress(address))).toEqual([])
  const others =
    'example.com,93.184.216,0x5d.0xb8.0xd8.0x22,1572395042,093.184.216.34,[2606:2800:220:1:248:1893:25c8:1946],2606:2800:220:1:248:1893:25c8:1946%eth0,93.184.216.34/24,, 93.184.216.34'
  expect(others.split(',').filter((text) => isPublicAddress(text))).toEqual([])
})
