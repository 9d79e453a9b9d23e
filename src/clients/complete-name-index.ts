import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { nameEntriesOf } from './name-index.ts'
import { createClientWalk } from './walk-clients.ts'

/**
 * The key of a mark in the store. The mark shows that the clients of older versions of this library are in the index of
 * names.
 */
const IS_COMPLETE = 'client-names-complete'

/**
 * Adds the clients that older versions of this library created to the index of names, in the background. A failure is
 * logged, and the next start tries again.
 *
 * @returns a function that stops this work
 */
export function completeNameIndex(store: Store, logger: Logger): () => void {
  let isStopped = false
  async function complete(): Promise<void> {
    if (await store.get(IS_COMPLETE)) return
    for await (const page of createClientWalk(store).pages(undefined)) {
      if (isStopped) return
      const entries = page.flatMap((record) =>
        record instanceof CorruptRecord ? [] : nameEntriesOf(record.client.clientId, record.client.name),
      )
      await Promise.all(entries.map((entry) => store.add(...entry)))
    }
    await store.set(IS_COMPLETE, '1')
  }
  complete().catch((error: unknown) => {
    if (!isStopped) logger.warn({ err: error }, 'the search by name may miss clients until the next start')
  })
  return () => {
    isStopped = true
  }
}
