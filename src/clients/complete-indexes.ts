import { setTimeout as delay } from 'node:timers/promises'
import { settlesWithin } from '../async/with-timeout.ts'
import type { Logger } from '../host/logger.ts'
import { warn } from '../store/check-results.ts'
import type { Store, StoreCheck } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import type { ClientRecord } from './client-record.ts'
import { nameEntriesOf } from './name-index.ts'
import { createSecretOwners } from './secret-owners.ts'
import { createClientWalk } from './walk-clients.ts'

/**
 * The key of a mark in the store. The mark shows that the clients of older versions of this library are in the index
 * of names, and can be found by their secrets.
 */
const IS_COMPLETE = 'clients-indexed'

const STOP_WAIT_MS = 500

/**
 * In the background, adds the clients of older versions to the index of names, and stores which client has which
 * secret.
 *
 * @param retryMs milliseconds after which the work begins again after a failure
 */
export function createIndexCompletion(store: Store, logger: Logger, retryMs = 60_000) {
  const secretOwners = createSecretOwners(store)
  let isComplete = false
  let completed = (): void => {}
  const completion = new Promise<void>((resolve) => (completed = resolve))
  let done = 0

  async function add({ client, secrets }: ClientRecord): Promise<void> {
    const { kind, clientId, name } = client
    await Promise.all([
      ...nameEntriesOf(clientId, name).map((entry) => store.add(...entry)),
      ...secrets.map(({ hash }) => secretOwners.add(hash, { kind, clientId })),
    ])
  }

  async function complete(signal: AbortSignal): Promise<void> {
    if (!(await store.get(IS_COMPLETE))) {
      done = 0
      for await (const page of createClientWalk(store).slowPages(signal)) {
        await Promise.all(page.flatMap((record) => (record instanceof CorruptRecord ? [] : [add(record)])))
        done += page.length
        signal.throwIfAborted()
      }
      await store.set(IS_COMPLETE, '1')
    }
    isComplete = true
    completed()
  }

  async function keepTrying(signal: AbortSignal): Promise<void> {
    while (!isComplete && !signal.aborted) {
      try {
        await complete(signal)
      } catch (error) {
        if (signal.aborted) return
        logger.warn({ err: error }, 'the clients of an older version could not be indexed; trying again')
        await delay(retryMs, undefined, { signal, ref: false }).catch(() => {})
      }
    }
  }

  return {
    /** Whether every client can be found by its secrets. Waits at most `timeoutMs` for the end of the work. */
    isComplete: (timeoutMs: number) => settlesWithin(() => completion, timeoutMs),
    /** Warns while the work lasts. */
    check: (): StoreCheck[] =>
      isComplete || done === 0
        ? []
        : [
            warn(
              'client index',
              `${done} clients of an older version are indexed so far; a search may miss the others, and so may a report of a leaked secret`,
              'Wait: the work runs in the background, and goes on after a restart',
            ),
          ],
    /** Starts the work. @returns a function that stops the work, and waits a moment for the last call of the store */
    start(): () => Promise<void> {
      const stop = new AbortController()
      const work = keepTrying(stop.signal)
      return async () => {
        stop.abort()
        await settlesWithin(() => work, STOP_WAIT_MS)
      }
    },
  }
}
