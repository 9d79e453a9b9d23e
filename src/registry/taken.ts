import type { Taken } from '../tokens/revocations/revocations.ts'
import type { Client } from './client.ts'
import type { ClientRecord } from './client-record.ts'

/**
 * What was taken from a client where it was not everything: of the tokens whose epoch is `since` or later, but
 * below the client's present one, those that carry one of `scopes`. What is older than `since` is dead anyway.
 */
export interface TakenInPart {
  readonly since: number
  readonly scopes: readonly string[]
}

/**
 * Counts that something was taken away, in the same write that takes it away: tokens carry the count
 * (`access_epoch`), and show by it whether they are from before. All of those are dead.
 */
export function takenFrom<C extends Client>(record: ClientRecord<C>): ClientRecord<C> {
  const client = { ...record.client, epoch: record.client.epoch + 1 }
  return { ...record, client, takenInPart: undefined }
}

/** The same, where only tokens from before are dead that carry one of `scopes`. */
export function takenInPartFrom<C extends Client>(
  record: ClientRecord<C>,
  scopes: readonly string[],
): ClientRecord<C> {
  const since = record.takenInPart?.since ?? record.client.epoch
  return { ...takenFrom(record), takenInPart: { since, scopes } }
}

/**
 * All tokens of a client whose record cannot be read: those below the second that it is, as a count that no client
 * comes to by itself. If the record is put right its epoch rises to that, and what it gets then is good.
 *
 * @param now milliseconds since the epoch
 */
export function takenUnseen(id: string, now: number): readonly Taken[] {
  return [{ of: 'client', id, below: Math.floor(now / 1000) }]
}

/**
 * Which tokens of a client are dead by what is known of it: to take them back once more does no harm.
 *
 * @param found the client as it is now; undefined if it was deleted
 */
export function takenOf(
  id: string,
  found: Pick<ClientRecord, 'client' | 'takenInPart'> | undefined,
): readonly Taken[] {
  if (!found) return [{ of: 'client', id }]
  const { client, takenInPart } = found
  const taken: Taken[] = [{ of: 'client', id, below: takenInPart?.since ?? client.epoch }]
  if (takenInPart) taken.push({ of: 'client', id, below: client.epoch, scopes: takenInPart.scopes })
  // None is below the first.
  return taken.filter((each) => !('below' in each) || each.below !== 0)
}
