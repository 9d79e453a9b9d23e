import { GatehouseError } from '../errors.ts'
import { isLive, type StoredSecret } from './stored-secrets.ts'

/** Which of two valid secrets is meant: the replaced secret, or the new secret. */
export type SecretAge = 'old' | 'new'

/** A client may have two valid secrets, so that a secret can be replaced without an outage. */
export const MAX_SECRETS = 2

/** Seconds for which the old secret stays valid. */
export const OVERLAP_SECONDS = { byDefault: 86_400, max: 90 * 86_400 }

/**
 * Rotates: the new secret, then the replaced one, which expires after the overlap, by default a day; none with 0.
 * @throws {GatehouseError} `ERR_TWO_SECRETS` if two secrets are valid already: the client's servers may use both
 */
export function rotateSecret(
  secrets: readonly StoredSecret[],
  next: { hash: string; hint: string; now: number; overlapSeconds: number; shownTo?: string | undefined },
): StoredSecret[] {
  const { hash, hint, now, overlapSeconds, shownTo } = next
  const createdAt = Math.floor(now / 1000)
  const added = { hash, createdAt, hint, ...(shownTo !== undefined && { shownTo }) }
  if (overlapSeconds === 0) return [added]

  const live = secrets.filter((secret) => isLive(secret, now))
  if (live.length >= MAX_SECRETS) {
    throw new GatehouseError(
      'ERR_TWO_SECRETS',
      'two secrets are live already. First revoke one of them: revokeSecret(clientId, "old") or revokeSecret(clientId, "new"). Or revoke both at once with overlapSeconds: 0',
    )
  }
  const [replaced] = live
  return replaced === undefined ? [added] : [added, { ...replaced, expiresAt: createdAt + overlapSeconds }]
}

/** @throws {GatehouseError} `ERR_SECRETS_CHANGED` if they were changed after the first attempt */
export function isRotated(
  secrets: readonly StoredSecret[],
  hash: string,
  { newestCreatedAt }: { readonly newestCreatedAt?: number | undefined },
): boolean {
  if (secrets.some((secret) => secret.hash === hash)) return true
  if (secrets[0]?.createdAt === newestCreatedAt) return false
  const message = 'the secrets were changed since the first attempt of this rotation: begin a new rotation'
  throw new GatehouseError('ERR_SECRETS_CHANGED', message)
}

/**
 * Revoking the new secret undoes the rotation: the old one does not expire any more. Undefined for no change.
 * @throws {GatehouseError} `ERR_ONE_SECRET` if the client could not authenticate any more
 */
export function revokeSecret(
  secrets: readonly StoredSecret[],
  age: SecretAge,
  now: number,
  hasKey = false,
): StoredSecret[] | undefined {
  const [newest, old] = secrets.filter((secret) => isLive(secret, now))
  if (newest === undefined) return undefined
  if (age === 'old') return old === undefined ? undefined : [newest]
  if (old === undefined) {
    if (hasKey) return []
    throw new GatehouseError(
      'ERR_ONE_SECRET',
      'only one secret is live: replace it with rotateSecret(clientId, { overlapSeconds: 0 }), or disable the client',
    )
  }
  const { expiresAt: _, ...kept } = old
  return [kept]
}
