/** Suffixes of names that differ little, or that have a special meaning in a database, a pattern or an object. */
export const SUFFIXES: readonly string[] = [
  ['{}', '{a}b', '{a}c', ':', '::', '*', '?', '[a-z]', '%', '_', '/', '../x', '\\', "'; --", '$', '.'],
  [' ', 'a', 'A', 'aa', 'a ', 'a\n', 'a\u0000', 'a\u0000b', '1', '01'],
  ['\u00e9', 'e\u0301', '\u00c9', '\u00df', 'ss'],
  // One character of each plane of Unicode; of the first plane U+FFFD, by which decoders replace invalid bytes.
  Array.from({ length: 17 }, (_, plane) => String.fromCodePoint(plane * 0x10000 + 0xfffd)),
].flat()

/** The maximum length of the name of a key, an index or a channel, in UTF-16 units. */
const MAX_NAME_LENGTH = 512

/** Pairs of names with the maximum length that differ in their last character, with 1 to 4 bytes per character. */
export function longestNames(key: (suffix: string) => string): string[] {
  const room = MAX_NAME_LENGTH - 1 - key('').length
  const fill = (text: string) => text.repeat(room).slice(0, text.length * Math.floor(room / text.length))
  return ['x', '\u00e9', '\u20ac', '\u{1F600}'].flatMap((text) =>
    ['a', 'b'].map((end) => key(fill(text) + end)),
  )
}

export const NAMES_OF_OBJECTS: readonly string[] = ['__proto__', 'constructor', 'hasOwnProperty', 'toString']
