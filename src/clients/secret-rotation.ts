import { GatehouseError } from '../errors.ts'
import { isLive, type StoredSecret } from './secrets.ts'

/** Which of two live secrets: the one being replaced, or the one that replaces it. */
export type SecretAge = 'old' | 'new'

/**
 * The secrets after a new one was made: the new one first, then the one it replaces, which expires after the
 * overlap. With an overlap of 0 all others end at once.
 *
 * @param now milliseconds since the epoch
 * @param overlapSeconds how long the replaced secret stays good
 * @throws {GatehouseError} `ERR_CONFLICT` if a rotation is under way already. Which of its two secrets the
 *   client's servers use is not known here, and ending the wrong one would be an outage.
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
      'two secrets are live already. Keep one of them first, by revokeSecret(clientId, "old") or revokeSecret(clientId, "new"), or end both at once with overlapSeconds: 0',
    )
  }
  return replaced === undefined ? [added] : [added, { ...replaced, expiresAt: createdAt + overlapSeconds }]
}

/**
 * The secrets after one of two was ended at once. Ending the new one undoes the rotation: the old one is the
 * current one again and does not expire.
 *
 * @param now milliseconds since the epoch
 * @returns undefined if the old one is gone already, or if there is no secret at all
 * @throws {GatehouseError} `ERR_CONFLICT` if ending the new one would leave none
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
