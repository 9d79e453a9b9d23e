import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRefreshTokenFormat } from '../../../src/grants/refresh-tokens/token-format.ts'
import { anyText } from '../../support/any-text.ts'

const [today, yesterday, unknownKey] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const format = createRefreshTokenFormat([today, yesterday])

const grantIds = fc
  .array(fc.constantFrom('a', 'Z', '0', '9', '_', '-'), { minLength: 1, maxLength: 64 })
  .map((characters) => characters.join(''))
const generations = fc.integer({ min: 0, max: 9_999_999_999 })
const parts = fc.record({ grantId: grantIds, generation: generations })

describe('the refresh token format', () => {
  it('a minted token is parsed, and is genuine', () => {
    fc.assert(
      fc.property(parts, (of) => {
        const token = format.mint(of)
        expect(format.parse(token)).toEqual(of)
        expect(format.isGenuine(token)).toBe(true)
      }),
    )
  })

  it('tokens are unique, and each has 256 random bits', () => {
    const tokens = Array.from({ length: 1000 }, () => format.mint({ grantId: 'grant', generation: 3 }))
    expect(new Set(tokens).size).toBe(1000)
    for (const token of tokens) expect(Buffer.from(token.split('.')[2] ?? '', 'base64url')).toHaveLength(32)
  })

  it('a token with any character changed is not genuine', () => {
    fc.assert(
      fc.property(
        parts,
        fc.nat(),
        fc.constantFrom('0', 'A', 'a', '-', '_', '9', 'z', '.'),
        (of, position, character) => {
          const token = format.mint(of)
          const at = position % token.length
          const changed = token.slice(0, at) + character + token.slice(at + 1)
          fc.pre(changed !== token)
          // The last character of the MAC has unused bits, so several characters encode the same MAC.
          fc.pre(at !== token.length - 1)
          expect(format.parse(changed) !== undefined && format.isGenuine(changed)).toBe(false)
        },
      ),
    )
  })

  it('a token minted with an older key is genuine, and a token minted with an unknown key is not genuine', () => {
    fc.assert(
      fc.property(parts, (of) => {
        expect(format.isGenuine(createRefreshTokenFormat([unknownKey]).mint(of))).toBe(false)
        const older = createRefreshTokenFormat([yesterday]).mint(of)
        expect(format.isGenuine(older)).toBe(true)
        expect(createRefreshTokenFormat([yesterday]).isGenuine(format.mint(of))).toBe(false)
      }),
      { numRuns: 30 },
    )
  })

  it('parsing a random text returns undefined, and does not throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), anyText(), fc.base64String()), (text) => {
        expect(format.parse(text)).toBeUndefined()
        expect(format.isGenuine(text)).toBe(false)
      }),
    )
  })

  const token = format.mint({ grantId: 'grant', generation: 12 })
  it('a malformed refresh token is not parsed', () => {
    const malformed = {
      empty: '',
      'of dots alone': '...',
      'with a line feed at the end': `${token}\n`,
      'with a space in front': ` ${token}`,
      'with a fifth part': `${token}.x`,
      'with a generation that begins with 0': token.replace('.12.', '.012.'),
      'with a negative generation': token.replace('.12.', '.-1.'),
      'with a generation in another notation': token.replace('.12.', '.1e3.'),
      'with a generation of eleven digits': token.replace('.12.', '.12345678901.'),
      'with a family that is a path': token.replace('grant', '../grant'),
      'with a family that has a colon': token.replace('grant', 'a:b'),
      'with a family of 65 characters': token.replace('grant', 'g'.repeat(65)),
      'of 10,000 characters': 'x'.repeat(10_000),
      'with a short mac': token.slice(0, -1),
    }
    const parsed = Object.entries(malformed).filter(([, text]) => format.parse(text) !== undefined)
    expect(parsed).toEqual([])
  })

  it('creating the format without a key throws', () => {
    expect(() => createRefreshTokenFormat([])).toThrow(TypeError)
  })
})
