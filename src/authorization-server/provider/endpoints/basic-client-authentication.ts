import { readBasicCredentials } from '../../../http/basic-credentials.ts'
import { hasSecret, type ClientRegistry, type StoredClient } from '../../../clients/client-registry.ts'
import type { Client } from '../../../clients/client.ts'

/**
 * Finds the client that authenticates by HTTP Basic (RFC 6749 2.3.1).
 *
 * @param authorization the header; empty if it is absent
 * @returns undefined for an unknown or disabled client, a wrong secret or a malformed header
 */
export async function authenticateBasicClient(
  registry: ClientRegistry,
  authorization: string,
): Promise<Client | undefined> {
  const credentials = readBasicCredentials(authorization)
  if (!credentials) return undefined
  const client = await registry.find(credentials.clientId)
  if (!client || client.disabled) return undefined
  return hasOneOf(client, credentials.clientSecrets) ? client : undefined
}

/** Whether one of the possible readings of a secret is a live secret of the client. */
export function hasOneOf(client: StoredClient, secrets: readonly string[]): boolean {
  return secrets.some((secret) => hasSecret(client, secret))
}
