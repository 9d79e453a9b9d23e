import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accentShades, contrastOf } from '../../../src/http/pages/accent.ts'

const grounds = { light: '#eef1f5', dark: '#232b38' }

describe('the shades of an accent colour', () => {
  it('the shades of every accent colour are readable', () => {
    const colour = fc
      .integer({ min: 0, max: 0xffffff })
      .map((value) => `#${value.toString(16).padStart(6, '0')}`)
    fc.assert(
      fc.property(colour, (accent) => {
        const shades = accentShades(accent, grounds)
        expect(shades.fill).toBe(accent)
        expect(contrastOf(shades.fill, shades.onFill)).toBeGreaterThanOrEqual(4.5)
        expect(contrastOf(shades.onLight, grounds.light)).toBeGreaterThanOrEqual(4.5)
        expect(contrastOf(shades.onDark, grounds.dark)).toBeGreaterThanOrEqual(4.5)
      }),
    )
  })

  it('a readable colour is not changed', () => {
    expect(accentShades('#1a56db', grounds)).toMatchObject({ onFill: '#ffffff', onLight: '#1a56db' })
    expect(accentShades('#FFD500', grounds)).toMatchObject({ onFill: '#000000', onDark: '#ffd500' })
  })

  it('contrastOf computes the contrast ratio of WCAG', () => {
    expect(contrastOf('#000000', '#ffffff')).toBe(21)
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  })
})
