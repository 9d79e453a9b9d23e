import { expect, it, vi } from 'vitest'
import { createReaders } from '../../../src/parts/console/reader-formats.ts'
import { createConsoleTexts } from '../../../src/parts/console/texts.ts'
import { textOf } from '../../flows/console/markup.ts'
import { silentLogger } from '../../../src/host/logger.ts'

const consoleTexts = createConsoleTexts({ texts: {}, defaultLocale: 'en', logger: silentLogger })
const readerOf = (lang: string | string[]) => createReaders()(consoleTexts.forReader([lang].flat()))

it('a time says how long ago it was, in the language of the reader, with the exact time for everyone', () => {
  vi.setSystemTime('2026-11-26T12:00:00Z')
  const ago = (time: string, lang = 'en') =>
    readerOf(lang)
      .ago(Date.parse(time) / 1000)
      .toString()
  expect(ago('2026-11-26T11:56:30Z')).toBe(
    '<time datetime="2026-11-26T11:56:30.000Z" title="Nov 26, 2026, 11:56:30 AM UTC">3 minutes ago' +
      '<span class="unseen">, Nov 26, 2026, 11:56:30 AM UTC</span></time>',
  )
  expect(ago('2026-11-26T11:56:30Z', 'de')).toContain('>vor 3 Minuten<')
  expect(ago('2026-11-26T11:59:31Z')).toContain('>just now<')
  expect(ago('2026-11-25T11:59:00Z')).toContain('>1 day ago<')
  expect(ago('2025-11-26T12:00:00Z')).toContain('>1 year ago<')
  vi.useRealTimers()
})

it('dates and numbers are written as in the region of the reader; an unknown region is the default of the language', () => {
  const exact = (lang: string) =>
    /title="([^"]*)"/.exec(
      readerOf(lang)
        .ago(Date.parse('2026-11-05T09:05:07Z') / 1000)
        .toString(),
    )?.[1]
  expect(exact('en')).toBe('Nov 5, 2026, 9:05:07 AM UTC')
  expect(exact('en-GB')).toBe('5 Nov 2026, 09:05:07 UTC')
  expect(exact('en-GB-oxendict-u-ca-buddhist')).toBe(exact('en-GB'))
  for (const unknown of ['en-ZZ', 'en-u-ca-buddhist', 'en-x-CA', 'en-notaregion'])
    expect(exact(unknown)).toBe(exact('en'))
  expect(exact('de-CH')).toBe('5. Nov. 2026, 09:05:07 UTC')
  expect([readerOf('de-CH').lang, readerOf('de-CH').number(1.5)]).toEqual(['de', '1.5'])
  expect(consoleTexts.forReader(['en-IN']).plain('usageSum', { count: 1_234_567 })).toBe('12,34,567 calls')
  // The first language of the reader that has texts decides.
  expect(readerOf(['fr-CA', 'en-GB', 'de']).formatLocaleOf()).toBe('en-GB')
})

it('a language has one form of a date', () => {
  const at = Date.parse('2026-11-28T00:00:00Z')
  const { date, dateTime, hour } = readerOf('de')
  for (const written of [date(at / 1000), dateTime(at), hour(at / 1000)])
    expect(written.toString()).toMatch(/>28\. Nov\./)
})

it('a relative time is rounded, not cut', () => {
  const now = Date.now() / 1000
  const { relative } = readerOf('en')
  for (const [days, text] of [
    [89.9, 'in 3 months'],
    [364.99, 'in 1 year'],
    [550, 'in 2 years'],
    [29.6, 'in 1 month'],
    [16, 'in 16 days'],
    [23.6 / 24, 'in 1 day'],
    [11.4 / 24, 'in 11 hours'],
    [-1.6, '2 days ago'],
    [10 / 86_400, 'now'],
    [-10 / 86_400, 'just now'],
  ] as const)
    expect(relative(now + days * 86_400), String(days)).toBe(text)
  // The end of the last day that a person chose 7 days ahead.
  expect(relative((Math.floor(now / 86_400) + 8) * 86_400)).toBe('in 7 days')
})

it('an expiry at the end of a day, which is what people choose, is written as this day', () => {
  const { expiry } = readerOf('en')
  expect(textOf(expiry(Date.parse('2026-12-06T00:00:00Z') / 1000).toString())).toBe('Dec 5, 2026')
  expect(textOf(expiry(Date.parse('2026-12-06T00:00:01Z') / 1000).toString())).toMatch(
    /^Dec 6, 2026, 12:00:01/,
  )
})
