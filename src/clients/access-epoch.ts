import type { RevocationSpec } from '../revocation/kept-until.ts'
import type { Client } from './client.ts'
import type { ClientRecord } from './client-record.ts'

/** For the write that removes access: older tokens carry a lower epoch (`access_epoch`), and are rejected. */
export function bumpEpoch<C extends Client>(record: ClientRecord<C>): ClientRecord<C> {
  const client = { ...record.client, epoch: record.client.epoch + 1 }
  return { ...record, client, partialRevocations: undefined }
}

/** Also for the scopes of the last partial revocation: its process may have ended before it revoked the tokens. */
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

/** The epoch is unknown: all below the Unix time, which is above every real one. @param now milliseconds */
export function revocationOfCorrupt(id: string, now: number): readonly RevocationSpec[] {
  return [{ of: 'client', id, below: Math.floor(now / 1000) }]
}

/** The revocations that a record requires. May be repeated. @param found undefined after a deletion */
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
