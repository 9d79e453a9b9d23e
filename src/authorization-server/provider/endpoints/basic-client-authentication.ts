import { readBasicCredentials } from '../../../http/basic-credentials.ts'
import type { Client } from '../../../clients/client.ts'

/** The functions of the registry that authenticate a client by its secret. */
export interface ClientSecrets {
  find(clientId: string): Promise<Client | undefined>
  verifySecret(client: Client, secret: string): Promise<boolean>
}

/**
 * Finds the client that authenticates by HTTP Basic (RFC 6749 2.3.1).
 *
 * @param authorization the header; empty if it is absent
 * @returns undefined for an unknown or disabled client, a wrong secret or a malformed header
 */
export async function authenticateBasicClient(
  registry: ClientSecrets,
  authorization: string,
): Promise<Client | undefined> {
  const credentials = readBasicCredentials(authorization)
  // An absent or malformed header has no client id, so the host's database is not queried.
  if (!credentials) return undefined
  const client = await registry.find(credentials.clientId)
  if (!client || client.disabled) return undefined
  return (await verifyOneOf(registry, client, credentials.clientSecrets)) ? client : undefined
}

/**
 * Whether one of the possible readings of a secret is a current secret of the client. The readings are
 * compared in their order, up to the first that is right.
 */
export async function verifyOneOf(
  registry: Pick<ClientSecrets, 'verifySecret'>,
  client: Client,
  secrets: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) {
    if (await registry.verifySecret(client, secret)) return true
  }
  return false
}
