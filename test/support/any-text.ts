import fc from 'fast-check'

const character = fc.oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))

/**
 * Any text of any characters of Unicode, without lone surrogates.
 *
 * `fc.string({ unit: 'binary' })` gives such a text too, but it first makes a table of a million characters, which takes a
 * second.
 */
export const anyText = (options: fc.ArrayConstraints = {}): fc.Arbitrary<string> =>
  fc.array(character, options).map((points) => String.fromCodePoint(...points))
