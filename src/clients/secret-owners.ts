import { isRejection } from '../errors.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { digest } from '../store/digest.ts'
import { booleanRule, optional, textRule } from '../validation/rules.ts'
import { kindRule } from './client-schema.ts'
import type { Client } from './client.ts'
import { credentialsOf, type ClientRecords } from './client-record.ts'

/** The client to which a secret belongs, or belonged. */
export interface SecretOwner extends Pick<Client, 'kind' | 'clientId'> {
  /** True if a leak of the secret was reported and the client has lost the secret; otherwise absent. */
  readonly reported?: true | undefined
}

/** Seconds for which a lost secret can still be found, because a report of a leak may come late. */
const LOST_SECONDS = 365 * 86_400

/** The number of secrets that one call to the store finds. */
const BATCH = 500

/**
 * Finds the client of a secret by the hash of the secret, in one read. Keys are found by their identity (`jwk-set.ts`) in
 * the same way. A secret is added here before the client gets
 * it, so every secret can be found, even after a crash.
 */
export function createSecretOwners(store: Store) {
  const records = createCollection<SecretOwner>(store, {
    name: 'secret-owner',
    version: 1,
    fields: { kind: kindRule, clientId: textRule, reported: optional(booleanRule) },
  })

  return {
    /** @returns false if the secret is known already; its record then stays as it is */
    add: (hash: string, owner: SecretOwner) => records.create(digest(hash), owner),
    /** Keeps a known secret for good, as a secret of this client. */
    keep: (hash: string, owner: SecretOwner) => records.set(digest(hash), owner),
    /** Keeps lost secrets for one more year. */
    async retire(hashes: readonly string[], owner: SecretOwner): Promise<void> {
      await Promise.all(hashes.map((hash) => records.set(digest(hash), owner, LOST_SECONDS)))
    },
    remove: (hash: string) => records.delete(digest(hash)),
    /** The clients of secrets, in the order of the hashes; undefined for an unknown secret. A corrupt record counts as absent. */
    async find(hashes: readonly string[]): Promise<(SecretOwner | undefined)[]> {
      const found: (SecretOwner | undefined)[] = []
      for (let from = 0; from < hashes.length; from += BATCH) {
        const batch = await records.getEach(hashes.slice(from, from + BATCH).map(digest))
        found.push(...batch.map((owner) => (owner instanceof CorruptRecord ? undefined : owner)))
      }
      return found
    },
  }
}

/** Finds the client of a secret by the hash of the secret. */
export type SecretOwners = ReturnType<typeof createSecretOwners>

/**
 * Makes a change that gives a client a secret or a key, and stores which client has it.
 *
 * @param hash the hash of the secret, or the identity of the key
 * @throws what `change` throws
 */
export async function withSecretOwner<C extends Client, T>(
  clients: {
    readonly kind: C['kind']
    readonly secretOwners: SecretOwners
    readonly records: Pick<ClientRecords<C>, 'get'>
  },
  clientId: string,
  hash: string,
  change: () => Promise<T>,
): Promise<T> {
  const { kind, secretOwners: owners, records } = clients
  const owner = { kind, clientId }
  const isNew = await owners.add(hash, owner)
  try {
    const result = await change()
    // The known record may name another client, or may expire within a year. So it is replaced.
    if (!isNew) await owners.keep(hash, owner)
    return result
  } catch (error) {
    if (!isNew || !isRejection(error)) throw error
    // Another process may have given the client the same secret.
    const record = await records.get(clientId).catch(() => undefined)
    if (!record || !credentialsOf(record).includes(hash)) await owners.remove(hash).catch(() => {})
    throw error
  }
}

/** As `withSecretOwner`, for several secrets or keys, or none. */
export function withSecretOwners<C extends Client, T>(
  clients: Parameters<typeof withSecretOwner<C, T>>[0],
  clientId: string,
  hashes: readonly string[],
  change: () => Promise<T>,
): Promise<T> {
  const [hash, ...others] = hashes
  if (hash === undefined) return change()
  return withSecretOwner(clients, clientId, hash, () => withSecretOwners(clients, clientId, others, change))
}
