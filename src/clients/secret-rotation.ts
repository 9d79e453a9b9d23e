import { GatehouseError } from '../errors.ts'
import { isLive, type StoredSecret } from './secrets.ts'

/** One of two live secrets: the replaced one, or the new one. */
export type SecretAge = 'old' | 'new'

/**
 * The secrets after a rotation: the new one first, then the replaced one, which expires after the overlap. With an overlap
 * of 0 all other secrets are removed.
 *
 * @param now milliseconds since the epoch
 * @param overlapSeconds how long the replaced secret stays valid
 * @throws {GatehouseError} `ERR_CONFLICT` if two secrets are live. The servers of the client may use either, and removing
 *   the wrong one would be an outage.
 */
export function rotateSecret(
  secrets: readonly StoredSecret[],
  { hash, now, overlapSeconds }: { hash: string; now: number; overlapSeconds: number },
): StoredSecret[] {
  const createdAt = Math.floor(now / 1000)
  const added = { hash, createdAt }
  if (overlapSeconds === 0) return [added]

  const [replaced, other] = secrets.filter((secret) => isLive(secret, now))
  if (other !== undefined) {
    throw new GatehouseError(
      'ERR_CONFLICT',
      'two secrets are live already. Keep one of them first, by revokeSecret(clientId, "old") or revokeSecret(clientId, "new"), or revoke both at once with overlapSeconds: 0',
    )
  }
  return replaced === undefined ? [added] : [added, { ...replaced, expiresAt: createdAt + overlapSeconds }]
}

/**
 * The secrets after one of two was revoked. Revoking the new one undoes the rotation: the old one is current again and
 * does not expire.
 *
 * @param now milliseconds since the epoch
 * @returns undefined if there is no old secret, or no secret at all
 * @throws {GatehouseError} `ERR_CONFLICT` if revoking the new one would leave none
 */
export function revokeSecret(
  secrets: readonly StoredSecret[],
  age: SecretAge,
  now: number,
): StoredSecret[] | undefined {
  const [newest, old] = secrets.filter((secret) => isLive(secret, now))
  if (newest === undefined) return undefined
  if (age === 'old') return old === undefined ? undefined : [newest]
  if (old === undefined) {
    throw new GatehouseError(
      'ERR_CONFLICT',
      'only one secret is live: replace it by rotateSecret(clientId, { overlapSeconds: 0 }), or disable the client',
    )
  }
  const { hash, createdAt } = old
  return [{ hash, createdAt }]
}
