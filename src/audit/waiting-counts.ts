import { inBatches } from '../async/in-batches.ts'
import type { Store } from '../store/contract.ts'
import { pagesOf } from '../store/pages-of-index.ts'
import { paddedTime } from '../store/time-index.ts'
import type { PendingEntry } from './entry.ts'
import { erasePending, type ErasedPeople } from './erase-entry.ts'

/** Its members are `<end>:<id of the count>:<time>:<id of the entry>:<pending entry>`. */
const INDEX = 'audit:counted'
const MEMBER = /^(\d{13}):([\w-]{1,64}):(\d{13}):[\w-]{1,64}:(.*)$/s

const KEPT_SECONDS = 30 * 86_400

const GROUP_SIZE = 1000
const BATCH_SIZE = 100

export interface CountsParts {
  readonly store: Store
  /** An entry that is in the trail already is not added again. */
  readonly write: (entries: readonly PendingEntry[]) => Promise<void>
}

/** Stores entries until their counts are written. May be repeated. */
export async function storeUncounted({ store }: CountsParts, entries: readonly PendingEntry[]) {
  await Promise.all(entries.map((each) => store.add(INDEX, memberOf(each), KEPT_SECONDS)))
}

export async function writeCounts(
  parts: CountsParts,
  last: number,
  isReady: (id: string) => boolean,
): Promise<void> {
  let group: string[] = []
  for await (const page of pagesOf(parts.store, INDEX)) {
    for (const member of page) {
      const [, until, id = ''] = MEMBER.exec(member) ?? []
      if (Number(until) > last) return void (await writeAll(parts, group))
      if (!isReady(id)) continue
      const isOfLast = MEMBER.exec(group.at(-1) ?? '')?.[2] === id
      if (!isOfLast && group.length >= GROUP_SIZE) group = await writeAll(parts, group)
      group.push(member)
    }
  }
  await writeAll(parts, group)
}

/** Writes the counts of these members. @returns no members */
async function writeAll({ store, write }: CountsParts, members: readonly string[]): Promise<string[]> {
  const counts = new Map<string, { readonly text: string; count: number; until: number }>()
  for (const member of members) {
    const [, , id = '', at, text = ''] = MEMBER.exec(member) ?? []
    const known = counts.get(id) ?? { text, count: 0, until: 0 }
    counts.set(id, { ...known, count: known.count + 1, until: Number(at) })
  }
  const entries = [...counts].map(([id, { text, count, until }]) => {
    const { entry, after } = JSON.parse(text) as PendingEntry
    return { entry: { ...entry, id, count, until }, after }
  })
  if (entries.length > 0) await write(entries)
  await inBatches(members, BATCH_SIZE, (member) => store.remove(INDEX, member))
  return []
}

function memberOf(pending: PendingEntry): string {
  const { entry, after, into } = pending
  const { id, until } = into ?? { id: entry.id, until: entry.at }
  return `${paddedTime(until)}:${id}:${paddedTime(entry.at)}:${entry.id}:${JSON.stringify({ entry, after })}`
}

export async function eraseWaiting({ store }: CountsParts, people: ErasedPeople): Promise<void> {
  for await (const page of pagesOf(store, INDEX)) {
    for (const member of page) {
      const [, , , , text] = MEMBER.exec(member) ?? []
      if (text === undefined) continue
      const pending = JSON.parse(text) as PendingEntry
      const left = erasePending(pending, people)
      if (left === pending) continue
      await store.add(INDEX, member.slice(0, -text.length) + JSON.stringify(left), KEPT_SECONDS)
      await store.remove(INDEX, member)
    }
  }
}
