import { describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../../../src/host/logger.ts'
import { writingDirection } from '../../../src/http/locale.ts'
import { german } from '../../../src/authorization-server/interaction/texts/german.ts'
import { createTexts, english } from '../../../src/authorization-server/interaction/texts.ts'

const french = {
  signInTitle: 'Se connecter',
  signInIntro: 'pour continuer vers {application}',
  approveButton: 'Autoriser',
}
const texts = createTexts({
  texts: {
    fr: french,
    'fr-CH': { approveButton: 'Accorder' },
    'de-CH': { approveButton: 'Zulassen' },
    'pt-BR': { signInTitle: 'Entrar' },
    he: { signInTitle: 'כניסה' },
  },
  defaultLocale: 'en',
})

describe('the language of a reader', () => {
  it('a reader gets texts in the best locale that has some', () => {
    const cases: readonly [readonly string[], string][] = [
      [['de'], 'de'],
      [['DE-at'], 'de'],
      [['de-CH-1996'], 'de-CH'],
      [['fr-BE'], 'fr'],
      [['fr-CH-1996'], 'fr-CH'],
      [['it', 'de'], 'de'],
      [['pt'], 'en'],
      [['pt-br'], 'pt-BR'],
      [['en-GB', 'de'], 'en'],
      [['*'], 'en'],
      [[], 'en'],
      [['x'.repeat(10_000), '--', ''], 'en'],
    ]
    expect(cases.map(([locales]) => texts.forReader(locales).lang)).toEqual(cases.map(([, lang]) => lang))
  })

  it('a reader without a known locale gets the default locale, or English if the default locale has no texts', () => {
    const inFrench = createTexts({ texts: { fr: french }, defaultLocale: 'fr-BE' })
    expect(inFrench.forReader(['it']).lang).toBe('fr')
    expect(inFrench.forReader(['en']).plain('signInTitle')).toBe('Sign in')
    expect(createTexts({ texts: {}, defaultLocale: 'de-AT' }).forReader([]).lang).toBe('de')
    expect(createTexts({ texts: {}, defaultLocale: 'fr' }).forReader([]).lang).toBe('en')
  })

  it('a missing text falls back from a region to its language, and then to English', () => {
    const swiss = texts.forReader(['fr-CH'])
    expect(swiss.plain('approveButton')).toBe('Accorder')
    expect(swiss.plain('signInTitle')).toBe('Se connecter')
    expect(swiss.plain('denyButton')).toBe(english.denyButton)
  })

  it('texts that form one sentence are shown in the same language', () => {
    const halves = createTexts({ texts: { fr: { signInTitle: 'Se connecter' } }, defaultLocale: 'fr' })
    expect(halves.forReader([]).plain('signInTitle')).toBe('Sign in')
    expect(halves.forReader([]).plain('signInIntro')).toBe('to continue to {application}')
    expect(halves.forReader([]).lang).toBe('fr')
  })

  it('langOf returns the language of a text, and html() marks a text in another language', () => {
    const swiss = texts.forReader(['fr-CH'])
    expect([swiss.langOf('approveButton'), swiss.langOf('signInTitle')]).toEqual(['fr-CH', 'fr-CH'])
    expect(swiss.langOf('denyButton')).toBe('en')
    expect(swiss.html('denyButton').toString()).toBe('<span lang="en" dir="ltr">Deny</span>')
    expect(swiss.html('approveButton').toString()).toBe('Accorder')
    expect(texts.forReader(['en-GB']).html('denyButton').toString()).toBe('Deny')
  })

  it('German is complete without any text of the host, and the host may replace single texts', () => {
    const warn = vi.fn()
    const own = createTexts({
      texts: { de: { denyButton: 'Nein' } },
      defaultLocale: 'en',
      logger: { ...silentLogger, warn },
    }).forReader(['de-AT'])
    expect(own.lang).toBe('de')
    expect([own.plain('denyButton'), own.plain('approveButton')]).toEqual(['Nein', 'Erlauben'])
    expect(warn).not.toHaveBeenCalled()
    expect(texts.forReader(['de-CH']).plain('approveButton')).toBe('Zulassen')
    expect(texts.forReader(['de-CH']).plain('denyButton')).toBe('Ablehnen')
  })

  it('missing texts of a locale are logged once, with their names', () => {
    const { denyButton, signInIntro, ...others } = english
    const warn = vi.fn()
    const made = createTexts({
      texts: { en: { approveButton: 'OK' }, 'en-GB': {}, it: others, 'it-CH': { denyButton }, fr: english },
      defaultLocale: 'en',
      logger: { ...silentLogger, warn },
    })
    for (let count = 0; count < 3; count += 1) made.forReader(['it']).plain('denyButton')
    const together = ['signInTitle', 'signInIntro']
    expect(warn.mock.calls).toEqual([
      [
        { missing: { it: [...together, 'denyButton'], 'it-CH': together } },
        expect.stringContaining('English'),
      ],
    ])
    expect(signInIntro).toBe('to continue to {application}')
  })

  it('a host may replace English texts', () => {
    const own = createTexts({ texts: { en: { denyButton: 'No' } }, defaultLocale: 'en' }).forReader([])
    expect(own.plain('denyButton')).toBe('No')
    expect(own.plain('approveButton')).toBe('Allow')
  })

  it('texts have the writing direction of their script', () => {
    const rightToLeft = ['ar', 'he-IL', 'fa', 'ur-PK', 'az-Arab']
    const leftToRight = ['ku-Latn', 'en', 'arn', 'fr-FA']
    expect(rightToLeft.filter((locale) => writingDirection(locale) !== 'rtl')).toEqual([])
    expect(leftToRight.filter((locale) => writingDirection(locale) !== 'ltr')).toEqual([])
  })
})

describe('values in a text', () => {
  const reader = createTexts({
    texts: { en: { signInIntro: '<b>{application}</b> & {application}, {other}' } },
    defaultLocale: 'en',
  }).forReader([])

  it('values in a text are escaped and isolated', () => {
    expect(reader.html('signInIntro', { application: '<i>' }).toString()).toBe(
      '&lt;b&gt;<bdi>&lt;i&gt;</bdi>&lt;/b&gt; &amp; <bdi>&lt;i&gt;</bdi>, {other}',
    )
  })

  it('values in a title are unchanged, without invisible characters around them', () => {
    expect(reader.plain('signInIntro', { application: 'A' })).toBe('<b>A</b> & A, {other}')
  })

  it('placeholders in values are not replaced', () => {
    expect(reader.plain('signInIntro', { application: '{other}', other: 'x' })).toContain('</b> & {other},')
    expect(reader.html('signInIntro', { application: '{other}' }).toString()).toContain('<bdi>{other}</bdi>')
  })

  it('each text has a German translation with the same placeholders', () => {
    const placeholders = (text: string) => String((text.match(/\{\w+\}/g) ?? []).toSorted())
    const names = Object.keys(english) as (keyof typeof english)[]
    const wrong = names.filter(
      (name) => german[name].trim() === '' || placeholders(german[name]) !== placeholders(english[name]),
    )
    expect(wrong).toEqual([])
  })

  it('every placeholder of an English text has a value on the pages', () => {
    const names = Object.values(english).flatMap((text) =>
      [...text.matchAll(/\{(.*?)\}/g)].map(([, name]) => name),
    )
    expect(new Set(names)).toEqual(
      new Set([
        'application',
        'service',
        'developer',
        'name',
        'account',
        'duration',
        'address',
        'scope',
        'page',
        'resource',
      ]),
    )
  })
})
