import { hostOf, isDocumentId } from '../../../validation/document-id.ts'
import type { Call } from '../page-types.ts'

/** The path of the operators' page of client metadata documents, which exists with the option `clientDocuments`. */
export const DOCUMENTS_PATH = '/operator/client-documents'

/**
 * The address of the operators' page about a client. Undefined if there is none: without the option `clientDocuments`,
 * an application with a metadata document has no page.
 */
export function clientHref(call: Pick<Call, 'to' | 'has'>, clientId: string): string | undefined {
  if (isDocumentId(clientId)) return hostHref(call, clientId)
  return call.to(`/operator/clients/${encodeURIComponent(clientId)}`)
}

/** The address of the page with the documents of the host of a client; undefined if the reader has no such page. */
export function hostHref({ to, has }: Pick<Call, 'to' | 'has'>, clientId: string): string | undefined {
  if (!isDocumentId(clientId) || !has('clientDocuments')) return undefined
  return to(DOCUMENTS_PATH, { host: hostOf(clientId) })
}
