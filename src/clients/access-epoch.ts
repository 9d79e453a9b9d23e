import type { RevocationSpec } from '../revocation/revoke-tokens.ts'
import type { Client } from './client.ts'
import type { ClientRecord } from './client-record.ts'

/**
 * Counts that something was taken away, in the same write that takes it away: tokens carry the count
 * (`access_epoch`), and show by it whether they are from before. All of those are dead.
 */
export function bumpEpoch<C extends Client>(record: ClientRecord<C>): ClientRecord<C> {
  const client = { ...record.client, epoch: record.client.epoch + 1 }
  return { ...record, client, partialRevocations: undefined }
}

/** The same, where only tokens from before are dead that carry one of `scopes`. */
export function partialRevocationsFrom<C extends Client>(
  record: ClientRecord<C>,
  scopes: readonly string[],
): ClientRecord<C> {
  const since = record.partialRevocations?.since ?? record.client.epoch
  return { ...bumpEpoch(record), partialRevocations: { since, scopes } }
}

/**
 * All tokens of a client whose record cannot be read: those below the second that it is, as a count that no client
 * comes to by itself. If the record is put right its epoch rises to that, and what it gets then is good.
 *
 * @param now milliseconds since the epoch
 */
export function revocationOfCorrupt(id: string, now: number): readonly RevocationSpec[] {
  return [{ of: 'client', id, below: Math.floor(now / 1000) }]
}

/**
 * Which tokens of a client are dead by what is known of it: to take them back once more does no harm.
 *
 * @param found the client as it is now; undefined if it was deleted
 */
export function revocationsOf(
  id: string,
  found: Pick<ClientRecord, 'client' | 'partialRevocations'> | undefined,
): readonly RevocationSpec[] {
  if (!found) return [{ of: 'client', id }]
  const { client, partialRevocations } = found
  const taken: RevocationSpec[] = [{ of: 'client', id, below: partialRevocations?.since ?? client.epoch }]
  if (partialRevocations)
    taken.push({ of: 'client', id, below: client.epoch, scopes: partialRevocations.scopes })
  // None is below the first.
  return taken.filter((each) => !('below' in each) || each.below !== 0)
}
