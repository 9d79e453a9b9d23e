import type { Context } from 'koa'

/** All texts of the pages exist in it. */
export const DEFAULT_LOCALE = 'en'

/** Why a value does not look like a language tag (BCP 47), such as `zh-Hant-TW`; undefined if it does. */
export function localeProblem(value: unknown): string | undefined {
  if (typeof value === 'string' && /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(value)) return undefined
  return "must be a language tag such as 'en' or 'de-CH' (BCP 47)"
}

/** In order of preference: `ui_locales` (OpenID Connect Core 3.1.2.1), and then `Accept-Language`. */
export function wantedLocales(ctx: Context, uiLocales: readonly string[] = []): string[] {
  return [...uiLocales, ...ctx.acceptsLanguages()]
}

/** The most general locale last: `zh-Hant-TW`, `zh-Hant`, `zh` (RFC 4647 3.4). */
export function lineageOf(locale: string): string[] {
  const lineage: string[] = []
  const subtags = locale.split('-')
  while (subtags.length > 0) {
    lineage.push(subtags.join('-'))
    subtags.pop()
    // A single letter introduces the next subtag and has no meaning alone (RFC 4647 3.4).
    if (subtags.at(-1)?.length === 1) subtags.pop()
  }
  return lineage
}

/**
 * Lookup of RFC 4647 3.4: a wanted locale and its parents are tried before the next wanted locale; `*` is
 * skipped. The result has the spelling of `available`.
 */
export function lookupLocale(available: readonly string[], wanted: readonly string[]): string | undefined {
  const byTag = new Map(available.map((locale) => [locale.toLowerCase(), locale]))
  for (const range of wanted) {
    const tag = lineageOf(range.toLowerCase()).find((each) => byTag.has(each))
    if (tag !== undefined) return byTag.get(tag)
  }
  return undefined
}

const RIGHT_TO_LEFT = /^(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)(-|$)|-(arab|hebr|thaa)(-|$)/i

/** For the `dir` attribute. */
export function writingDirection(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.test(locale) && !/-latn(-|$)/i.test(locale) ? 'rtl' : 'ltr'
}
