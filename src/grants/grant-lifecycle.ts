import { confirmDurable, type Stored } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { STORED_CONSENT_SECONDS } from './consent-store.ts'
import { createConsentVersions, isOfVersions } from './revoked-consents.ts'
import { createGrantIndex, isSameBucket, type GrantEntry } from './grant-index.ts'
import { createCountNewGrant } from './max-grants.ts'
import { grantRecords, isActive, type GrantRecord } from './grant-record.ts'

/** An index entry that a code exchange adds early, when the exchange may still fail. */
export interface Listing extends GrantEntry {
  /** Epoch seconds at which the grant will expire. */
  readonly end: number
  /** Whether a person may exceed the limit of grants (`index.startLimitCheck`). Never rejects. */
  readonly mayExceedLimit: () => Promise<boolean>
}

/** A grant outlives the tokens of its extension by this time, so that one extension a day is enough. */
const EXTENSION_INTERVAL_SECONDS = 86_400

/** Seconds for which the record of a revoked grant is kept. */
const TOMBSTONE_TTL_SECONDS = 86_400

type Lifetimes = Readonly<Record<'refreshToken' | 'delegatedAccessToken', number>> & {
  readonly publicRefreshToken?: number | undefined
}

/**
 * Activates, extends and revokes grants: how long a new one, one in use and a revoked one are kept.
 *
 * A new grant is short-lived, because most grants are never used. For example, each time an application
 * checks silently whether a user is signed in, it gets a code with a new grant. The application may never
 * exchange this code. Before the first refresh token of a grant is issued, the grant is listed and activated.
 * From then on, the grant lives as long as its tokens.
 */
export function createGrantLifecycle(
  store: Store,
  { refreshToken, publicRefreshToken = refreshToken, delegatedAccessToken }: Lifetimes,
) {
  const records = grantRecords(store)
  const index = createGrantIndex({ store, load: records.getEach })
  // A grant can be revoked as long as any of its access tokens can be used.
  const tokenLifetime = Math.max(refreshToken, publicRefreshToken, delegatedAccessToken)
  const lifetime = tokenLifetime + EXTENSION_INTERVAL_SECONDS
  // A consent version must outlive all that it revokes: stored decisions, and unlisted grants that may still be used.
  const versionTtl = Math.max(STORED_CONSENT_SECONDS, tokenLifetime) + 2 * EXTENSION_INTERVAL_SECONDS
  const consentVersions = createConsentVersions(store, versionTtl)

  /** Adds a grant to the list of its account, before the grant is activated. Pass the result to `activate`. */
  async function list(entry: GrantEntry): Promise<Listing> {
    const end = nowInSeconds() + lifetime
    const added = index.add(entry, end)
    const mayExceedLimit = index.startLimitCheck(entry.accountId)
    await added
    return { ...entry, end, mayExceedLimit }
  }

  /** Call this before the first refresh token. False if the grant is deleted, or revoked for good. */
  async function activate(grantId: string, known?: Stored<GrantRecord>, listing?: Listing): Promise<boolean> {
    const stored = known ?? (await records.read(grantId))
    if (!stored || !isActive(stored.record)) return false
    const { accountId, userId, clientId, versions, listedAt = stored.record.iat * 1000 } = stored.record
    const listed = listing ?? (await list({ accountId, userId, clientId, grantId, listedAt }))
    const putInUse = (record: GrantRecord) =>
      record.listedAt === undefined || record.exp < listed.end - EXTENSION_INTERVAL_SECONDS
        ? { ...record, exp: listed.end, listedAt: listed.listedAt, usedAt: nowInSeconds() }
        : confirmDurable(record)
    // To revoke everything that a holder authorized, a process first stores a new consent version, and then
    // reads the list of grants. The grant of this call is listed already. So either the revocation finds the
    // grant in the list, or the read below finds the new version.
    const [isGrantActive, current] = await Promise.all([
      change(grantId, stored, putInUse),
      consentVersions.current({ accountId, userId }, clientId),
    ])
    if (isOfVersions(versions, current)) return isGrantActive
    await deleteGrant(grantId)
    return false
  }

  /** Call this before the next refresh token. False if the grant is deleted or revoked. */
  async function extend(grantId: string, known?: Stored<GrantRecord>): Promise<boolean> {
    const stored = known ?? (await records.read(grantId))
    if (!stored || !isActive(stored.record)) return false
    const { listedAt, exp } = stored.record
    // In a cluster, a failover of one master may have lost the activation, but not the refresh token.
    if (listedAt === undefined) return activate(grantId, stored)
    const now = nowInSeconds()
    const end = now + lifetime
    const isDue = (time: number) => time < end - EXTENSION_INTERVAL_SECONDS
    if (!isDue(exp)) return true
    // Before the record changes, so that every usable grant is listed in the bucket of its expiry.
    if (!isSameBucket(end, exp)) await index.add({ ...stored.record, grantId, listedAt }, end)
    return change(grantId, stored, (record) =>
      isDue(record.exp) ? { ...record, exp: end, usedAt: now } : undefined,
    )
  }

  /** No concurrent change is lost. False if the grant is deleted or revoked. */
  async function change(
    grantId: string,
    stored: Stored<GrantRecord>,
    apply: (record: GrantRecord) => GrantRecord | undefined,
  ): Promise<boolean> {
    const changed = apply(stored.record)
    if (!changed) return true
    const ttl = Math.max(1, changed.exp - nowInSeconds())
    if (await records.replace(grantId, stored, changed, ttl)) return true
    return isActive(
      await records.update(grantId, (record) => (isActive(record) ? apply(record) : undefined), ttl),
    )
  }

  /** Deletes a grant with its index entries. @returns whether an active grant existed */
  async function deleteGrant(grantId: string): Promise<boolean> {
    const record = await records.get(grantId)
    const existed = await records.delete(grantId)
    if (record?.listedAt !== undefined) {
      await index.remove({ ...record, grantId, listedAt: record.listedAt })
    }
    return existed && isActive(record)
  }

  return {
    records,
    index,
    consentVersions,
    /** Counts a new grant. @returns false if the person has started too many for this application in the last hour */
    countNew: createCountNewGrant(store),
    list,
    activate,
    extend,
    /** May be called again. Undefined if there is no such grant. */
    revoke: (grantId: string) => records.update(grantId, toTombstone, TOMBSTONE_TTL_SECONDS),
    /** Whether all authorizations of a holder of the grant were revoked after the grant was made. */
    hasStaleConsent: async (record: GrantRecord) =>
      !isOfVersions(record.versions, await consentVersions.current(record, record.clientId)),
    delete: deleteGrant,
  }
}

export type GrantLifecycle = ReturnType<typeof createGrantLifecycle>

/** The record of a revoked grant stays equal, and is written again (see `confirmDurable`). */
function toTombstone({ accountId, userId, clientId, iat, exp, listedAt }: GrantRecord): GrantRecord {
  return { accountId, userId, clientId, iat, exp, listedAt, revoked: true }
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
