import { describe, expect, it } from 'vitest'
import { localeProblem, lineageOf, lookupLocale } from '../../src/http/locale.ts'

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
  ])(
    'of the available locales %j, for the wanted locales %j, lookupLocale returns %s (RFC 4647 3.4)',
    (available, wanted, expected) => {
      expect(lookupLocale(available, wanted)).toBe(expected)
    },
  )
})

describe('localeProblem', () => {
  it('language tags are locales, and no other texts', () => {
    const tags = ['en', 'de-CH', 'zh-Hant-TW', 'sl-rozaj-biske', 'en-x-pirate']
    const others = ['', 'e', 'en_GB', 'en-', '-en', '12', 'en GB', '__proto__']
    expect([...tags, ...others].filter((tag) => localeProblem(tag) === undefined)).toEqual(tags)
  })
})

describe('lineageOf', () => {
  it('lineageOf returns a locale and its parents, with the most general parent last', () => {
    expect(lineageOf('zh-Hant-x-TW')).toEqual(['zh-Hant-x-TW', 'zh-Hant', 'zh'])
    expect(lineageOf('de')).toEqual(['de'])
  })
})
