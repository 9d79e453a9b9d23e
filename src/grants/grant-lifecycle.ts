import type { Collection, Stored } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { createConsentVersions, isOfVersions, type ConsentVersionStore } from './consent-version.ts'
import { createGrantIndex, bucketOf, type GrantEntry, type GrantIndex } from './grant-index.ts'
import { grantRecords, isLiving, type GrantRecord } from './grant-record.ts'

/** What a request that exchanges a code has listed ahead, before it is certain that the grant comes into use. */
export interface Listing extends GrantEntry {
  /** Epoch seconds at which the grant is to end. */
  readonly end: number
  /** Finds out whether its pair may have too many grants (`GrantIndex.surplusOf`). Never rejects. */
  readonly isCrowded: () => Promise<boolean>
}

/**
 * How grants come into use, live on, and end.
 *
 * A grant is short-lived at first, for most are never used: an application that asks silently whether somebody is
 * signed in gets a code each time. With its first refresh token it is listed, and lives as long as its tokens.
 */
export interface GrantLifecycle {
  readonly records: Collection<GrantRecord>
  readonly index: GrantIndex
  readonly epochs: ConsentVersionStore
  /** Lists a grant that is about to come into use. */
  list(entry: GrantEntry): Promise<Listing>
  /**
   * Lets a grant come into use with a refresh token that is issued next. May be done again.
   *
   * @param known its record as this request has read it
   * @returns false if it is gone, or was withdrawn: what was revoked never comes to life again
   */
  begin(grantId: string, known?: Stored<GrantRecord>, listing?: Listing): Promise<boolean>
  /** Lets a grant live on with a refresh token that is issued next; false as above. */
  keepAlive(grantId: string, known?: Stored<GrantRecord>): Promise<boolean>
  /** Takes a grant back; undefined if it is gone. To do it again does no harm. */
  withdraw(grantId: string): Promise<GrantRecord | undefined>
  /** Whether everything of its account, or with its application, was withdrawn since it was made: then it is to end. */
  isVoid(record: GrantRecord): Promise<boolean>
  /** Ends a grant without a trace. @returns whether it was there */
  delete(grantId: string): Promise<boolean>
}

/** Seconds by which a grant outlives its tokens, so that it is prolonged once a day, not each time. */
const SLACK = 86_400

/** Seconds for which it is known that a grant was withdrawn. */
const REMEMBERED = 86_400

/**
 * @param lifetimes.refreshToken seconds for which a refresh token can be used
 * @param lifetimes.delegatedAccessToken seconds for which an access token can; while there is one, its grant can be
 *   withdrawn
 * @param lifetimes.storedConsent seconds for which an account's decisions are remembered
 */
export function createGrantLifecycle(
  store: Store,
  lifetimes: {
    readonly refreshToken: number
    readonly delegatedAccessToken: number
    readonly storedConsent: number
  },
): GrantLifecycle {
  const records = grantRecords(store)
  const index = createGrantIndex({ store, load: (grantIds) => records.getEach(grantIds) })
  // As long as any decision counts, and any grant that is not listed may come into use or go on being used.
  const lifetime = Math.max(lifetimes.refreshToken, lifetimes.delegatedAccessToken)
  const epochTtl = Math.max(lifetimes.storedConsent, lifetime) + 2 * SLACK
  const epochs = createConsentVersions(store, epochTtl)
  const endFrom = (now: number) => now + lifetime + SLACK

  async function list(entry: GrantEntry): Promise<Listing> {
    const end = endFrom(nowInSeconds())
    const added = index.add(entry, end)
    const isCrowded = index.crowding(entry.accountId)
    await added
    return { ...entry, end, isCrowded }
  }

  /** Writes a change of a living grant, which others may change meanwhile. */
  async function change(
    grantId: string,
    stored: Stored<GrantRecord>,
    apply: (record: GrantRecord) => GrantRecord | undefined,
  ): Promise<boolean> {
    const changed = apply(stored.record)
    if (!changed) return true
    const ttlOf = ({ exp }: GrantRecord) => Math.max(1, exp - nowInSeconds())
    if (await records.replace(grantId, stored, changed, ttlOf(changed))) return true
    const now = await records.update(
      grantId,
      (record) => (isLiving(record) ? apply(record) : undefined),
      ttlOf(changed),
    )
    return isLiving(now)
  }

  /** Where it is put on another shelf, before its record says so. */
  async function prolong(grantId: string, stored: Stored<GrantRecord>): Promise<boolean> {
    const { listedAt = 0, exp } = stored.record
    const now = nowInSeconds()
    const end = endFrom(now)
    if (exp >= end - SLACK) return true
    if (bucketOf(end) !== bucketOf(exp)) await index.add({ ...stored.record, grantId, listedAt }, end)
    return change(grantId, stored, (record) =>
      record.exp < end - SLACK ? { ...record, exp: end, prolongedAt: now } : undefined,
    )
  }

  async function deleteIt(grantId: string): Promise<boolean> {
    const record = await records.get(grantId)
    const wasThere = await records.delete(grantId)
    if (record?.listedAt !== undefined) {
      await index.remove({ ...record, grantId, listedAt: record.listedAt })
    }
    return wasThere && isLiving(record)
  }

  async function begin(grantId: string, known?: Stored<GrantRecord>, listing?: Listing): Promise<boolean> {
    const stored = known ?? (await records.read(grantId))
    if (!stored || !isLiving(stored.record)) return false
    const { accountId, userId, clientId, epochs: then, listedAt = stored.record.iat * 1000 } = stored.record
    const listed = listing ?? (await list({ accountId, userId, clientId, grantId, listedAt }))
    const comeIntoUse = (record: GrantRecord) =>
      record.listedAt === undefined || record.exp < listed.end - SLACK
        ? { ...record, exp: listed.end, listedAt: listed.listedAt, prolongedAt: nowInSeconds() }
        : // Written once more: whoever wrote it may not have been told that it is safe.
          record
    // Whoever withdraws everything lets another epoch begin, and then goes through the list. The grant is on it by
    // now: so either it is found there, or the other epoch is found here.
    const [isThere, now] = await Promise.all([
      change(grantId, stored, comeIntoUse),
      epochs.current({ accountId, userId }, clientId),
    ])
    if (isOfVersions(then, now)) return isThere
    await deleteIt(grantId)
    return false
  }

  return {
    records,
    index,
    epochs,
    list,
    begin,

    async keepAlive(grantId, known) {
      const stored = known ?? (await records.read(grantId))
      if (!stored || !isLiving(stored.record)) return false
      // One of an older version is in use, and not listed yet.
      return stored.record.listedAt === undefined ? begin(grantId, stored) : prolong(grantId, stored)
    },

    withdraw: (grantId) =>
      records.update(
        grantId,
        // Also where it says so already: whoever wrote that may not have been told that it is safe.
        ({ accountId, userId, clientId, iat, exp, listedAt }) => ({
          accountId,
          userId,
          clientId,
          iat,
          exp,
          listedAt,
          withdrawn: true,
        }),
        REMEMBERED,
      ),

    isVoid: async (record) => !isOfVersions(record.epochs, await epochs.current(record, record.clientId)),

    delete: deleteIt,
  }
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
