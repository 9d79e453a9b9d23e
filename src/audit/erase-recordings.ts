import { isCorruptRecord } from '../store/corrupt-record.ts'
import { isAnnounced, readAnnounced, writeAnnounced } from './announced-entry.ts'
import { erasePending, type ErasedPeople } from './erase-entry.ts'
import { idsOf } from './outbox.ts'
import { append, settled, type Recording } from './recording.ts'

/**
 * Moves entries from changed records to the trail. Rewrites entries that wait elsewhere, if they name erased people.
 * Entries in the memory of another process stay unchanged.
 *
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
 */
export async function eraseRecordings(recording: Recording, people: ErasedPeople): Promise<void> {
  const { pending, outboxes, counting, kept } = recording
  await kept.rewrite((entry) => erasePending(entry, people))
  for (const subject of await pending.list()) {
    if (isAnnounced(subject)) continue
    try {
      const entries = await outboxes.read(subject)
      await append(recording, entries)
      await outboxes.clear(subject, idsOf(entries))
    } catch (error) {
      // A corrupt record stays, so that an operator can examine it.
      if (!isCorruptRecord(error)) throw error
    }
  }
  await pending.rewrite((subject) => {
    const announced = isAnnounced(subject) ? readAnnounced(subject) : undefined
    return announced ? writeAnnounced(erasePending(announced, people)) : subject
  })
  await counting.erase(people)
  await settled(recording)
}
