import { createCollection, type Stored } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { digest } from '../../store/digest.ts'
import { FAMILY, type FamilyRecord, type RefreshPayload } from './family-record.ts'
import { pollUntil, mayArriveLate } from './late-writes.ts'
import type { RetryWindow } from './retry-window.ts'
import type { RefreshTokenFormat } from './token-format.ts'
import { createUncertainWrites } from './uncertain-writes.ts'

/** A refresh token that was found. */
export interface FoundRefreshToken {
  /**
   * `current`: usable. `retryable`: only just exchanged, and what it was exchanged for may be told once more.
   * `used`: genuine, but exchanged before.
   */
  readonly state: 'current' | 'retryable' | 'used'
  readonly token: string
  readonly payload: RefreshPayload
  readonly stored: Stored<FamilyRecord>
  /** What one that is `retryable` was exchanged for. */
  readonly next?: string | undefined
}

/** What became of an exchange. */
export interface Exchange {
  /** The token that is current now, for the client. */
  readonly next: string
  /** Whether it was given out before, and this is the same again. */
  readonly isRetry: boolean
}

/**
 * Refresh tokens, as families: one record a grant, whose current token is exchanged for the next one by a
 * single compare-and-swap. So each token is usable exactly once under any concurrency, and the record does
 * not grow with the number of refreshes (RFC 9700 4.14.2).
 */
export interface TokenFamilies {
  /**
   * Starts the family of a grant; false if it was ever started, which means that a code is used twice.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; it is not started then, and may be tried again
   */
  start(token: string, payload: RefreshPayload, ttl: number): Promise<boolean>
  /**
   * The token, current or not; undefined if it is unknown, forged, or its family is over.
   *
   * @param options.toUse whether it is to be exchanged. Then one that seems to be used by a write which may have come
   *   late is looked at again for up to three seconds, until that is rolled back
   */
  find(
    token: string,
    options?: { readonly toUse?: boolean | undefined },
  ): Promise<FoundRefreshToken | undefined>
  /**
   * Exchanges the token that was found for `next`, or for what it was exchanged for just now, where that may be told
   * once more; undefined if it was used before, or its family is over.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; the old token can be exchanged as before then
   */
  exchange(
    found: FoundRefreshToken,
    next: string,
    payload: RefreshPayload,
    ttl: number,
  ): Promise<Exchange | undefined>
  /** Ends the family of a grant, whether it was started or not. */
  end(grantId: string): Promise<void>
  /**
   * Whether the family of a grant is over, so that what was rejected need not have been used before.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  isOver(grantId: string): Promise<boolean>
  /** Stops revoking what may have been stored. */
  close(): void
}

/**
 * @param options.restartable seconds for which a code of an ended family could still be presented
 * @param options.retries where a client may ask again for what it has lost
 */
