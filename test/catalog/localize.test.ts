import { describe, expect, it } from 'vitest'
import { localize } from '../../src/catalog/localize.ts'

describe('localize', () => {
  const title = { de: 'Rechnungen', 'en-GB': 'Invoices' }

  it('a text without locales is used for every locale', () => {
    expect(localize('Invoices', ['de'], 'en')).toBe('Invoices')
  })

  it('localize prefers the wanted locales, then the fallback, then any available text', () => {
    expect(localize(title, ['en-GB-oed', 'de'], 'de')).toBe('Invoices')
    expect(localize(title, ['fr'], 'en-GB')).toBe('Invoices')
    expect(localize(title, ['fr'], 'it')).toBe('Rechnungen')
  })

  it('localize ignores wanted locales that are names of properties of Object.prototype', () => {
    expect(localize(title, ['constructor', '__proto__', 'valueOf'], 'de')).toBe('Rechnungen')
  })
})
