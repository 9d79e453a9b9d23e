import { describe, expect, it } from 'vitest'
import { randomId } from '../../src/keys/random-id.ts'

describe('random ids', () => {
  it('have 32 bytes in base64url, and no two are equal, however many are drawn', () => {
    const ids = Array.from({ length: 1000 }, randomId)
    expect(ids.every((id) => /^[\w-]{43}$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(1000)
    const bytes = new Set(ids.flatMap((id) => [...Buffer.from(id, 'base64url')]))
    expect(bytes.size).toBe(256)
  })
})
