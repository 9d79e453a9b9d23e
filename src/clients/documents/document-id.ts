import type { Fault } from '../../errors.ts'
import { digest } from '../../store/digest.ts'
import { isDocumentId, MAX_DOCUMENT_ID_LENGTH as MAX_LENGTH } from '../../validation/document-id.ts'

// The addresses of client metadata documents, which are client ids (draft-ietf-oauth-client-id-metadata-document-02).

/** What is wrong with the address of a document (draft section 3). Each document has one spelling. */
export function findDocumentIdProblem(clientId: string): Fault | undefined {
  if (clientId.length > MAX_LENGTH) {
    return { code: 'too-long', message: `must have at most ${MAX_LENGTH} characters`, max: MAX_LENGTH }
  }
  const url = URL.parse(clientId)
  if (url === null || url.protocol !== 'https:') {
    return { code: 'url-https', message: 'must be an address that starts with "https://"' }
  }
  if (url.username !== '' || url.password !== '') {
    return { code: 'url-credentials', message: 'must not contain a user name or password' }
  }
  if (clientId.includes('#')) return { code: 'url-fragment', message: 'must not have a fragment' }
  if (/%(?:2f|5c)/i.test(url.pathname)) {
    return { code: 'url-spelling', message: 'must not have an encoded slash in its path' }
  }
  if (url.pathname === '/') return { code: 'format', message: 'must have a path after the host' }
  if (url.href === clientId) return undefined
  const message = `must be written the way that browsers write it: "${url.href}"`
  return { code: 'url-spelling', message, expected: url.href }
}

/** The id for records about a client: the digest of the address of a document, or the client id. */
export function storedIdOf(clientId: string): string {
  return isDocumentId(clientId) ? digest(clientId) : clientId
}
