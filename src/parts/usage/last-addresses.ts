import { createCollection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { countRule, textRule } from '../../validation/rules.ts'
import { MAX_ADDRESS_LENGTH } from '../../host/change-options.ts'
import { clientAddress } from '../../http/client-address.ts'

/** Further ones are not recorded. */
const MAX_WAITING = 50_000
const KEPT_SECONDS = 90 * 86_400

/** The address from which a client last called the API. */
export interface LastAddress {
  readonly address: string
  /** Epoch seconds, rounded down to the hour. */
  readonly usedAt: number
}

/** Keeps the address from which each client last called, which `lastUses` deletes too: it is personal. */
export function createLastAddresses(
  store: Store,
  now: () => number,
  isClient: (clientId: string) => Promise<boolean>,
) {
  const records = createCollection<LastAddress>(store, {
    name: 'usage-address',
    version: 1,
    fields: { address: textRule, usedAt: countRule },
  })
  let waiting = new Map<string, string>()

  return {
    record(clientId: string, address: string | undefined): void {
      if (address === undefined || address === '') return
      if (waiting.size < MAX_WAITING || waiting.has(clientId)) waiting.set(clientId, address)
    },
    /** If the store is unavailable, the waiting addresses are dropped: the next call brings another. */
    async store(): Promise<void> {
      const addresses = waiting
      waiting = new Map()
      const usedAt = Math.floor(now() / 3_600_000) * 3600
      for (const [clientId, text] of addresses) {
        // A copy: the address may be a part of a header, and would keep the whole header in memory.
        const address = Buffer.from(clientAddress(text).slice(0, MAX_ADDRESS_LENGTH)).toString()
        if (!(await isClient(clientId))) continue
        await records.set(clientId, { address, usedAt }, KEPT_SECONDS)
        // The client may have been deleted meanwhile.
        if (!(await isClient(clientId))) await records.delete(clientId)
      }
    },
    find: (clientId: string) => records.get(clientId),
    async delete(clientId: string): Promise<void> {
      waiting.delete(clientId)
      await records.delete(clientId)
    },
  }
}

export type LastAddresses = ReturnType<typeof createLastAddresses>
