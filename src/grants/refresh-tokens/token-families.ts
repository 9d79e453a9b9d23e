// Model: test/proof/models/refresh-family.pml
import { createCollection, type Stored } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { digest } from '../../store/digest.ts'
import { FAMILY, type FamilyRecord, type RefreshPayload } from './family-record.ts'
import { GRACE_SECONDS, type GracePeriod } from './grace-period.ts'
import { createUncertainWrites, mayArriveLate, pollUntil, rollbackDeadline } from './uncertain-writes.ts'
import type { RefreshTokenFormat } from './token-format.ts'

// Two failures can make a client send a refresh token again. The two failures need two different remedies.
//
// - The service answered, and the client lost the answer. The old token is replaced, and the service does not know
//   about the loss. In the grace period, a client that sends the old token gets the same successor again
//   (`grace-period.ts`).
// - The store did not say whether it applied the write, so the client got an error and no successor. The write is then
//   confirmed, or rolled back, so that the old token works (`uncertain-writes.ts`). Another process waits for the
//   rollback before it treats the old token as stolen (`pollUntil`).
//
// The grace period cannot replace the rollback, because most clients have none, and it lasts at most 60 seconds. A
// paused store may apply a write after a longer time.

interface TokenState {
  /**
   * `current`: usable. `retryable`: rotated within the grace period, so its successor may be sent again. `used`:
   * genuine and rotated, and its successor must not be sent again.
   */
  readonly state: 'current' | 'retryable' | 'used'
  /** The successor of the token; set only if the state is `retryable`. */
  readonly next?: string | undefined
  /** Seconds since the token was rotated, if the state is `used` and the longest grace period could have covered it. */
  readonly afterSeconds?: number | undefined
}

export interface FoundRefreshToken extends TokenState {
  readonly token: string
  readonly payload: RefreshPayload
  readonly stored: Stored<FamilyRecord>
}

export interface Rotation {
  readonly next: string
  /** True if an earlier rotation issued `next`, and the client now receives it again. */
  readonly isRetry: boolean
}

/**
 * Refresh tokens as families: one record for each grant. A single compare-and-swap replaces the current token
 * with the next token. So each token is usable exactly once under any concurrency, and the record does not
 * grow with the number of refreshes (RFC 9700 4.14.2). A `deadline` is from `rollbackDeadline`.
 * @param options.tombstoneTtl seconds for which a client could still present the code of a revoked family
 * @param options.now milliseconds since the epoch, on a clock that all processes share
 */
