import { describe, expect, it } from 'vitest'
import { requesterOf } from '../../src/audit/entry.ts'
import { checkChange } from '../../src/host/change-options.ts'

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
