import { isRejection } from '../errors.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { digest } from '../store/digest.ts'
import { booleanRule, optional, textRule } from '../validation/rules.ts'
import { kindRule } from './rules-from-fields.ts'
import type { Client } from './client.ts'
import { credentialsOf, type ClientRecord } from './client-record.ts'
import { isKeyIdentity } from './jwk-set.ts'

/** The client to which a secret belongs, or belonged. */
export interface SecretOwner extends Pick<Client, 'kind' | 'clientId'> {
  /** True if a leak of the secret was reported and the client has lost the secret; otherwise absent. */
  readonly reported?: true | undefined
}

/** A report of a leak may come late. */
const LOST_SECONDS = 365 * 86_400

/**
 * Finds the client of a secret by the hash of the secret. It is added before the client gets the secret, so every
 * secret can be found, even after a crash. Every developer may register the public key of another client. So each
 * client of a key has a record of its own, and an index of the key lists the clients.
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

interface Owning {
  readonly kind: Client['kind']
  readonly secretOwners: SecretOwners
  readonly records: { get(clientId: string): Promise<ClientRecord | undefined> }
}

/** @param hashes of the secrets, or the identities of the keys @returns those that no client had before */
export async function addOwners({ kind, secretOwners }: Owning, clientId: string, hashes: readonly string[]) {
  const isNew = await Promise.all(hashes.map((hash) => secretOwners.add(hash, { kind, clientId })))
  return hashes.filter((_, at) => isNew[at])
}

/** @param added what `addOwners` returns @param change gives the client the credentials */
export async function keepOwners<T>(
  { kind, secretOwners: owners, records }: Owning,
  clientId: string,
  hashes: readonly string[],
  added: Promise<readonly string[]>,
  change: Promise<T>,
): Promise<T> {
  const owner = { kind, clientId }
  try {
    const [result, own] = await Promise.all([change, added])
    // A known record may name another client, or may expire within a year.
    const known = hashes.filter((hash) => !own.includes(hash))
    await Promise.all(known.map((hash) => owners.keep(hash, owner)))
    return result
  } catch (error) {
    if (!isRejection(error)) throw error
    // Another process may have given the client the same secret.
    const record = await records.get(clientId).catch(() => undefined)
    const has = record ? credentialsOf(record) : []
    const lost = (await added.catch(() => [])).filter((hash) => !has.includes(hash))
    await Promise.all(lost.map((hash) => owners.remove(hash, owner).catch(() => {})))
    throw error
  }
}

/** A key is not `reported` with a secret: another client may have it. After a failure, the records stay for good. */
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
