import type { Logger } from '../../host/logger.ts'
import { html, type Html, type HtmlValue } from '../html.ts'
import { lineageOf, lookupLocale, writingDirection } from '../locale.ts'

/**
 * The forms of a text with a number, by the plural rules of its language (`Intl.PluralRules`). The number is
 * the value `count`.
 */
export type PluralText = { readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string }

/** A text of a page. Values replace the names in braces, such as `{application}`. */
export type PageText = string | PluralText

type NamedTexts = { readonly [name: string]: PageText }

export interface ReaderTexts<Name extends string> {
  readonly lang: string
  readonly dir: 'ltr' | 'rtl'
  /** In order of preference, for texts from the catalog. */
  readonly locales: readonly string[]
  /** For readers whose preferred locales are all unavailable. */
  readonly defaultLocale: string
  langOf(name: Name): string
  /** The locale of dates and numbers in a text: its language, with the region of the reader. @default of the page */
  formatLocaleOf(name?: Name): string
  /** As markup, with `lang` if it differs from the page's. Texts are in `<bdi>`: they cannot change the direction. */
  html(name: Name, values?: Readonly<Record<string, HtmlValue>>): Html
  /** For the title of a window. Values are not isolated: some screen readers read those characters out. */
  plain(name: Name, values?: Readonly<Record<string, string | number>>): string
}

/** Each locale is looked up for every title of the consent page, so thousands would cost too much. */
const MAX_LOCALES = 16
const MAX_LOCALE_LENGTH = 64

/**
 * The texts of pages in all languages. If a locale lacks a text, the text of its parents is used (`de` is the
 * parent of `de-CH`), and then the English text.
 * @param options.english every text
 * @param options.translations complete texts of further languages, by locale
 * @param options.texts the host's texts by locale. They replace our texts
 * @param options.together names of texts that form one sentence. If a locale lacks one of them, all are English
 * @param options.logger logs the missing texts once
 * @param options.pages what the texts belong to, for this message
 */
export function createReaderTexts<Texts extends NamedTexts>(options: {
  readonly english: Texts
  readonly translations?: { readonly [locale: string]: Texts } | undefined
  readonly texts: { readonly [locale: string]: Partial<Texts> }
  readonly defaultLocale: string
  readonly together?: readonly (keyof Texts & string)[] | undefined
  readonly logger?: Logger | undefined
  readonly pages: string
}) {
  type Name = keyof Texts & string
  const { english, translations = {}, defaultLocale, together = [], logger } = options
  const given = new Map(Object.entries(options.texts).map(([locale, texts]) => [locale.toLowerCase(), texts]))
  const base = new Map<string, Partial<Texts>>([['en', english], ...Object.entries(translations)])
  const localeNames = ['en', ...Object.keys(translations), ...Object.keys(options.texts)]
  const complete = new Map(
    localeNames.map((locale) => {
      const lineage = lineageOf(locale.toLowerCase()).toReversed()
      const texts: Partial<Texts> = Object.assign(
        {},
        ...lineage.map((tag) => base.get(tag)),
        ...lineage.map((tag) => given.get(tag)),
      )
      return [locale.toLowerCase(), withoutPart(texts, together)] as const
    }),
  )
  const missing = localeNames.flatMap((locale) => {
    const texts = complete.get(locale.toLowerCase())
    const absent = Object.keys(english).filter((name) => texts?.[name] === undefined)
    return absent.length > 0 ? [[locale, absent] as const] : []
  })
  if (missing.length > 0) {
    const message = `texts of ${options.pages} are missing and are shown in English`
    logger?.warn({ missing: Object.fromEntries(missing) }, message)
  }

  return {
    /** @param wanted in order of preference; looked up as in RFC 4647 3.4 */
    forReader(wanted: readonly string[]): ReaderTexts<Name> {
      const locales = wanted.filter((tag) => tag.length <= MAX_LOCALE_LENGTH).slice(0, MAX_LOCALES)
      const tag = [...locales, defaultLocale].find((each) => lookupLocale(localeNames, [each]) !== undefined)
      const lang = (tag !== undefined && lookupLocale(localeNames, [tag])) || 'en'
      const formatLocale = withRegion(lang, tag)
      const texts = complete.get(lang.toLowerCase()) ?? english
      const langOf = (name: Name) => (texts[name] === undefined ? 'en' : lang)
      const formatLocaleOf = (name?: Name) => (name && texts[name] === undefined ? 'en' : formatLocale)
      function textOf(name: Name, count: unknown): string {
        const text = texts[name] ?? english[name] ?? ''
        return typeof text === 'string' ? text : pluralOf(text, langOf(name), Number(count))
      }
      return {
        lang,
        dir: writingDirection(lang),
        locales,
        defaultLocale,
        langOf,
        formatLocaleOf,
        html(name, values = {}) {
          const sentence = fillIn(textOf(name, values['count']), values, formatLocaleOf(name))
          return texts[name] === undefined ? html`<span lang="en" dir="ltr">${sentence}</span>` : sentence
        },
        plain: (name, values = {}) =>
          textOf(name, values['count']).replaceAll(/\{(\w+)\}/g, (whole, placeholder: string) => {
            const value = values[placeholder]
            return typeof value === 'number' ? writeNumber(value, formatLocaleOf(name)) : (value ?? whole)
          }),
      }
    },
  }
}

/** `de-CH` for the texts `de` and the wanted `de-CH-1996`. An unknown region is left out, and so are extensions. */
function withRegion(lang: string, wanted = lang): string {
  const [region = ''] = /^(?:-[a-z]{4})?-(?:[a-z]{2}|\d{3})(?![a-z\d])/i.exec(wanted.slice(lang.length)) ?? []
  return new Intl.NumberFormat(lang + region).resolvedOptions().locale
}

function withoutPart<Texts extends NamedTexts>(
  texts: Partial<Texts>,
  together: readonly string[],
): Partial<Texts> {
  if (together.every((name) => texts[name] !== undefined)) return texts
  return Object.fromEntries(
    Object.entries(texts).filter(([name]) => !together.includes(name)),
  ) as Partial<Texts>
}

/** By locale, because creating one takes much longer than using it. Only languages of texts occur, with known regions. */
const plurals: Record<string, Intl.PluralRules> = {}
const numbers: Record<string, Intl.NumberFormat> = {}

function pluralOf(text: PluralText, locale: string, count: number): string {
  return text[(plurals[locale] ??= new Intl.PluralRules(locale)).select(count)] ?? text.other
}

function writeNumber(value: number, locale: string): string {
  return (numbers[locale] ??= new Intl.NumberFormat(locale)).format(value)
}

/** A placeholder without a value stays as it is. */
function fillIn(template: string, values: Readonly<Record<string, HtmlValue>>, locale: string): Html {
  const parts = template.split(/\{(\w+)\}/)
  return html`${parts.map((part, index) => {
    if (index % 2 === 0) return part
    if (!(part in values)) return `{${part}}`
    const value = values[part]
    if (typeof value === 'number') return writeNumber(value, locale)
    return typeof value === 'string' ? html`<bdi>${value}</bdi>` : value
  })}`
}
