import { describe, expect, it } from 'vitest'
import { checkChange } from '../../src/host/change-options.ts'

describe('the options of a change', () => {
  it.each([
    undefined,
    {},
    { actor: 'support:anna', address: '2001:db8::1', userAgent: 'Mozilla/5.0 (X11; Linux)' },
    { actor: 'a'.repeat(255), address: 'a'.repeat(64), userAgent: 'a'.repeat(1000) },
    { actor: undefined, address: undefined, userAgent: undefined },
  ])('%j is accepted', (options) => {
    expect(() => checkChange('name', options)).not.toThrow()
  })

  it.each([
    [{ actor: 'a'.repeat(256) }, 'actor: must be a text of 1 to 255 characters'],
    [{ address: 'a'.repeat(65) }, 'address: must be a text of 1 to 64 characters'],
    [{ userAgent: 'a'.repeat(1001) }, 'userAgent: must be a text of 1 to 1000 characters'],
    [{ address: '' }, 'address: must be a text'],
    [{ address: '192.0.2.1\nactor=root' }, 'address: must be a text'],
    [{ userAgent: 'curl\u0000' }, 'userAgent: must be a text'],
    [{ userAgent: 'curl\u2028' }, 'userAgent: must be a text'],
    [{ userAgent: '\ud800' }, 'userAgent: must be a text'],
    [{ address: ['192.0.2.1'] }, 'address: must be a text'],
    [{ adress: '192.0.2.1' }, 'adress: is unknown here'],
  ])('%j is rejected', (options, message) => {
    expect(() => checkChange('name', options)).toThrow(message)
  })
})
