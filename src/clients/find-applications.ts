import type { Applications } from './applications.ts'
import type { Application } from './client.ts'

/**
 * Finds the applications of grants, each once. Deleted applications are absent from the result.
 *
 * @returns the applications by client id
 */
export async function findApplications(
  applications: Pick<Applications, 'find'>,
  grants: readonly { readonly clientId: string }[],
): Promise<Map<string, Application>> {
  const clientIds = [...new Set(grants.map(({ clientId }) => clientId))]
  // All reads begin at the same time, so that the store driver sends them together.
  const found = await Promise.all(clientIds.map((clientId) => applications.find(clientId)))
  return new Map(found.flatMap((application) => (application ? [[application.clientId, application]] : [])))
}
