import { html, type Html } from '../../http/html.ts'
import { localize } from '../../catalog/localize.ts'
import type { LocalizedText } from '../../catalog/definition.ts'
import type { ConsoleReaderTexts } from './texts.ts'

export type Reader = ReturnType<ReturnType<typeof createReaders>>

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** Creating a format takes much longer than using it. */
function createFormats(lang: string) {
  return {
    date: new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone: 'UTC' }),
    dateTime: new Intl.DateTimeFormat(lang, {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZone: 'UTC',
      timeZoneName: 'short',
    }),
    hour: new Intl.DateTimeFormat(lang, {
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZone: 'UTC',
      timeZoneName: 'short',
    }),
    relative: new Intl.RelativeTimeFormat(lang),
    thisMinute: new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(0, 'minute'),
    list: new Intl.ListFormat(lang),
    number: new Intl.NumberFormat(lang),
  }
}

/** Adds dates, numbers and lists to the texts of a reader. */
export function createReaders() {
  // Small, because only the languages of the texts occur.
  const known = new Map<string, ReturnType<typeof createFormats>>()

  function formatsOf(lang: string) {
    const formats = known.get(lang) ?? createFormats(lang)
    known.set(lang, formats)
    return formats
  }

  return function readerOf(texts: ConsoleReaderTexts) {
    const formats = formatsOf(texts.lang)
    const isoOf = (milliseconds: number) => new Date(milliseconds).toISOString()
    const time = (milliseconds: number, text: string) =>
      html`<time datetime="${isoOf(milliseconds)}">${text}</time>`

    /** “in 3 days”, beside an exact time. @param seconds epoch seconds */
    function relative(seconds: number): string {
      const difference = seconds - Date.now() / 1000
      const unit = UNITS.find(([, length]) => Math.abs(difference) >= length)
      // So that the text stays correct for a while.
      return unit ? formats.relative.format(Math.trunc(difference / unit[1]), unit[0]) : formats.thisMinute
    }

    return {
      ...texts,
      localize: (text: LocalizedText) => localize(text, texts.locales, texts.defaultLocale),
      /** @param seconds epoch seconds */
      date: (seconds: number): Html => time(seconds * 1000, formats.date.format(seconds * 1000)),
      /** With its day, in UTC. @param seconds epoch seconds */
      hour: (seconds: number): Html => time(seconds * 1000, formats.hour.format(seconds * 1000)),
      dateTime: (milliseconds: number): Html => time(milliseconds, formats.dateTime.format(milliseconds)),
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
