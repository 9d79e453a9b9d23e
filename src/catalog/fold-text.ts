// eslint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
const BEYOND_ASCII = /[^\u0000-\u007f]/

/** Whether a text has only ASCII characters, so that Unicode folding changes nothing but letter case. */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text)
}

/**
 * Folds a text as far as any router does. Texts that are equal after a change of letter case or a Unicode normalization
 * fold to the same text. U+212A (Kelvin sign) folds to `k`, `ſ` to `s`, `ı` and `İ` to `i`, `ﬁ` to `fi`.
 */
export function foldText(text: string): string {
  // Lower case comes first: `ẞ` stays the same in upper case, but its lower case `ß` becomes `SS`.
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC')
  return folded.replaceAll('i\u0307', 'i')
}
