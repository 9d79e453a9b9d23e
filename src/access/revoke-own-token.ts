import type { EntryFields } from '../audit/entry.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import type { Commits } from '../commit/commit.ts'
import type { Logger } from '../host/logger.ts'
import type { RevocationSet } from '../revocation/is-revoked.ts'
import type { RevocationSpec } from '../revocation/kept-until.ts'
import type { Revocation } from '../revocation/revocation.ts'
import type { RevocationLog } from '../revocation/revocation-log.ts'

/** The default and the maximum of the option `maxRevocationsPerClient`. */
export const REVOCATIONS_PER_CLIENT = { byDefault: 1000, max: 1_000_000 }

/** One person has at most 100 grants for an application: together they may use as much as a client without grants. */
const SHARE_OF_GRANT = 1 / 100

/** An access token that its own client revokes (RFC 7009). Without a grant, it is for direct access. */
type OwnToken = Extract<RevocationSpec, { of: 'token' }> & {
  readonly clientId: string
  readonly epoch: number
}

/** False if too many tokens of the grant were revoked one by one: the caller then revokes the grant. */
export type RevokeOwnToken = (token: OwnToken, entry: EntryFields) => Promise<boolean>

/**
 * Bounds the tokens that clients revoke one by one (RFC 7009), because each process keeps each in memory until it
 * expires. So a client that obtains and revokes tokens without end would fill the memory of all processes. If a client
 * without grants has `max` revocations in force, its next request raises its `access_epoch` instead, which revokes all
 * access tokens that it has so far. The revocations of its single tokens are then removed, so its count begins again at
 * 0. Tokens of a grant are counted by grant, because an epoch would revoke the tokens of other people.
 */
export function createRevokeOwnToken(parts: {
  readonly commits: Pick<Commits, 'revoke'>
  readonly revoked: Pick<
    RevocationSet,
    'isEpochRevoked' | 'isGrantRevoked' | 'countOwn' | 'coveredByNextEpoch'
  >
  readonly log: Pick<RevocationLog, 'remove'>
  readonly clientTokens: Pick<ClientTokens, 'revokeAll'>
  readonly max: number
  readonly logger: Logger
}): RevokeOwnToken {
  const { commits, revoked, log, clientTokens, max, logger } = parts
  const maxOfGrant = Math.ceil(max * SHARE_OF_GRANT)
  const raising = new Map<string, Promise<void>>()
  /** Requests of one grant wait for each other, so that they are counted exactly. */
  const revoking = new Map<string, Promise<boolean>>()

  async function revokeAll(clientId: string, { address, userAgent }: EntryFields): Promise<void> {
    const covered = revoked.coveredByNextEpoch(clientId)
    const reason = 'client-revoked-too-many-tokens'
    await clientTokens.revokeAll(clientId, { address, userAgent, reason })
    await remove(covered)
  }

  /** If the removal fails, the revocations stay until the revoked tokens expire. */
  async function remove(covered: readonly Revocation[]): Promise<void> {
    await log.remove(covered).catch((error: unknown) => {
      logger.debug({ err: error }, 'revocations that another one covers stay until their tokens expire')
    })
  }

  async function revokeOfGrant(token: OwnToken, grantId: string, entry: EntryFields): Promise<boolean> {
    await revoking.get(grantId)?.catch(() => {})
    if (revoked.isEpochRevoked(token.clientId, token.epoch) || revoked.isGrantRevoked(grantId)) return true
    if (revoked.countOwn(grantId) >= maxOfGrant) return false
    await commits.revoke(token, entry)
    return true
  }

  return async function revokeOwnToken(token, entry) {
    const { clientId, epoch, grantId } = token
    if (grantId !== undefined) {
      const done = revokeOfGrant(token, grantId, entry)
      revoking.set(grantId, done)
      return done.finally(() => revoking.get(grantId) === done && revoking.delete(grantId))
    }
    await raising.get(clientId)
    if (revoked.isEpochRevoked(clientId, epoch)) return true
    if (revoked.countOwn(clientId) >= max) {
      const raised = revokeAll(clientId, entry).finally(() => raising.delete(clientId))
      raising.set(clientId, raised)
      await raised
      return true
    }
    const stored = await commits.revoke(token, entry)
    // Another request may have raised the client's epoch before this revocation was stored.
    await raising.get(clientId)
    if (revoked.isEpochRevoked(clientId, epoch)) await remove(stored)
    return true
  }
}
