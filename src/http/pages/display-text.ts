import { hostOf, isDocumentId } from '../../validation/document-id.ts'

/**
 * Characters that are invisible or that change the direction of the text around them can make one name look
 * like another. Joiners and variation selectors stay, because emoji and Persian need them.
 */
const INVISIBLE =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u

/** No language needs so many combining marks on one letter. They would overlap the lines above and below. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Prepares a text from outside for display: one line without misleading characters, truncated if it is too
 * long. It is empty if the text has no visible character. The caller still has to escape it.
 * @param limit maximum characters, as a reader would count them
 */
export function displayText(text: string, limit = 80): string {
  const clean = text
    // No name is that long.
    .slice(0, limit * 20)
    .replaceAll(/[\s\u2800]+/g, ' ')
    .replaceAll(INVISIBLE, '')
    .replaceAll(PILED_MARKS, '$1')
    .trim()
  if (!VISIBLE.test(clean)) return ''
  if (clean.length <= limit) return clean
  const letters = Array.from(graphemes.segment(clean), ({ segment }) => segment)
  if (letters.length <= limit) return clean
  const beginning = letters.slice(0, limit - 1).join('')
  return `${beginning.trimEnd()}…`
}

/** Quotation marks of all languages. */
const QUOTATION_MARKS = /["\p{Pi}\p{Pf}„‟❝❞〝〞〟＂]/gu

/** Quotation marks in the text would end the quotation, so they are replaced. */
export function quotableText(text: string): string {
  return displayText(text).replaceAll(QUOTATION_MARKS, '’')
}

/**
 * The name of an application, or its `client_id` if the name has no visible character. The name in a metadata
 * document is not checked, so the result is then the host of the document.
 */
export function applicationName(application: {
  readonly name: string
  readonly clientId: string
  readonly document?: { readonly host: string } | undefined
}): string {
  const { name, clientId, document } = application
  return document?.host ?? (displayText(name) || clientId)
}

/** The display name of a client of which only the id is known, and perhaps its former name. */
export function unknownClientName(clientId: string, formerName?: string): string {
  return isDocumentId(clientId) ? hostOf(clientId) : displayText(formerName ?? clientId)
}

export function initialOf(name: string): string {
  const [first] = graphemes.segment(name)
  return first?.segment.toUpperCase() ?? ''
}

/** Undefined if an address from outside is neither http nor https: `javascript:` and `data:` are not safe. */
export function webAddress(address: string | undefined): URL | undefined {
  const url = address === undefined ? null : URL.parse(address)
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined
}
