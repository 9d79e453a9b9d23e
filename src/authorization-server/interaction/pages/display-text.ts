/**
 * Characters that are invisible or change the direction of the text around them, so that one name can pass for
 * another: controls, bidirectional controls, zero-width and filler characters, tags, line and paragraph
 * separators. Joiners and variation selectors stay, because emoji and Persian need them.
 */
const INVISIBLE =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** At least one visible character. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/** More marks on one letter than any language needs: they would overlap the lines around. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Prepares a text from outside (the name of an application or a person) for display: one line, without
 * misleading characters, truncated if it is too long, empty if nothing is visible. It still has to be escaped.
 *
 * @param limit characters that a reader would count
 */
export function displayText(text: string, limit = 80): string {
  const clean = text
    // No name is that long; the rest is ignored.
    .slice(0, limit * 20)
    .replaceAll(/[\s\u2800]+/g, ' ')
    .replaceAll(INVISIBLE, '')
    .replaceAll(PILED_MARKS, '$1')
    .trim()
  if (!VISIBLE.test(clean)) return ''
  const letters = Array.from(graphemes.segment(clean), ({ segment }) => segment)
  return letters.length > limit
    ? `${letters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
    : clean
}

/** The display name of an application: its name, or its `client_id` if the name has no visible character. */
export function applicationName({ name, clientId }: { name: string; clientId: string }): string {
  return displayText(name) || clientId
}

/** The first letter of a name, for the tile that replaces a logo. */
export function initialOf(name: string): string {
  const [first] = graphemes.segment(name)
  return first?.segment.toUpperCase() ?? ''
}

/** A link or image address from outside if it is http(s), undefined otherwise (`javascript:`, `data:`). */
export function webAddress(address: string | undefined): URL | undefined {
  const url = address === undefined ? null : URL.parse(address)
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined
}
