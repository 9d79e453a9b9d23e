import type { LocalizedText } from './definition.ts'

/** Whether a text looks like a language tag (BCP 47): `en`, `de-CH`, `zh-Hant-TW`. */
export function isLocale(text: string): boolean {
  return /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(text)
}

/**
 * Chooses one of the available locales by the lookup scheme of RFC 4647 3.4. Each wanted locale is shortened from its
 * end (`zh-Hant-TW`, `zh-Hant`, `zh`) until one matches, and only then the next is tried.
 *
 * @param available the available locales
 * @param wanted the wanted locales, in order of preference; `*` has no meaning and is skipped
 * @returns the available locale, in its own spelling; undefined if none matches
 */
export function lookupLocale(available: readonly string[], wanted: readonly string[]): string | undefined {
  const byTag = new Map(available.map((locale) => [locale.toLowerCase(), locale]))
  for (const range of wanted) {
    const subtags = range.toLowerCase().split('-')
    while (subtags.length > 0) {
      const found = byTag.get(subtags.join('-'))
      if (found !== undefined) return found
      subtags.pop()
      // A single letter introduces the next subtag and has no meaning alone (RFC 4647 3.4).
      if (subtags.at(-1)?.length === 1) subtags.pop()
    }
  }
  return undefined
}

/**
 * The text in the best available locale.
 *
 * @param locales the person's locales, in order of preference
 * @param fallback the locale for a person who wants none of ours. If it is missing too, the first text is used: some
 *   text is better than none
 */
export function localize(text: LocalizedText, locales: readonly string[], fallback: string): string {
  if (typeof text === 'string') return text
  const texts = new Map(Object.entries(text))
  const available = [...texts.keys()]
  const locale = lookupLocale(available, [...locales, fallback]) ?? available[0]
  return (locale === undefined ? undefined : texts.get(locale)) ?? ''
}
