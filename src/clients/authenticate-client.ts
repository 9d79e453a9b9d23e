import { readBasicCredentials } from '../http/basic-credentials.ts'
import type { Client } from './client.ts'
import { findSecret, type ClientRegistry, type StoredClient } from './client-registry.ts'
import type { StoredSecret, UsedCredential } from './stored-secrets.ts'
import { whyUnusable } from './why-no-token.ts'

/**
 * Finds the client that authenticates by HTTP Basic (RFC 6749 2.3.1).
 *
 * @param authorization the header; empty if it is absent
 * @returns undefined for an unknown, disabled or expired client, a wrong secret or a malformed header
 */
export async function authenticateBasicClient(
  {
    registry,
    secretUsed,
  }: {
    readonly registry: ClientRegistry
    /** Records that a secret of a client was used. */
    readonly secretUsed: (client: Client, secret: UsedCredential) => void
  },
  authorization: string,
): Promise<Client | undefined> {
  const credentials = readBasicCredentials(authorization)
  if (!credentials) return undefined
  const client = await registry.find(credentials.clientId)
  if (!client || whyUnusable(client)) return undefined
  const secret = findSecretOf(client, credentials.clientSecrets)
  if (secret) secretUsed(client, secret)
  return secret && client
}

/**
 * The stored secret of a client that matches the sent secret and is valid; undefined if there is none.
 *
 * @param candidates the possible readings of the sent secret: many clients do not encode their secret
 */
export function findSecretOf(client: StoredClient, candidates: readonly string[]): StoredSecret | undefined {
  const found = candidates.map((candidate) => findSecret(client, candidate))
  return found.find((secret) => secret !== undefined)
}
