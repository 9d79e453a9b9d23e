import { expect, it, vi } from 'vitest'
import { createReaders } from '../../../src/parts/console/reader-formats.ts'
import { createConsoleTexts } from '../../../src/parts/console/texts.ts'
import { silentLogger } from '../../../src/host/logger.ts'

const consoleTexts = createConsoleTexts({ texts: {}, defaultLocale: 'en', logger: silentLogger })
const readerOf = (lang: string) => createReaders()(consoleTexts.forReader([lang]))

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
  expect(ago('2026-11-26T11:59:01Z')).toContain('>this minute<')
  expect(ago('2026-11-25T11:59:00Z')).toContain('>1 day ago<')
  expect(ago('2025-11-26T12:00:00Z')).toContain('>1 year ago<')
  vi.useRealTimers()
})
