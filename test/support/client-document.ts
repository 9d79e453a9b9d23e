import type { Store } from 'koa-gatehouse'
import { replaceOutgoingConnections } from 'koa-gatehouse/testing'
import { startDocumentHost, type DocumentHost } from './document-host.ts'
import { startHost, type Host, type HostOptions } from './host.ts'

/** The host of the documents of tests, and the address of one of them. */
export const VENDOR = 'agent.example.com'
export const CLIENT_ID = `https://${VENDOR}/oauth/client.json`

/** The policy of the tests: everything of the vendor. */
export const POLICY = { match: `https://${VENDOR}/*`, products: ['invoices'], loopback: true } as const

/** A document as a client publishes it. */
export function documentOf(clientId: string = CLIENT_ID, changes: object = {}) {
  return {
    client_id: clientId,
    client_name: 'Example Agent',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...changes,
  }
}

/** Starts a host that accepts documents, and a server for the documents. */
export async function startHostWithDocuments(
  store: Store,
  options: Pick<HostOptions, 'gatehouse' | 'mount' | 'above'> & { readonly documents?: DocumentHost } = {},
): Promise<{ readonly host: Host; readonly documents: DocumentHost }> {
  const documents = options.documents ?? (await startDocumentHost([VENDOR, '*.example.com']))
  const host = await startHost({
    store,
    ...options,
    gatehouse: { clientDocuments: [POLICY], ...options.gatehouse },
  })
  await replaceOutgoingConnections(host.gatehouse, documents.connections)
  return { host, documents }
}
