import { setTimeout as delay } from 'node:timers/promises'
import { createCollection, type Stored } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { digest, type RefreshTokenFormat } from './refresh-token.ts'

/** What stands behind a refresh token; opaque here. */
export type RefreshPayload = Readonly<Record<string, unknown>>

interface FamilyRecord {
  readonly generation: number
  /** Digest of the one token that is usable now. */
  readonly current: string
  readonly payload: RefreshPayload
  /** The family is over. Kept for a while, so that a code in flight cannot start it again. */
  readonly ended?: true
}

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
  /** Starts the family of a grant; false if it was ever started, which means that a code is used twice. */
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
  /** Stops undoing. */
  close(): void
}

/** How long an exchange that may or may not have been stored is looked after, in milliseconds. */
const UNDO_FOR = 60_000

/**
 * @param options.restartable seconds for which a code of an ended family could still be presented
 */
export function createRefreshFamilies(
  store: Store,
  format: RefreshTokenFormat,
  { restartable }: { restartable: number },
): RefreshFamilies {
  const families = createCollection<FamilyRecord>(store, { name: 'refresh-family', version: 1 })
  const undecided = new Map<string, () => Promise<void>>()
  let closed = false

  function partsOf(token: string) {
    const parts = format.parse(token)
    if (!parts) throw new TypeError('not a refresh token of ours')
    return parts
  }

  /** Whether the write of `next` got through although its answer did not arrive. */
  async function wasStored(grantId: string, next: FamilyRecord): Promise<boolean> {
    const now = await families.read(grantId)
    return now?.record.current === next.current
  }

  /**
   * The store failed in the middle of an exchange and does not answer either when asked how it ended. The
   * client is told to try again, with a token that may be used up by then: so as soon as the store answers,
   * the exchange is taken back if it was stored. Nobody has ever seen the new token.
   */
  function undoLater(grantId: string, before: Stored<FamilyRecord>, next: FamilyRecord, ttl: number): void {
    const undo = async () => {
      const now = await families.read(grantId)
      if (now?.record.current === next.current) await families.replace(grantId, now, before.record, ttl)
      undecided.delete(grantId)
    }
    undecided.set(grantId, undo)
    void (async () => {
      const until = Date.now() + UNDO_FOR
      while (!closed && undecided.get(grantId) === undo && Date.now() < until) {
        await delay(100, undefined, { ref: false })
        await undo().catch(() => {})
      }
      if (undecided.get(grantId) === undo) undecided.delete(grantId)
    })()
  }

  return {
    async start(token, payload, ttl) {
      const { grantId, generation } = partsOf(token)
      const record: FamilyRecord = { generation, current: digest(token), payload }
      try {
        return await families.create(grantId, record, ttl)
      } catch (error) {
        if (await wasStored(grantId, record)) return true
        throw error
      }
    },

    async find(token) {
      const parts = format.parse(token)
      if (!parts) return undefined
      await undecided.get(parts.grantId)?.()
      const stored = await families.read(parts.grantId)
      if (!stored || stored.record.ended) return undefined
      const { generation, current, payload } = stored.record
      if (current === digest(token)) return { state: 'current', payload, stored }
      const isOlder = parts.generation < generation
      return isOlder && format.isGenuine(token) ? { state: 'used', payload, stored } : undefined
    },

    async rotate(found, next, payload, ttl) {
      const { grantId, generation } = partsOf(next)
      const record: FamilyRecord = { generation, current: digest(next), payload }
      try {
        return await families.replace(grantId, found.stored, record, ttl)
      } catch (error) {
        try {
          if (await wasStored(grantId, record)) return true
        } catch {
          undoLater(grantId, found.stored, record, ttl)
        }
        throw error
      }
    },

    async end(grantId) {
      await families.set(grantId, { generation: 0, current: '', payload: {}, ended: true }, restartable)
    },

    close() {
      closed = true
    },
  }
}
