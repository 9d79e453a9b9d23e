// Client ids that are the address of a client metadata document (draft-ietf-oauth-client-id-metadata-document-02).

import { isPrintableAscii } from './predicates.ts'

/** The longest address of a document, in characters. */
export const MAX_DOCUMENT_ID_LENGTH = 1024

/** Whether a client id is the address of a document. No other client id begins like this: see `isClientId`. */
export function isDocumentId(clientId: string): boolean {
  return clientId.startsWith('https://')
}

/** The origin of a document, such as `https://claude.ai`. @param clientId the address of the document */
export function originOf(clientId: string): string {
  const end = clientId.indexOf('/', 'https://'.length)
  return end === -1 ? clientId : clientId.slice(0, end)
}

/** An origin with a name of the DNS, which has at least two labels. A `*` is in no name. */
const ORIGIN = /^https:\/\/[a-z\d_-]+(?:\.[a-z\d_-]+)+(?::\d+)?$/

/** Whether a value is the origin of documents, written the way that URL parsers write it. */
export function isDocumentOrigin(value: unknown): value is string {
  return typeof value === 'string' && ORIGIN.test(value) && URL.parse(value)?.origin === value
}

/**
 * The host of a document as people read it, such as `claude.ai`. @param clientId the address of the document, or its
 * origin
 */
export function hostOf(clientId: string): string {
  return originOf(clientId).slice('https://'.length)
}

/** Whether a request can contain this id of a client: printable ASCII that is not too long (RFC 6749 A.1). */
export function mayBeClientId(value: unknown): value is string {
  if (isPrintableAscii(value)) return true
  if (typeof value !== 'string' || !isDocumentId(value)) return false
  return value.length <= MAX_DOCUMENT_ID_LENGTH && /^[\x20-\x7e]+$/.test(value)
}
