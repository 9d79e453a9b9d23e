/** Ends of names that differ little, or mean something to a database, a pattern or an object. */
export const SUFFIXES: readonly string[] = [
  ['{}', '{a}b', '{a}c', ':', '::', '*', '?', '[a-z]', '%', '_', '/', '../x', '\\', "'; --", '$', '.'],
  [
    ' ',
    'a',
    'A',
    'aa',
    'a ',
    'a\n',
    'a\u0000',
    'a\u0000b',
    '1',
    '01',
    '\u00e9',
    'e\u0301',
    '\u00c9',
    '\u00df',
    'ss',
  ],
  // One of each plane of Unicode; that of the first is what decoders put where they understand nothing.
  Array.from({ length: 17 }, (_, plane) => String.fromCodePoint(plane * 0x10000 + 0xfffd)),
].flat()

/** The longest a key, an index or a channel may be, in characters: UTF-16 units, as `length` counts them. */
const LONGEST = 512

/** Pairs of names of the greatest length that differ in their last character, with 1 to 4 bytes a character. */
export function longestNames(key: (suffix: string) => string): string[] {
  const room = LONGEST - 1 - key('').length
  const fill = (text: string) => text.repeat(room).slice(0, text.length * Math.floor(room / text.length))
  return ['x', '\u00e9', '\u20ac', '\u{1F600}'].flatMap((text) =>
    ['a', 'b'].map((end) => key(fill(text) + end)),
  )
}

/** What every object has under a name that nobody stored. */
export const NAMES_OF_OBJECTS: readonly string[] = ['__proto__', 'constructor', 'hasOwnProperty', 'toString']
