/** Languages and scripts that are written from right to left. */
const RIGHT_TO_LEFT = /^(ar|ckb|dv|fa|he|ps|sd|ug|ur|yi)(-|$)|-(arab|hebr|thaa)(-|$)/i

/** The writing direction of a language, for the `dir` attribute. */
export function writingDirection(locale: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.test(locale) && !/-latn(-|$)/i.test(locale) ? 'rtl' : 'ltr'
}
