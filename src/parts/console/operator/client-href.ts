import { hostOf, isDocumentId } from '../../../validation/document-id.ts'
import type { Call } from '../page-types.ts'

/** The page exists with the option `clientDocuments`. */
export const DOCUMENTS_PATH = '/operator/client-documents'

/** The operators' page about a client. Without `clientDocuments`, one with a metadata document has none. */
export function clientHref(call: Pick<Call, 'to' | 'has'>, clientId: string): string | undefined {
  if (isDocumentId(clientId)) return hostHref(call, clientId)
  return call.to(`/operator/clients/${encodeURIComponent(clientId)}`)
}

/** The page with the documents of the host of a client; undefined if the reader has none. */
export function hostHref({ to, has }: Pick<Call, 'to' | 'has'>, clientId: string): string | undefined {
  if (!isDocumentId(clientId) || !has('clientDocuments')) return undefined
  return to(DOCUMENTS_PATH, { host: hostOf(clientId) })
}