export function createTokenFamilies(
  store: Store,
  format: RefreshTokenFormat,
  options: {
    readonly tombstoneTtl: number
    readonly gracePeriod?: GracePeriod | undefined
    readonly now?: (() => number) | undefined
  },
) {
  const { tombstoneTtl, gracePeriod, now = () => Date.now() } = options
  const records = createCollection<FamilyRecord>(store, {
    name: 'refresh-family',
    version: 1,
    fields: FAMILY,
  })
  const uncertain = createUncertainWrites(records, { notStartedTtl: tombstoneTtl })

  function partsOf(token: string) {
    const parts = format.parse(token)
    if (!parts) throw new TypeError('the text is not a refresh token of this library')
    return parts
  }

  async function readToken(token: string): Promise<FoundRefreshToken | undefined> {
    const stored = await records.read(partsOf(token).grantId)
    const state = stored && tokenState(stored.record, token, now(), { format, gracePeriod })
    return state && Object.assign(state, { token, payload: stored.record.payload, stored })
  }

  /** Reads a token repeatedly, until the deadline or until no late write can have replaced the token. */
  function pollToken(token: string, deadline: number): Promise<FoundRefreshToken | undefined> {
    return pollUntil(
      () => readToken(token),
      (found) => {
        if (found?.state !== 'used') return true
        const { generation, issuedAt } = found.stored.record
        return partsOf(token).generation !== generation - 1 || !mayArriveLate(issuedAt, now())
      },
      deadline,
    )
  }

  /** Reads a family repeatedly, until the deadline or until no late write can have started the family. */
  function pollFamily(grantId: string, deadline: number): Promise<Stored<FamilyRecord> | undefined> {
    return pollUntil(
      () => records.read(grantId),
      (stored) => stored?.record.generation !== 0 || !mayArriveLate(stored.record.issuedAt, now()),
      deadline,
    )
  }

  async function findWith(token: string, read: () => Promise<FoundRefreshToken | undefined>) {
    const parts = format.parse(token)
    if (!parts) return undefined
    await uncertain.flush(parts.grantId)
    return read()
  }

  /**
   * The process that made the rotation may not know whether its write was stored. If that process finds
   * `repeated`, it keeps the rotation. Only the write of this function proves that the successor is durable, so
   * the function writes even if `repeated` is already set.
   */
  async function confirmRetry({ token, stored }: FoundRefreshToken, ttl: number): Promise<boolean> {
    const { record } = stored
    if (!record.last) return true
    const confirmed: FamilyRecord = { ...record, last: { ...record.last, repeated: true } }
    return records.replace(partsOf(token).grantId, stored, confirmed, ttl)
  }

  return {
    /**
     * Starts the family of a grant. False if it was started before: the code was used twice. `ttl` is in
     * seconds. After `ERR_STORE_UNAVAILABLE` the family is not started, and the caller may try again.
     */
    async start(
      token: string,
      payload: RefreshPayload,
      ttl: number,
      deadline = rollbackDeadline(),
    ): Promise<boolean> {
      const { grantId, generation } = partsOf(token)
      const next: FamilyRecord = { generation, current: digest(token), payload, issuedAt: now() }
      await uncertain.flush(grantId)
      if (await uncertain.write({ grantId, next, ttl })) return true
      const before = await pollFamily(grantId, deadline)
      return isRolledBack(before) && uncertain.write({ grantId, before, next, ttl })
    },

    /** The token, current or not; undefined if the token is unknown or forged, or if its family is revoked. */
    find: (token: string) => findWith(token, () => readToken(token)),

    /** Like `find`, but waits until the deadline for the rollback of a late write that may have replaced the token. */
    findForRotation: (token: string, deadline = rollbackDeadline()) =>
      findWith(token, () => pollToken(token, deadline)),

    /**
     * Replaces the token in `first` by `next`, or returns the existing successor of a `retryable` token. `ttl` and
     * `graceSeconds`, in which the client may repeat this rotation, are in seconds. Undefined if the token was rotated
     * before, or if its family is revoked. After `ERR_STORE_UNAVAILABLE` the old token can still be rotated.
     */
    async rotate(
      first: FoundRefreshToken,
      next: string,
      payload: RefreshPayload,
      ttl: number,
      deadline = rollbackDeadline(),
      graceSeconds = gracePeriod?.seconds ?? 0,
    ): Promise<Rotation | undefined> {
      const { grantId, generation } = partsOf(next)
      let found: FoundRefreshToken | undefined = first
      // Another process may have changed the record, and the token may still be usable after that.
      while (found && found.state !== 'used') {
        const { token, stored: before } = found
        if (found.next === undefined) {
          const issuedAt = now()
          const last =
            graceSeconds === 0 ? undefined : gracePeriod?.record(token, next, issuedAt, graceSeconds)
          const record = { generation, current: digest(next), payload, issuedAt, ...(last && { last }) }
          if (await uncertain.write({ grantId, before, next: record, ttl })) return { next, isRetry: false }
        } else if (await confirmRetry(found, ttl)) return { next: found.next, isRetry: true }
        found = await pollToken(first.token, deadline)
      }
      return undefined
    },

    /** Revokes the family of a grant, even if the family was never started. */
    revoke: (grantId: string) =>
      records.set(grantId, { generation: 0, current: '', payload: {}, ended: true }, tombstoneTtl),
    /** Whether the family of a grant was started or revoked, so that the code of the grant cannot be used any more. */
    exists: async (grantId: string) => (await records.get(grantId)) !== undefined,
    /** Tokens of a revoked or missing family are rejected even if never used, so this does not prove reuse. */
    async isRevoked(grantId: string): Promise<boolean> {
      const record = await records.get(grantId)
      return record === undefined || record.ended === true
    },
    close: uncertain.close,
  }
}

export type TokenFamilies = ReturnType<typeof createTokenFamilies>

function isRolledBack(stored: Stored<FamilyRecord> | undefined): stored is Stored<FamilyRecord> {
  return stored !== undefined && stored.record.current === '' && stored.record.barrier !== undefined
}

/** Undefined if the token is unknown or forged, or if its family is revoked. */
function tokenState(
  record: FamilyRecord,
  token: string,
  now: number,
  { format, gracePeriod }: { format: RefreshTokenFormat; gracePeriod: GracePeriod | undefined },
): TokenState | undefined {
  if (record.ended) return undefined
  if (record.current === digest(token)) return { state: 'current' }
  const next = gracePeriod?.successorOf(token, record.last, now)
  if (next !== undefined && record.current === digest(next)) return { state: 'retryable', next }
  const { generation = Infinity } = format.parse(token) ?? {}
  if (generation >= record.generation || !format.isGenuine(token)) return undefined
  const age = generation === record.generation - 1 ? now - (record.issuedAt ?? 0) : Infinity
  const afterSeconds = age <= GRACE_SECONDS.max * 1000 ? Math.max(1, Math.ceil(age / 1000)) : undefined
  return { state: 'used', afterSeconds }
}
