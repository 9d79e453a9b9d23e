import { isRejection } from '../errors.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { digest } from '../store/digest.ts'
import { booleanRule, optional, textRule } from '../validation/rules.ts'
import { kindRule } from './field-rules.ts'
import type { Client } from './client.ts'
import { credentialsOf, type ClientRecord, type ClientRecords } from './client-record.ts'
import { isKeyIdentity } from './jwk-set.ts'

/** The client to which a secret belongs, or belonged. */
export interface SecretOwner extends Pick<Client, 'kind' | 'clientId'> {
  /** True if a leak of the secret was reported and the client has lost the secret; otherwise absent. */
  readonly reported?: true | undefined
}

/** A report of a leak may come late. */
const LOST_SECONDS = 365 * 86_400

/**
 * Finds the client of a secret by the hash of the secret. It is added before the client gets the secret, so
 * every secret can be found, even after a crash.
 *
 * A public key is not secret, so every developer may register that of another client. So each client of a key
 * has a record of its own, and an index of the key lists the clients.
 */
export function createSecretOwners(store: Store) {
  const records = createCollection<SecretOwner>(store, {
    name: 'secret-owner',
    version: 1,
    fields: { kind: kindRule, clientId: textRule, reported: optional(booleanRule) },
  })

  async function list(hash: string, clientId: string): Promise<void> {
    if (isKeyIdentity(hash)) await store.add(clientsOfKey(hash), clientId)
  }

  return {
    /** @returns false if the secret is known already; its record then stays as it is */
    async add(hash: string, owner: SecretOwner): Promise<boolean> {
      await list(hash, owner.clientId)
      return records.create(recordOf(hash, owner), owner)
    },
    async keep(hash: string, owner: SecretOwner): Promise<void> {
      await list(hash, owner.clientId)
      await records.set(recordOf(hash, owner), owner)
    },
    async retire(hashes: readonly string[], owner: SecretOwner): Promise<void> {
      await Promise.all(hashes.map((hash) => records.set(recordOf(hash, owner), owner, LOST_SECONDS)))
    },
    async remove(hash: string, owner: SecretOwner): Promise<void> {
      if (isKeyIdentity(hash)) await store.remove(clientsOfKey(hash), owner.clientId)
      await records.delete(recordOf(hash, owner))
    },
    async findOf(hash: string, clientId: string): Promise<SecretOwner | undefined> {
      const [owner] = await records.getEach([recordOf(hash, { clientId })])
      return owner instanceof CorruptRecord || owner?.clientId !== clientId ? undefined : owner
    },
    async findOfKey(identity: string): Promise<SecretOwner[]> {
      const owners: SecretOwner[] = []
      const idOf = (clientId: string) => recordOf(identity, { clientId })
      for await (const { items } of records.pages(clientsOfKey(identity), { idOf }))
        owners.push(...items.map(({ record }) => record))
      return owners
    },
    /** In the order of the hashes. A corrupt record counts as absent. */
    async find(hashes: readonly string[]): Promise<(SecretOwner | undefined)[]> {
      const found = await records.getEach(hashes.map(digest))
      return found.map((owner) => (owner instanceof CorruptRecord ? undefined : owner))
    },
  }
}

function recordOf(hash: string, { clientId }: Pick<SecretOwner, 'clientId'>): string {
  return digest(isKeyIdentity(hash) ? `${hash} ${clientId}` : hash)
}

function clientsOfKey(identity: string): string {
  return `key-owners:${identity}`
}

export type SecretOwners = ReturnType<typeof createSecretOwners>

/** @param hashes of the secrets, or the identities of the keys @throws what `change` throws */
export async function withSecretOwners<C extends Client, T>(
  clients: {
    readonly kind: C['kind']
    readonly secretOwners: SecretOwners
    readonly records: Pick<ClientRecords<C>, 'get'>
  },
  clientId: string,
  [hash, ...others]: readonly string[],
  change: () => Promise<T>,
): Promise<T> {
  if (hash === undefined) return change()
  const { kind, secretOwners: owners, records } = clients
  const owner = { kind, clientId }
  const isNew = await owners.add(hash, owner)
  try {
    const result = await withSecretOwners(clients, clientId, others, change)
    // The known record may name another client, or may expire within a year.
    if (!isNew) await owners.keep(hash, owner)
    return result
  } catch (error) {
    if (!isNew || !isRejection(error)) throw error
    // Another process may have given the client the same secret.
    const record = await records.get(clientId).catch(() => undefined)
    if (!record || !credentialsOf(record).includes(hash)) await owners.remove(hash, owner).catch(() => {})
    throw error
  }
}

/**
 * A key counts as leaked only if its private key was reported: its public key may be that of another client. A failure
 * is ignored: the records of lost secrets then stay for good.
 */
export async function retireLostSecrets<C extends Client>(
  { kind, secretOwners }: { readonly kind: C['kind']; readonly secretOwners: SecretOwners },
  before: ClientRecord<C> | undefined,
  changed: ClientRecord<C>,
  isReported: boolean,
): Promise<void> {
  const { clientId } = changed.client
  const kept = new Set(credentialsOf(changed))
  const lost = before ? credentialsOf(before).filter((hash) => !kept.has(hash)) : []
  const [keys, others] = [lost.filter(isKeyIdentity), lost.filter((hash) => !isKeyIdentity(hash))]
  await Promise.all([
    secretOwners.retire(keys, { kind, clientId }),
    secretOwners.retire(others, { kind, clientId, ...(isReported && { reported: true }) }),
  ]).catch(() => {})
}
