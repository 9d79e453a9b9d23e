import { lookupLocale } from '../http/locale.ts'
import type { LocalizedText } from './definition.ts'

/** The text in the first of the person's `locales` that it has, else in `fallback`, else in its own first locale. */
export function localize(text: LocalizedText, locales: readonly string[], fallback: string): string {
  if (typeof text === 'string') return text
  const texts = new Map(Object.entries(text))
  const available = [...texts.keys()]
  const locale = lookupLocale(available, [...locales, fallback]) ?? available[0]
  return (locale === undefined ? undefined : texts.get(locale)) ?? ''
}
