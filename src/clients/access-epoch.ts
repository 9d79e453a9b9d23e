import type { RevocationSpec } from '../revocation/revoke-tokens.ts'
import type { Client } from './client.ts'
import type { ClientRecord } from './client-record.ts'

/**
 * Raises the epoch in the same write that removes access. Tokens carry the epoch (`access_epoch`), so all older tokens
 * can be recognized and rejected.
 */
export function bumpEpoch<C extends Client>(record: ClientRecord<C>): ClientRecord<C> {
  const client = { ...record.client, epoch: record.client.epoch + 1 }
  return { ...record, client, partialRevocations: undefined }
}

/** Raises the epoch, and revokes only older tokens that carry one of `scopes`. */
export function bumpEpochFor<C extends Client>(
  record: ClientRecord<C>,
  scopes: readonly string[],
): ClientRecord<C> {
  const since = record.partialRevocations?.since ?? record.client.epoch
  return { ...bumpEpoch(record), partialRevocations: { since, scopes } }
}

/**
 * Revokes all tokens of a client whose record is corrupt. It revokes tokens with an epoch below the current epoch second,
 * a number that no real epoch reaches. When the record is repaired, its epoch rises to that number, and new tokens are
 * valid.
 *
 * @param now milliseconds since the epoch
 */
export function revocationOfCorrupt(id: string, now: number): readonly RevocationSpec[] {
  return [{ of: 'client', id, below: Math.floor(now / 1000) }]
}

/**
 * The revocations that the current record of a client needs. Revoking them again is harmless.
 *
 * @param found undefined if the client was deleted: all its tokens are revoked permanently
 */
export function revocationsOf(
  id: string,
  found: Pick<ClientRecord, 'client' | 'partialRevocations'> | undefined,
): readonly RevocationSpec[] {
  if (!found) return [{ of: 'client', id }]
  const { client, partialRevocations } = found
  const below = partialRevocations?.since ?? client.epoch
  // No token has an epoch below 0.
  const revocations: RevocationSpec[] = below === 0 ? [] : [{ of: 'client', id, below }]
  if (partialRevocations && client.epoch > 0) {
    revocations.push({ of: 'client', id, below: client.epoch, scopes: partialRevocations.scopes })
  }
  return revocations
}
