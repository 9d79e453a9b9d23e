/** Languages and scripts that are written from right to left. */
const RIGHT_TO_LEFT = /^(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)(-|$)|-(arab|hebr|thaa)(-|$)/i

/** The writing direction of a language, for the `dir` attribute. */
export function writingDirection(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.test(locale) && !/-latn(-|$)/i.test(locale) ? 'rtl' : 'ltr'
}

/** The parent locales of a locale, the most general one first: `zh`, `zh-Hant` for `zh-Hant-TW`. */
export function parentsOf(locale: string): string[] {
  const parents: string[] = []
  for (let tag = truncate(locale); tag !== ''; tag = truncate(tag)) parents.unshift(tag)
  return parents
}

/** Removes the last subtag, and a single letter before it, which only introduced it. */
function truncate(tag: string): string {
  const subtags = tag.split('-').slice(0, -1)
  if (subtags.at(-1)?.length === 1) subtags.pop()
  return subtags.join('-')
}
