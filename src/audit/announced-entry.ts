import { parseJson } from '../validation/parse-json.ts'
import { isObject, isText } from '../validation/predicates.ts'
import type { Store } from '../store/contract.ts'
import { isPendingEntry, type PendingEntry } from './entry.ts'

/** How another process finds out whether a change was made. */
export interface Proof {
  /** The key of a record that exists before the change. The change replaces the record, which is deleted later. */
  readonly key: string
  /** A text that the record contains only after the change. */
  readonly text: string
}

/** An entry that is listed as pending before its change is made, because the changed record is deleted soon. */
export interface AnnouncedEntry extends PendingEntry {
  readonly proof: Proof
}

/** Other subjects are keys, which never begin with `{`. */
export function writeAnnounced(announced: AnnouncedEntry): string {
  return JSON.stringify(announced)
}

export function isAnnounced(subject: string): boolean {
  return subject.startsWith('{')
}

/** Reads an entry from its subject. @returns undefined if the subject is corrupt */
export function readAnnounced(subject: string): AnnouncedEntry | undefined {
  const value = parseJson(subject)
  if (!isPendingEntry(value) || !('proof' in value) || !isObject(value.proof)) return undefined
  const { key, text } = value.proof
  return isText(key) && isText(text) ? { ...value, proof: { key, text } } : undefined
}

/** Whether the change was made: the record of the proof contains the text, or was deleted after the change. */
export async function wasMade(store: Store, { proof: { key, text } }: AnnouncedEntry): Promise<boolean> {
  const record = await store.get(key)
  return record === undefined || record.includes(text)
}
