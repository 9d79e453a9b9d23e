import { findSecret, type StoredClient } from './client-registry.ts'
import type { StoredSecret } from './stored-secrets.ts'

/**
 * The stored secret of a client that matches the sent secret and is valid; undefined if there is none.
 *
 * @param candidates the possible readings of the sent secret: many clients do not encode their secret
 */
export function findSecretOf(client: StoredClient, candidates: readonly string[]): StoredSecret | undefined {
  const found = candidates.map((candidate) => findSecret(client, candidate))
  return found.find((secret) => secret !== undefined)
}
