import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import type { Application, Client } from './client.ts'
import { isClientId } from './client-id.ts'
import { clientOf, clientRecords } from './client-record.ts'
import { MAX_SECRETS } from './secret-rotation.ts'
import { decodeHash, isLive, type StoredSecret } from './stored-secrets.ts'

/** The property with the hashes of the secrets. A symbol never gets into JSON. */
const SECRETS = Symbol('secrets')

export type StoredClient = Client & { readonly [SECRETS]?: readonly StoredSecret[] | undefined }

export interface ClientRegistry {
  /** Also finds disabled clients. The result has no `lastUsedAt`, because no token needs it. */
  find(clientId: string): Promise<StoredClient | undefined>
}

/** Finds clients for token requests, compares secrets. Without a cache: each call of `find` reads the store once. */
export function createClientRegistry(store: Store): ClientRegistry {
  const records = clientRecords(store)
  return {
    async find(clientId) {
      // Requests may contain any text. An invalid id needs no database query.
      if (!isClientId(clientId)) return undefined
      const record = await records.get(clientId)
      return record && { ...clientOf(record), [SECRETS]: record.secrets }
    },
  }
}

/** The applications of grants by client id, without deleted ones. */
export async function findApplications(
  registry: ClientRegistry,
  grants: readonly { readonly clientId: string }[],
): Promise<Map<string, Application>> {
  const clientIds = [...new Set(grants.map(({ clientId }) => clientId))]
  // At the same time, so that the store driver sends the reads together.
  const found = await Promise.all(clientIds.map((clientId) => registry.find(clientId)))
  return new Map(
    found.flatMap((client) => (client?.kind === 'application' ? [[client.clientId, client]] : [])),
  )
}

/** Takes the place of a missing secret, so that each check takes the same time. No secret has this hash. */
const NO_HASH = randomBytes(32)

/** Undefined for a client that is not from `find`. @param candidates possible readings: many do not encode secrets */
export function findSecretOf(client: StoredClient, candidates: readonly string[]): StoredSecret | undefined {
  const found = candidates.map((candidate) => findSecret(client, candidate))
  return found.find((secret) => secret !== undefined)
}

/** Always compares twice, in constant time, so that the time does not reveal the number of secrets. */
function findSecret(client: StoredClient, candidate: string): StoredSecret | undefined {
  const candidateDigest = Buffer.from(digest(candidate), 'base64url')
  let found: StoredSecret | undefined
  for (let slot = 0; slot < MAX_SECRETS; slot += 1) {
    const secret = client[SECRETS]?.[slot]
    const equal = timingSafeEqual(candidateDigest, secret ? decodeHash(secret.hash) : NO_HASH)
    if (equal && secret !== undefined && isLive(secret, Date.now())) found = secret
  }
  return found
}
