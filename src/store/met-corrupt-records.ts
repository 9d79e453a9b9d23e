import { GatehouseError } from '../errors.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from './contract.ts'

const REMEMBERED_MS = 3_600_000

const MAX_REMEMBERED = 1000

/** Remembers the keys of the corrupt records that this process has met within the last hour. */
export function createMetCorruptRecords(logger: Logger) {
  const metAt = new Map<string, number>()

  function forgetOld(): void {
    for (const [key, at] of metAt) if (Math.abs(Date.now() - at) > REMEMBERED_MS) metAt.delete(key)
  }

  return {
    /** @param key the key of the record, or the name of the index that has a corrupt member */
    add(key: string, error: GatehouseError): void {
      forgetOld()
      if (!metAt.has(key)) logger.error({ err: error, key }, 'the store has a corrupt record')
      if (metAt.has(key) || metAt.size < MAX_REMEMBERED) metAt.set(key, Date.now())
    },
    /** The keys, without the key prefix of the adapter. */
    list(): readonly string[] {
      forgetOld()
      return [...metAt.keys()]
    },
  }
}

export type MetCorruptRecords = ReturnType<typeof createMetCorruptRecords>

/** A store that remembers which of its records are corrupt. A store without this memory works too. */
export interface StoreWithMemory extends Store {
  readonly metCorrupt?: MetCorruptRecords | undefined
}

/** For a member that this library did not write. */
export function metCorruptMember(store: StoreWithMemory, index: string): void {
  const message = `the index "${index}" in the store has a member that is not one of koa-gatehouse`
  store.metCorrupt?.add(index, new GatehouseError('ERR_STORE_CORRUPT', message))
}
