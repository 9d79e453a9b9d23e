import { describe, expect, it } from 'vitest'
import { isLocale, localize, lookupLocale } from '../../src/catalog/localize.ts'

describe('lookupLocale', () => {
  it.each([
    [['en', 'de'], ['de-CH'], 'de'],
    [['en', 'de', 'de-CH'], ['de-ch'], 'de-CH'],
    [['EN', 'de'], ['en-GB'], 'EN'],
    [['zh', 'zh-Hant'], ['zh-Hant-CN-x-private1-private2'], 'zh-Hant'],
    [['zh-Hant-CN'], ['zh-Hant-CN-x-private1'], 'zh-Hant-CN'],
    [['de', 'fr'], ['it', 'fr-CA', 'de'], 'fr'],
    [['de'], ['*', 'de'], 'de'],
    [['de-CH'], ['de'], undefined],
    [['de'], [''], undefined],
    [['de'], [], undefined],
    [[], ['de'], undefined],
  ])('of %j for %j takes %s (RFC 4647 3.4)', (available, wanted, expected) => {
    expect(lookupLocale(available, wanted)).toBe(expected)
  })
})

describe('localize', () => {
  const title = { de: 'Rechnungen', 'en-GB': 'Invoices' }

  it('gives a plain text to everybody', () => {
    expect(localize('Invoices', ['de'], 'en')).toBe('Invoices')
  })

  it('prefers what the person wants, then the fallback, then what there is', () => {
    expect(localize(title, ['en-GB-oed', 'de'], 'de')).toBe('Invoices')
    expect(localize(title, ['fr'], 'en-GB')).toBe('Invoices')
    expect(localize(title, ['fr'], 'it')).toBe('Rechnungen')
  })

  it('is not misled by names of the object prototype', () => {
    expect(localize(title, ['constructor', '__proto__', 'valueOf'], 'de')).toBe('Rechnungen')
  })
})

describe('isLocale', () => {
  it.each(['en', 'de-CH', 'zh-Hant-TW', 'sl-rozaj-biske', 'en-x-pirate'])('takes %s', (tag) => {
    expect(isLocale(tag)).toBe(true)
  })
  it.each(['', 'e', 'en_GB', 'en-', '-en', '12', 'en GB', '__proto__'])('rejects %j', (tag) => {
    expect(isLocale(tag)).toBe(false)
  })
})
