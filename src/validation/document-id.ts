// Client ids that are the address of a client metadata document (draft-ietf-oauth-client-id-metadata-document-02).

/** Whether a client id is the address of a document. No other client id begins like this: see `isClientId`. */
export function isDocumentId(clientId: string): boolean {
  return clientId.startsWith('https://')
}

/** The origin of a document, such as `https://claude.ai`. @param clientId the address of the document */
export function originOf(clientId: string): string {
  const end = clientId.indexOf('/', 'https://'.length)
  return end === -1 ? clientId : clientId.slice(0, end)
}
