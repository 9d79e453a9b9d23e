import { hostOf, isDocumentId } from '../../validation/document-id.ts'

/**
 * Characters that are invisible or that change the direction of the text around them. These are controls,
 * bidirectional controls, zero-width and filler characters, tags, line and paragraph separators. Such
 * characters can make one name look like another name. Joiners and variation selectors stay, because emoji
 * and Persian need them.
 */
const INVISIBLE =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** At least one visible character. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * More combining marks on one letter than any language needs. The marks would overlap the lines above and
 * below.
 */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Prepares a text from outside, such as the name of an application or a person, for display. The result is
 * one line without misleading characters, and is truncated if it is too long. It is empty if the text has no
 * visible character. The caller still has to escape the result.
 *
 * @param limit maximum characters, as a reader would count them
 */
export function displayText(text: string, limit = 80): string {
  const clean = text
    // The rest of a longer text is ignored, because no name is that long.
    .slice(0, limit * 20)
    .replaceAll(/[\s\u2800]+/g, ' ')
    .replaceAll(INVISIBLE, '')
    .replaceAll(PILED_MARKS, '$1')
    .trim()
  if (!VISIBLE.test(clean)) return ''
  const letters = Array.from(graphemes.segment(clean), ({ segment }) => segment)
  if (letters.length <= limit) return clean
  const beginning = letters.slice(0, limit - 1).join('')
  return `${beginning.trimEnd()}…`
}

/** Quotation marks of all languages. */
const QUOTATION_MARKS = /["\p{Pi}\p{Pf}„‟❝❞〝〞〟＂]/gu

/** A text for display in quotation marks. Quotation marks of its own would end the quotation, so they are replaced. */
export function quotableText(text: string): string {
  return displayText(text).replaceAll(QUOTATION_MARKS, '’')
}

/**
 * The display name of an application: its name, or its `client_id` if the name has no visible character. If it has a
 * metadata document, the host of the document, because its name is not checked.
 */
export function applicationName(application: {
  readonly name: string
  readonly clientId: string
  readonly document?: { readonly host: string } | undefined
}): string {
  const { name, clientId, document } = application
  return document?.host ?? (displayText(name) || clientId)
}

/**
 * The display name of a client of which only the id is known: the host, if the id is the address of a metadata document.
 *
 * @param formerName the name that the client had, if it is known
 */
export function unknownClientName(clientId: string, formerName?: string): string {
  return isDocumentId(clientId) ? hostOf(clientId) : displayText(formerName ?? clientId)
}

/** The first letter of a name, for the tile that replaces a logo. */
export function initialOf(name: string): string {
  const [first] = graphemes.segment(name)
  return first?.segment.toUpperCase() ?? ''
}

/**
 * Parses the address of a link or an image from outside. Returns undefined if it is neither http nor https,
 * because an address with `javascript:` or `data:` is not safe.
 */
export function webAddress(address: string | undefined): URL | undefined {
  const url = address === undefined ? null : URL.parse(address)
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined
}
