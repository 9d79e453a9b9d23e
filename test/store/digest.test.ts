import { expect, it } from 'vitest'
import { digest } from '../../src/store/digest.ts'

it('the digest is SHA-256 in base64url', () => {
  // FIPS 180-2, B.1
  const bytes = Buffer.from('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'hex')
  expect(digest('abc')).toBe(bytes.toString('base64url'))
  expect(digest('ü')).toMatch(/^[\w-]{43}$/)
})
