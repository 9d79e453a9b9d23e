import { readBasicCredentials } from '../../http/basic-credentials.ts'
import type { Client } from '../../clients/client.ts'

/** What of the registry is needed to know a client by its secret. */
export interface ClientSecrets {
  find(clientId: string): Promise<Client | undefined>
  verifySecret(client: Client, secret: string): Promise<boolean>
}

/**
 * The client that a request by HTTP Basic comes from (RFC 6749 2.3.1).
 *
 * @param authorization the header; empty if there is none
 * @returns undefined for all that is no client with its secret: unknown, disabled, malformed
 */
export async function authenticateClient(
  registry: ClientSecrets,
  authorization: string,
): Promise<Client | undefined> {
  const credentials = readBasicCredentials(authorization)
  // What cannot be an id is nothing to ask a host's database for.
  if (!credentials) return undefined
  const client = await registry.find(credentials.clientId)
  if (!client || client.disabled) return undefined
  for (const secret of credentials.clientSecrets) {
    if (await registry.verifySecret(client, secret)) return client
  }
  return undefined
}
