import { type Collection, confirmDurable } from '../../store/collection.ts'
import { isCorruptRecord } from '../../store/corrupt-record.ts'

export function noCounts() {
  return {
    apiKeys: 0,
    applications: 0,
    deletedClients: 0,
    blockedHosts: 0,
    signingKeys: 0,
    revocations: 0,
    unchanged: 0,
    conflicts: new Set<string>(),
  }
}

export type Counts = ReturnType<typeof noCounts>

/** A record that exists stays, also a deleted one; a different one is a conflict. @returns undefined for a conflict */
export async function importRecord<T extends object>(
  collection: Pick<Collection<T>, 'create' | 'update'>,
  { id, record, isSame }: { id: string; record: T; isSame: (existing: T) => boolean },
  counts: Counts,
): Promise<boolean | undefined> {
  if (await collection.create(id, record)) return true
  const existing = await collection.update(id, confirmDurable).catch((error: unknown) => {
    if (!isCorruptRecord(error)) throw error
    return undefined
  })
  if (existing && isSame(existing)) return false
  counts.conflicts.add(id)
  return undefined
}
