import { addressGroup } from '../http/client-address.ts'
import type { EntryFields } from './entry.ts'

/** What strangers tried: a wrong secret, or credentials that the host rejected. */
export interface Failure {
  readonly name: 'client_authentication.failed' | 'sign_in.rejected'
  readonly clientId?: string | undefined
  readonly kind?: EntryFields['kind']
  readonly accountId?: string | undefined
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
}

/** Milliseconds for which equal failures are counted before they become an entry. */
const COUNT_MS = 60_000

/** The maximum number of different failures that are counted at the same time. */
const MAX_DIFFERENT = 10_000

/**
 * Counts failures, so that equal failures within a minute are one entry. Failures are equal if name, client and
 * address are equal. If too many different failures arrive within a minute, the rest is counted without client and
 * address.
 *
 * @param write records entries; never rejects
 */
export function createFailures(write: (entries: readonly EntryFields[]) => Promise<void>) {
  let counted = new Map<string, { readonly fields: EntryFields; count: number }>()
  let timer: NodeJS.Timeout | undefined

  function count(key: string, fields: EntryFields): void {
    const known = counted.get(key)
    if (known) known.count += 1
    else counted.set(key, { fields, count: 1 })
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const finished = counted
    counted = new Map()
    if (finished.size > 0)
      await write([...finished.values()].map((each) => ({ ...each.fields, count: each.count })))
  }

  return {
    /** Counts a failure. Does no I/O. */
    add({ address, ...failure }: Failure): void {
      const { name, clientId } = failure
      const group = address === undefined ? undefined : addressGroup(address)
      const key = JSON.stringify([name, clientId, group])
      if (counted.has(key) || counted.size < MAX_DIFFERENT) {
        count(key, { ...failure, address: group, outcome: 'failure' })
      } else count(name, { name, outcome: 'failure', reason: 'too-many-different-failures' })
      timer ??= setTimeout(() => void flush(), COUNT_MS).unref()
    },
    /** Writes what was counted so far. Never rejects. */
    flush,
  }
}
