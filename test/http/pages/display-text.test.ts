import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applicationName, displayText, initialOf, webAddress } from '../../../src/http/pages/display-text.ts'
import { anyText } from '../../support/any-text.ts'

describe('a text that a client, a user or the host supplies', () => {
  const TEXTS: [what: string, text: string, shown: string][] = [
    ['a plain text', 'Ledgerly & Sons', 'Ledgerly & Sons'],
    ['a bidirectional override', 'good\u202Eexe.live', 'goodexe.live'],
    ['bidirectional isolates and marks', '\u2066a\u2069\u200F\u061Cb', 'ab'],
    ['characters without width', 'Goo\u200Bgle\uFEFF', 'Google'],
    ['Unicode tag characters', 'a\u{E0041}b', 'ab'],
    ['control characters', 'a\u0000b\u001B[31mc\u0085d', 'ab[31mcd'],
    ['line breaks and several kinds of spaces', '  a\n\n\tb\u2028c\u00A0 d ', 'a b c d'],
    ['invisible Hangul fillers', 'a\u3164b\u115F\uFFA0c', 'abc'],
    ['a soft hyphen', 'a\u00ADb', 'ab'],
    ['an emoji with joiners', '👩‍👩‍👧 shop', '👩‍👩‍👧 shop'],
    ['a Persian word with a non-joiner', 'می‌خواهم', 'می‌خواهم'],
    ['many combining marks on one letter', `a${'\u0301'.repeat(50)}b`, `a${'\u0301'.repeat(4)}b`],
    ['a text of joiners and blanks only', '\u200D\u200C \u2800', ''],
    ['an empty text', '', ''],
  ]
  it('displayText makes a text safe to show', () => {
    expect(TEXTS.map(([what, text]) => [what, text, displayText(text)])).toEqual(TEXTS)
  })

  it('a long text is cut at a number of characters, where an emoji of several code points counts as one', () => {
    expect(displayText('x'.repeat(81))).toBe(`${'x'.repeat(79)}…`)
    expect(displayText('x'.repeat(80))).toBe('x'.repeat(80))
    expect(displayText('👩‍👩‍👧'.repeat(5), 3)).toBe('👩‍👩‍👧👩‍👩‍👧…')
    expect(displayText('x'.repeat(100_000)).length).toBe(80)
  })

  it('a displayed text never has a character that reverses or hides text', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        // eslint-disable-next-line no-control-regex
        expect(displayText(text)).not.toMatch(
          /[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/,
        )
      }),
    )
  })

  it('an application without a visible name is shown by its client_id', () => {
    expect(applicationName({ name: '\u202E\u200B', clientId: 'app-1' })).toBe('app-1')
  })

  it('initialOf returns the first letter of a name', () => {
    expect(initialOf('éclair')).toBe('É')
    expect(initialOf('👩‍👩‍👧 shop')).toBe('👩‍👩‍👧')
    expect(initialOf('')).toBe('')
  })
})

describe('an address that a client supplies', () => {
  it('only http and https addresses are web addresses', () => {
    const others = 'javascript:alert(1),JaVaScRiPt:alert(1),data:text/html,vbscript:x,//x,/x,x,'.split(',')
    expect([...others, undefined].filter((address) => webAddress(address) !== undefined)).toEqual([])
    expect(webAddress('https://x.example/a')?.host).toBe('x.example')
    expect(webAddress('http://localhost:3001/')?.host).toBe('localhost:3001')
  })
})