export function createTokenFamilies(
  store: Store,
  format: RefreshTokenFormat,
  { restartable, retries }: { restartable: number; retries?: RetryWindow | undefined },
): TokenFamilies {
  const families = createCollection<FamilyRecord>(store, {
    name: 'refresh-family',
    version: 1,
    fields: FAMILY,
  })
  const uncertain = createUncertainWrites(families, { notStartedTtl: restartable })

  function partsOf(token: string) {
    const parts = format.parse(token)
    if (!parts) throw new TypeError('not a refresh token of ours')
    return parts
  }

  async function look(token: string): Promise<FoundRefreshToken | undefined> {
    const { grantId, generation } = partsOf(token)
    const stored = await families.read(grantId)
    if (!stored || stored.record.ended) return undefined
    const { record } = stored
    const found = { token, payload: record.payload, stored }
    if (record.current === digest(token)) return { ...found, state: 'current' }
    const next = retries?.nextOf(token, record.last, Date.now())
    if (next !== undefined && record.current === digest(next)) return { ...found, state: 'retryable', next }
    const isOlder = generation < record.generation
    return isOlder && format.isGenuine(token) ? { ...found, state: 'used' } : undefined
  }

  /** Whether it seems to be used because of a write that nobody was told of, and that is about to be rolled back. */
  function isDisputed(found: FoundRefreshToken | undefined): boolean {
    if (found?.state !== 'used') return false
    const { generation, issuedAt } = found.stored.record
    return partsOf(found.token).generation === generation - 1 && mayArriveLate(issuedAt, Date.now())
  }

  async function lookToUse(token: string): Promise<FoundRefreshToken | undefined> {
    return pollUntil(
      () => look(token),
      (found) => !isDisputed(found),
    )
  }

  /** What there is of a family that was started before, unless it is about to be revoked. */
  async function readStarted(grantId: string): Promise<Stored<FamilyRecord> | undefined> {
    return pollUntil(
      () => families.read(grantId),
      (stored) => stored?.record.generation !== 0 || !mayArriveLate(stored.record.issuedAt, Date.now()),
    )
  }

  /** The one write of an exchange; false if the record is another by now. */
  async function swap(
    { token, stored: before }: FoundRefreshToken,
    next: string,
    payload: RefreshPayload,
    ttl: number,
  ): Promise<boolean> {
    const { grantId, generation } = partsOf(next)
    const issuedAt = Date.now()
    const last = retries?.remember(token, next, issuedAt)
    const record: FamilyRecord = {
      generation,
      current: digest(next),
      payload,
      issuedAt,
      ...(last && { last }),
    }
    try {
      return await families.replace(grantId, before, record, ttl)
    } catch (error) {
      if (await uncertain.wasStored({ grantId, before, next: record, ttl }, error)) return true
      throw error
    }
  }

  /**
   * Notes that somebody gets the next token for trying again: a process that does not know whether the exchange was
   * stored leaves it alone then. Also where it is noted already: what is told must have been written as safely as
   * anything, and only a write of one's own proves that. False if the record is another by now, for instance because
   * it was revoked.
   */
  async function noteRepeated({ token, stored }: FoundRefreshToken, ttl: number): Promise<boolean> {
    const { record } = stored
    if (!record.last) return true
    const noted: FamilyRecord = { ...record, last: { ...record.last, repeated: true } }
    return families.replace(partsOf(token).grantId, stored, noted, ttl)
  }

  return {
    async start(token, payload, ttl) {
      const { grantId, generation } = partsOf(token)
      const next: FamilyRecord = { generation, current: digest(token), payload, issuedAt: Date.now() }
      await uncertain.settle(grantId)
      let before: Stored<FamilyRecord> | undefined
      try {
        if (await families.create(grantId, next, ttl)) return true
        before = await readStarted(grantId)
        return isTakenBack(before) && (await families.replace(grantId, before, next, ttl))
      } catch (error) {
        if (await uncertain.wasStored({ grantId, before, next, ttl }, error)) return true
        throw error
      }
    },

    async find(token, { toUse = false } = {}) {
      const parts = format.parse(token)
      if (!parts) return undefined
      await uncertain.settle(parts.grantId)
      return toUse ? lookToUse(token) : look(token)
    },

    async exchange(first, next, payload, ttl) {
      let found: FoundRefreshToken | undefined = first
      // Each round but the first follows a write of somebody else's, which need not have used up the token.
      while (found) {
        if (found.state === 'used') return undefined
        if (found.next !== undefined) {
          if (await noteRepeated(found, ttl)) return { next: found.next, isRetry: true }
        } else if (await swap(found, next, payload, ttl)) {
          return { next, isRetry: false }
        }
        found = await lookToUse(first.token)
      }
      return undefined
    },

    async end(grantId) {
      await families.set(grantId, { generation: 0, current: '', payload: {}, ended: true }, restartable)
    },

    async isOver(grantId) {
      const record = await families.get(grantId)
      return record === undefined || record.ended === true
    },

    close: () => uncertain.close(),
  }
}

/** Whether the family was started, but nobody ever got its token. */
function isTakenBack(stored: Stored<FamilyRecord> | undefined): stored is Stored<FamilyRecord> {
  return stored !== undefined && stored.record.current === '' && stored.record.barrier !== undefined
}
