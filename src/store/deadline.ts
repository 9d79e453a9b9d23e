import { GatehouseError } from '../errors.ts'
import { withTimeout } from '../async/with-timeout.ts'
import type { Store } from './contract.ts'
import { isCorruptRecord } from './corrupt-record.ts'

/**
 * Puts a deadline on every call to a store, so that a database that is away costs a request a bounded time:
 * clients of databases wait and retry far longer than anybody who waits for an answer.
 *
 * @param timeoutMs milliseconds that a call may take before it rejects with ERR_STORE_UNAVAILABLE
 */
export function withDeadline(store: Store, timeoutMs: number): Store {
  const late = {
    error: () =>
      new GatehouseError('ERR_STORE_UNAVAILABLE', `the store did not answer within ${timeoutMs} ms`),
  }

  async function inTime<T>(start: () => Promise<T>, name?: string): Promise<T> {
    try {
      return await withTimeout(timeoutMs, start, late)
    } catch (error) {
      throw asOurs(error, name)
    }
  }

  /** Where one of several cannot be read, each is asked for alone: which one it is has to be told. */
  function eachOf(keys: readonly string[], error: unknown): Promise<(string | undefined)[]> {
    if (!isCorruptRecord(error)) throw error
    return Promise.all(keys.map((key) => inTime(() => store.get(key), key)))
  }

  return {
    volatile: store.volatile,
    durable: store.durable && withDeadline(store.durable, timeoutMs),
    get: (key) => inTime(() => store.get(key), key),
    getMany: (keys) => inTime(() => store.getMany(keys)).catch((error: unknown) => eachOf(keys, error)),
    set: (key, value, ttl) => inTime(() => store.set(key, value, ttl), key),
    create: (key, value, ttl) => inTime(() => store.create(key, value, ttl), key),
    replace: (key, expected, value, ttl) => inTime(() => store.replace(key, expected, value, ttl), key),
    delete: (key) => inTime(() => store.delete(key), key),
    add: (index, member, ttl) => inTime(() => store.add(index, member, ttl), index),
    remove: (index, member) => inTime(() => store.remove(index, member), index),
    range: (index, options) => inTime(() => store.range(index, options), index),
    publish: (channel, message) => inTime(() => store.publish(channel, message)),
    subscribe(channel, listener, missed) {
      let isLate = false
      const subscription = (async () => store.subscribe(channel, listener, missed))()
      // Whoever asked has been told that it failed, and will ask again: one listener is enough.
      subscription.then((leave) => (isLate ? leave() : undefined)).catch(() => {})
      return inTime(() => subscription).catch((error: unknown) => {
        isLate = true
        throw error
      })
    },
    ping: () => inTime(() => store.ping()),
    ...(store.inspect && { inspect: () => inTime(async () => store.inspect?.() ?? { checks: [] }) }),
    close: () => store.close(),
  }
}

/**
 * An adapter of somebody else's may throw what its driver throws: for us that is a store that is away. Where something
 * lies under a key that no store put there, whoever has to clear it away is told which key that is.
 *
 * @param name of what was asked
 */
function asOurs(error: unknown, name: string | undefined): GatehouseError {
  if (!(error instanceof GatehouseError)) {
    return new GatehouseError('ERR_STORE_UNAVAILABLE', 'the store failed', { cause: error })
  }
  if (error.code !== 'ERR_STORE_CORRUPT' || name === undefined) return error
  return new GatehouseError('ERR_STORE_CORRUPT', `${error.message} (asked for "${name}")`, { cause: error })
}
