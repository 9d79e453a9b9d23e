import fc from 'fast-check'
import { expect, it } from 'vitest'
import { foldText, isAscii } from '../../src/catalog/fold-text.ts'
import { anyText } from '../support/any-text.ts'

/** The changes that routers, and the code around routers, make to a path before they compare the path. */
const FOLDINGS: Record<string, (text: string) => string> = {
  'lower case': (text) => text.toLowerCase(),
  'upper case': (text) => text.toUpperCase(),
  'upper, then lower case': (text) => text.toUpperCase().toLowerCase(),
  NFC: (text) => text.normalize('NFC'),
  NFD: (text) => text.normalize('NFD'),
  NFKC: (text) => text.normalize('NFKC'),
  NFKD: (text) => text.normalize('NFKD'),
  'NFKC, then lower case': (text) => text.normalize('NFKC').toLowerCase(),
  'lower case, then NFKC': (text) => text.toLowerCase().normalize('NFKC'),
  'the long s': (text) => text.replaceAll('\u017f', 's'),
  'the dotless i': (text) => text.replaceAll('\u0131', 'i'),
  'the dotted I': (text) => text.replaceAll('\u0130', 'i'),
  'the Kelvin sign': (text) => text.replaceAll('\u212a', 'k'),
}

it('foldText returns the same text before and after any change of letter case or Unicode form that a router makes', () => {
  const differing: string[] = []
  const check = (text: string) => {
    for (const [name, folding] of Object.entries(FOLDINGS)) {
      const read = folding(text)
      if (read !== text && foldText(read) !== foldText(text))
        differing.push(`${name}: ${JSON.stringify(text)}`)
    }
  }
  for (let code = 0; code <= 0xffff; code += 1) {
    // Surrogates are skipped, because each is only half of a character.
    if (code < 0xd800 || code > 0xdfff) check(String.fromCodePoint(code))
  }
  fc.assert(fc.property(anyText(), check), { numRuns: 500 })
  expect(differing).toEqual([])
}, 120_000)

it('isAscii distinguishes ASCII text from all other text', () => {
  expect(isAscii('')).toBe(true)
  expect(isAscii('/a-Z~\u0000\u007f')).toBe(true)
  for (const text of ['\u0080', 'caf\u00e9', '\u212a', '\u{1d424}']) expect(isAscii(text)).toBe(false)
})
