import { lookupLocale } from '../http/locale.ts'
import type { LocalizedText } from './definition.ts'

/**
 * The text in the best available locale.
 *
 * @param locales the person's locales, in order of preference
 * @param fallback the locale that is tried after the person's locales. If the text has none of these locales,
 *   its first locale is used
 */
export function localize(text: LocalizedText, locales: readonly string[], fallback: string): string {
  if (typeof text === 'string') return text
  const texts = new Map(Object.entries(text))
  const available = [...texts.keys()]
  const locale = lookupLocale(available, [...locales, fallback]) ?? available[0]
  return (locale === undefined ? undefined : texts.get(locale)) ?? ''
}
