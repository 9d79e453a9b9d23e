import type { Collection, Stored } from '../store/collection.ts'
import type { Subject } from './unfinished-list.ts'

/** A record that `commit` changes. */
export interface Changeable<R> {
  /** Of the record in the store. */
  readonly key: string
  /** Whose tokens its changes revoke. */
  readonly subject?: Subject | undefined
  /** By compare-and-swap, after `ready`. For undefined, it writes the same: the last write may not be durable yet. */
  change(
    write: (stored: R | undefined) => R | undefined,
    ready: Promise<unknown>,
  ): Promise<{
    /** Undefined if nothing was written. */
    readonly stored: R | undefined
    /** What goes on beside the rest of the commit. */
    readonly beside?: Promise<unknown> | undefined
  }>
}

/** A record that is changed only if it is stored as it was read. */
export function asRead<R extends object>(
  records: Pick<Collection<R>, 'key' | 'replace' | 'create'>,
  id: string,
  found: Stored<R> | undefined,
): Changeable<R> {
  return {
    key: records.key(id),
    async change(write, ready) {
      const next = write(found?.record) ?? found?.record
      await ready
      const isWritten = next && (await (found ? records.replace(id, found, next) : records.create(id, next)))
      return { stored: isWritten ? next : undefined }
    },
  }
}
