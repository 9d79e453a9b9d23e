import { createCollection, type Stored } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest } from '../store/digest.ts'
import type { FamilyRecord, RefreshPayload } from './family-record.ts'
import type { RefreshTokenFormat } from './refresh-token.ts'
import { createUncertainWrites } from './uncertain-writes.ts'

/** A refresh token that was found. */
export interface FoundRefreshToken {
  /** `current`: usable. `used`: genuine, but exchanged before. */
  readonly state: 'current' | 'used'
  readonly payload: RefreshPayload
  readonly stored: Stored<FamilyRecord>
}

/**
 * Refresh tokens, as families: one record a grant, whose current token is exchanged for the next one by a
 * single compare-and-swap. So each token is usable exactly once under any concurrency, and the record does
 * not grow with the number of refreshes (RFC 9700 4.14.2).
 */
export interface RefreshFamilies {
  /**
   * Starts the family of a grant; false if it was ever started, which means that a code is used twice.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; it is not started then, and may be tried again
   */
  start(token: string, payload: RefreshPayload, ttl: number): Promise<boolean>
  /** The token, current or used; undefined if it is unknown, forged, or its family is over. */
  find(token: string): Promise<FoundRefreshToken | undefined>
  /**
   * Exchanges the token that was found for `next`; false if somebody else was faster.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; the old token stays usable then
   */
  rotate(found: FoundRefreshToken, next: string, payload: RefreshPayload, ttl: number): Promise<boolean>
  /** Ends the family of a grant, whether it was started or not. */
  end(grantId: string): Promise<void>
  /** Stops taking back what may have been stored. */
  close(): void
}

/**
 * @param options.restartable seconds for which a code of an ended family could still be presented
 */
export function createRefreshFamilies(
  store: Store,
  format: RefreshTokenFormat,
  { restartable }: { restartable: number },
): RefreshFamilies {
  const families = createCollection<FamilyRecord>(store, { name: 'refresh-family', version: 1 })
  const uncertain = createUncertainWrites(families, { notStartedTtl: restartable })

  function partsOf(token: string) {
    const parts = format.parse(token)
    if (!parts) throw new TypeError('not a refresh token of ours')
    return parts
  }

  return {
    async start(token, payload, ttl) {
      const { grantId, generation } = partsOf(token)
      const next: FamilyRecord = { generation, current: digest(token), payload }
      await uncertain.settle(grantId)
      let before: Stored<FamilyRecord> | undefined
      try {
        if (await families.create(grantId, next, ttl)) return true
        before = await families.read(grantId)
        return isTakenBack(before) && (await families.replace(grantId, before, next, ttl))
      } catch (error) {
        if (await uncertain.wasStored({ grantId, before, next, ttl })) return true
        throw error
      }
    },

    async find(token) {
      const parts = format.parse(token)
      if (!parts) return undefined
      await uncertain.settle(parts.grantId)
      const stored = await families.read(parts.grantId)
      if (!stored || stored.record.ended) return undefined
      const { generation, current, payload } = stored.record
      if (current === digest(token)) return { state: 'current', payload, stored }
      const isOlder = parts.generation < generation
      return isOlder && format.isGenuine(token) ? { state: 'used', payload, stored } : undefined
    },

    async rotate(found, next, payload, ttl) {
      const { grantId, generation } = partsOf(next)
      const { stored: before } = found
      const record: FamilyRecord = { generation, current: digest(next), payload }
      try {
        return await families.replace(grantId, before, record, ttl)
      } catch (error) {
        if (await uncertain.wasStored({ grantId, before, next: record, ttl })) return true
        throw error
      }
    },

    async end(grantId) {
      await families.set(grantId, { generation: 0, current: '', payload: {}, ended: true }, restartable)
    },

    close: () => uncertain.close(),
  }
}

/** Whether the family was started, but nobody ever got its token. */
function isTakenBack(stored: Stored<FamilyRecord> | undefined): stored is Stored<FamilyRecord> {
  return stored !== undefined && stored.record.current === '' && stored.record.barrier !== undefined
}
