import { html, type Html } from '../../http/html.ts'
import { localize } from '../../catalog/localize.ts'
import type { LocalizedText } from '../../catalog/definition.ts'
import type { ConsoleReaderTexts } from './texts.ts'

export type Reader = ReturnType<ReturnType<typeof createReaders>>

const DAY = 86_400

/** From the smallest unit: its length in seconds, and how many of them are shown at most. */
const UNITS = [
  ['minute', 60, 60],
  ['hour', 3600, 24],
  ['day', DAY, 30],
  ['month', 2_629_800, 12],
  ['year', 31_557_600, Infinity],
] as const

/** Creating a format takes much longer than using it. */
function createFormats(locale: string) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'short', day: 'numeric', ...options })
  const { hour12 } = format({ hour: 'numeric' }).resolvedOptions()
  const time = { hour: hour12 ? 'numeric' : '2-digit', minute: '2-digit', timeZoneName: 'short' } as const
  return {
    date: format({ year: 'numeric' }),
    dateTime: format({ year: 'numeric', ...time, second: '2-digit' }),
    hour: format(time),
    clock: format({ ...time, timeZoneName: undefined, month: undefined, day: undefined }),
    day: format({}),
    relative: new Intl.RelativeTimeFormat(locale),
    now: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second'),
    list: new Intl.ListFormat(locale),
    number: new Intl.NumberFormat(locale),
    percent: new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 2 }),
  }
}

/** Adds dates, numbers and lists to the texts of a reader. */
export function createReaders() {
  // Small, because only the languages of the texts occur, with the regions that `Intl` knows.
  const known = new Map<string, ReturnType<typeof createFormats>>()

  function formatsOf(locale: string) {
    const formats = known.get(locale) ?? createFormats(locale)
    known.set(locale, formats)
    return formats
  }

  return function readerOf(texts: ConsoleReaderTexts) {
    const formats = formatsOf(texts.formatLocaleOf())
    const isoOf = (milliseconds: number) => new Date(milliseconds).toISOString()
    const time = (milliseconds: number, format: Intl.DateTimeFormat) =>
      html`<time datetime="${isoOf(milliseconds)}">${format.format(milliseconds)}</time>`

    /** “in 3 days”, beside an exact time. @param seconds epoch seconds */
    function relative(seconds: number): string {
      const left = seconds - Date.now() / 1000
      // To the end of a day, only whole days count: the last day that was chosen 7 days ahead is “in 7 days”.
      const difference = seconds % DAY === 0 && left > DAY ? left - (left % DAY) : left
      const [unit, length] =
        UNITS.find(([, each, most]) => Math.round(Math.abs(difference) / each) < most) ?? UNITS[4]
      const count = Math.round(difference / length)
      if (count !== 0) return formats.relative.format(count, unit)
      return difference > 0 ? formats.now : texts.plain('justNow')
    }

    return {
      ...texts,
      formats,
      localize: (text: LocalizedText) => localize(text, texts.locales, texts.defaultLocale),
      /** @param seconds epoch seconds */
      date: (seconds: number): Html => time(seconds * 1000, formats.date),
      /** A person chooses the last day, in UTC; a program may set an exact time. @param seconds epoch seconds */
      expiry: (seconds: number): Html =>
        seconds % DAY === 0 ? time(seconds * 1000 - 1, formats.date) : time(seconds * 1000, formats.dateTime),
      /** With its day, in UTC. @param seconds epoch seconds */
      hour: (seconds: number): Html => time(seconds * 1000, formats.hour),
      dateTime: (milliseconds: number): Html => time(milliseconds, formats.dateTime),
      relative,
      /** “3 days ago”. Screen readers read the exact time, which is the tooltip. @param seconds epoch seconds */
      ago(seconds: number): Html {
        const exact = formats.dateTime.format(seconds * 1000)
        const content = html`${relative(seconds)}<span class="unseen">, ${exact}</span>`
        return html`<time datetime="${isoOf(seconds * 1000)}" title="${exact}">${content}</time>`
      },
      list: (items: readonly string[]) => formats.list.format(items),
      number: (value: number) => formats.number.format(value),
    }
  }
}
