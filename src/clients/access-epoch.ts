import type { RevocationSpec } from '../revocation/kept-until.ts'
import type { Client } from './client.ts'
import type { ClientRecord } from './client-record.ts'

/**
 * Returns the record with the epoch of the client raised by 1. Store this record in the same write as the change that
 * removes access. Tokens carry the epoch (`access_epoch`), so all tokens that were issued before the change can be
 * recognized and rejected.
 */
export function bumpEpoch<C extends Client>(record: ClientRecord<C>): ClientRecord<C> {
  const client = { ...record.client, epoch: record.client.epoch + 1 }
  return { ...record, client, partialRevocations: undefined }
}

/**
 * Returns the record with the epoch of the client raised by 1. Tokens with a lower epoch are then revoked only if they
 * carry one of `scopes`, or a scope of the previous partial revocation. These older scopes are included because the
 * process that stored them may have ended before it revoked the tokens.
 */
export function bumpEpochFor<C extends Client>(
  record: ClientRecord<C>,
  scopes: readonly string[],
): ClientRecord<C> {
  const { client, partialRevocations: before } = record
  const partialRevocations = {
    since: before?.since ?? client.epoch,
    scopes: [...new Set([...(before?.scopes ?? []), ...scopes])],
  }
  return { ...bumpEpoch(record), partialRevocations }
}

/**
 * The revocation of all tokens of a client whose record is corrupt. The client's epoch is unknown, so the revocation
 * covers all epochs below the current Unix time in seconds. This time is higher than every real epoch. After the
 * record is repaired, `withRepairedEpochs` raises the epoch of the client to this time, so new tokens are valid.
 *
 * @param now Unix time in milliseconds
 */
export function revocationOfCorrupt(id: string, now: number): readonly RevocationSpec[] {
  return [{ of: 'client', id, below: Math.floor(now / 1000) }]
}

/**
 * The revocations that the current record of a client requires. Repeating these revocations is harmless.
 *
 * @param found undefined if the client was deleted: all its tokens are then revoked permanently
 */
export function revocationsOf(
  id: string,
  found: Pick<ClientRecord, 'client' | 'partialRevocations'> | undefined,
): readonly RevocationSpec[] {
  if (!found) return [{ of: 'client', id }]
  const { client, partialRevocations } = found
  const below = partialRevocations?.since ?? client.epoch
  // If `below` is 0, no token has a lower epoch, so no revocation is needed.
  const revocations: RevocationSpec[] = below === 0 ? [] : [{ of: 'client', id, below }]
  if (partialRevocations && client.epoch > 0) {
    revocations.push({ of: 'client', id, below: client.epoch, scopes: partialRevocations.scopes })
  }
  return revocations
}
