import type { Logger } from '../host/logger.ts'
import { createCollection } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import { countRule } from '../validation/rules.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { createLru } from '../async/lru.ts'
import type { Client } from './client.ts'
import { clientOf, type ClientRecord, type ClientRecords } from './client-record.ts'

export const LAST_USE_SECONDS = 3600

/** For all other clients, the next use is written even if the store has the same hour already. */
const MAX_CACHED = 50_000

/** The last use since it was added, in epoch seconds. An earlier use was before it was added again. */
export function lastUseSince(createdAt: number, used: number | undefined): number | undefined {
  return used !== undefined && used > createdAt - LAST_USE_SECONDS ? Math.max(used, createdAt) : undefined
}

export interface LastUse {
  /** Epoch seconds, rounded down to the hour. */
  readonly lastUsedAt: number
}

export function storedLastUses(store: Store, name: 'client-usage' | 'secret-usage' = 'client-usage') {
  return createCollection<LastUse>(store, { name, version: 1, fields: { lastUsedAt: countRule } })
}

/** After this time, nothing is left of a revoked secret. */
const SECRET_USE_SECONDS = 365 * 86_400

/** When clients and secrets were last used, to the hour: by client id, or by the hash of a secret. */
export function createLastUses(
  { store, logger }: { store: Store; logger: Logger },
  name?: 'client-usage' | 'secret-usage',
) {
  const records = storedLastUses(store, name)
  const isOfSecrets = name === 'secret-usage'
  const ttl = isOfSecrets ? SECRET_USE_SECONDS : undefined
  // A hash of a secret must not be in a log or in a report of corrupt records.
  const keyOf = (id: string) => (isOfSecrets ? digest(id) : id)
  const label = isOfSecrets ? 'secret' : 'clientId'
  const written = createLru<string, number>(MAX_CACHED)
  const addressKeepers: ((clientId: string) => Promise<void>)[] = []
  const accountKeepers: ((accountId: string) => Promise<void>)[] = []
  const forgetAddress = async (clientId: string) =>
    void (await Promise.all(addressKeepers.map((forget) => forget(clientId))))

  return {
    /** Optional parts delete the address from which a client was last used. */
    addressKeepers,
    forgetAddress,
    /** Optional parts delete what they keep of an account. */
    accountKeepers,
    /** Returns at once and never fails, so token requests do not wait for the write. */
    record(clientId: string): void {
      const hour = Math.floor(Date.now() / 1000 / LAST_USE_SECONDS) * LAST_USE_SECONDS
      if (written.get(clientId) === hour) return
      // Before the write, so that concurrent requests of one client cause one write.
      written.set(clientId, hour)
      records.set(keyOf(clientId), { lastUsedAt: hour }, ttl).catch((error: unknown) => {
        written.delete(clientId)
        logger.debug({ [label]: keyOf(clientId), err: error }, 'a last use could not be written')
      })
    },
    /** Epoch seconds, rounded down to the hour. A corrupt time counts as absent until the next use. */
    async get(clientIds: readonly string[]): Promise<(number | undefined)[]> {
      return (await records.getEach(clientIds.map(keyOf))).map((record, at) => {
        if (!(record instanceof CorruptRecord)) return record?.lastUsedAt
        const { error } = record
        logger.debug({ [label]: keyOf(clientIds[at] ?? ''), err: error }, 'a last use could not be read')
        return undefined
      })
    },
    async delete(clientId: string): Promise<void> {
      written.delete(clientId)
      await Promise.all([records.delete(keyOf(clientId)), forgetAddress(clientId)])
    },
  }
}

export type LastUses = ReturnType<typeof createLastUses>

export async function readWithLastUse<C extends Client>(
  records: ClientRecords<C>,
  lastUses: LastUses,
  clientIds: readonly string[],
): Promise<(ClientRecord<C> | CorruptRecord | undefined)[]> {
  const [found, usedAt] = await Promise.all([records.getEach(clientIds), lastUses.get(clientIds)])
  return found.map((record, at) =>
    record === undefined || record instanceof CorruptRecord
      ? record
      : { ...record, client: withLastUse(clientOf(record), usedAt[at]) },
  )
}

/** The stored time is rounded down to the hour, so it may be earlier than `createdAt`. */
export function withLastUse<C extends Client>(client: C, lastUsedAt: number | undefined): C {
  return lastUsedAt === undefined ? client : { ...client, lastUsedAt: Math.max(lastUsedAt, client.createdAt) }
}

export async function presentClient<C extends Client>(
  { lastUses }: { readonly lastUses: LastUses },
  record: ClientRecord<C>,
): Promise<C> {
  const [lastUsedAt] = await lastUses.get([record.client.clientId])
  return withLastUse(clientOf(record), lastUsedAt)
}
