import { addressGroup } from '../http/rate-limit-group.ts'
import type { Logger } from '../host/logger.ts'
import { createEntry, type EntryFields } from './entry.ts'
import { numberOf, type Trail } from './trail.ts'
import { createWriter } from './writer.ts'

/** What strangers tried. All other events go to the trail `changes` (`recording.ts`). */
export interface Failure extends Pick<
  EntryFields,
  'reason' | 'clientId' | 'kind' | 'accountId' | 'address' | 'userAgent'
> {
  /**
   * `client_authentication.failed`: a wrong secret. `token.rejected`: the right secret of a disabled or expired client.
   * `sign_in.rejected`: credentials that the host rejected.
   */
  readonly name: 'client_authentication.failed' | 'token.rejected' | 'sign_in.rejected'
}

const COUNT_MS = 60_000

const MAX_DIFFERENT = 10_000

/**
 * Merges what strangers cause, such as wrong secrets, in the trail `failures`. Those of one minute with the same name,
 * client and group of addresses become one entry. If too many differ, the rest is counted without the latter two.
 */
export function createFailures(trail: Trail, logger: Logger, now: () => number) {
  const writer = createWriter(trail)
  let counted = new Map<string, { readonly fields: EntryFields; readonly count: number }>()
  let timer: NodeJS.Timeout | undefined

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const finished = [...counted.values()]
    counted = new Map()
    if (finished.length === 0) return
    const after = await numberOf(trail)
    const entries = finished.map(({ fields, count }) => ({
      entry: createEntry({ ...fields, count }, now()),
      after,
    }))
    await writer.append(entries).catch((error: unknown) => {
      logger.warn({ err: error }, 'failures of strangers could not be recorded')
    })
  }

  return {
    /** Counts a failure, which is recorded within a minute. Does no I/O. */
    add({ address, ...failure }: Failure): void {
      const { name, clientId, reason } = failure
      const group = address === undefined ? undefined : addressGroup(address)
      const key = JSON.stringify([name, reason, clientId, group])
      const fits = counted.has(key) || counted.size < MAX_DIFFERENT
      const place = fits ? key : name
      const fields: EntryFields = fits
        ? { ...failure, address: group, outcome: 'failure' }
        : { name, outcome: 'failure', reason: 'too-many-different-failures' }
      const known = counted.get(place) ?? { fields, count: 0 }
      counted.set(place, { ...known, count: known.count + 1 })
      timer ??= setTimeout(() => void flush(), COUNT_MS).unref()
    },
    /** Writes what was counted so far. Never rejects. */
    flush,
  }
}
