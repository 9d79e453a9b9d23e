import type { LocalizedText } from './definition.ts'

/** Whether a text looks like a language tag (BCP 47): `en`, `de-CH`, `zh-Hant-TW`. */
export function isLocale(text: string): boolean {
  return /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(text)
}

/**
 * Chooses one of the locales that there are by the lookup scheme of RFC 4647 3.4: each wanted one is
 * shortened from its end (`zh-Hant-TW`, `zh-Hant`, `zh`) until something fits, and only then comes the next.
 *
 * @param available locales that there are
 * @param wanted locales that are wanted, in order of preference; `*` says nothing and is passed over
 * @returns the available one, as it is written there; undefined if none fits
 */
export function lookupLocale(available: readonly string[], wanted: readonly string[]): string | undefined {
  const byTag = new Map(available.map((locale) => [locale.toLowerCase(), locale]))
  for (const range of wanted) {
    const subtags = range.toLowerCase().split('-')
    while (subtags.length > 0) {
      const found = byTag.get(subtags.join('-'))
      if (found !== undefined) return found
      subtags.pop()
      // A single letter announces what follows it and means nothing without (RFC 4647 3.4).
      if (subtags.at(-1)?.length === 1) subtags.pop()
    }
  }
  return undefined
}

/**
 * The text in the best of the locales that there are.
 *
 * @param locales what the person wants, in order of preference
 * @param fallback the locale for a person who wants none of ours; where it is not there either, the first is
 *   taken: some text is better than none
 */
export function localize(text: LocalizedText, locales: readonly string[], fallback: string): string {
  if (typeof text === 'string') return text
  const texts = new Map(Object.entries(text))
  const available = [...texts.keys()]
  const locale = lookupLocale(available, [...locales, fallback]) ?? available[0]
  return (locale === undefined ? undefined : texts.get(locale)) ?? ''
}
