import type { ClientRegistry } from './client-registry.ts'
import type { Application } from './client.ts'

/**
 * Finds the applications of grants, each once. Deleted applications are absent from the result.
 *
 * @returns the applications by client id
 */
export async function findApplications(
  registry: ClientRegistry,
  grants: readonly { readonly clientId: string }[],
): Promise<Map<string, Application>> {
  const clientIds = [...new Set(grants.map(({ clientId }) => clientId))]
  // All reads begin at the same time, so that the store driver sends them together.
  const found = await Promise.all(clientIds.map((clientId) => registry.find(clientId)))
  return new Map(
    found.flatMap((client) => (client?.kind === 'application' ? [[client.clientId, client]] : [])),
  )
}
