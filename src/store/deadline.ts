import { GatehouseError } from '../errors.ts'
import type { Store } from './contract.ts'

/**
 * Puts a deadline on every call to a store, so that a database that is away costs a request a bounded time:
 * clients of databases wait and retry far longer than anybody who waits for an answer.
 *
 * @param timeoutMs milliseconds that a call may take before it rejects with ERR_STORE_UNAVAILABLE
 */
export function withDeadline(store: Store, timeoutMs: number): Store {
  async function within<T>(start: () => Promise<T>, name?: string): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new GatehouseError('ERR_STORE_UNAVAILABLE', `the store did not answer within ${timeoutMs} ms`))
      }, timeoutMs)
    })
    try {
      return await Promise.race([start(), tooLate])
    } catch (error) {
      throw asOurs(error, name)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Where one of several cannot be read, each is asked for alone: which one it is has to be told. */
  function eachOf(keys: readonly string[], error: unknown): Promise<(string | undefined)[]> {
    const isRecord = error instanceof GatehouseError && error.code === 'ERR_STORE_RECORD'
    if (!isRecord) throw error
    return Promise.all(keys.map((key) => within(() => store.get(key), key)))
  }

  return {
    volatile: store.volatile,
    durable: store.durable && withDeadline(store.durable, timeoutMs),
    get: (key) => within(() => store.get(key), key),
    getMany: (keys) => within(() => store.getMany(keys)).catch((error: unknown) => eachOf(keys, error)),
    set: (key, value, ttl) => within(() => store.set(key, value, ttl), key),
    create: (key, value, ttl) => within(() => store.create(key, value, ttl), key),
    replace: (key, expected, value, ttl) => within(() => store.replace(key, expected, value, ttl), key),
    delete: (key) => within(() => store.delete(key), key),
    add: (index, member, ttl) => within(() => store.add(index, member, ttl), index),
    remove: (index, member) => within(() => store.remove(index, member), index),
    range: (index, options) => within(() => store.range(index, options), index),
    publish: (channel, message) => within(() => store.publish(channel, message)),
    subscribe(channel, listener, missed) {
      let isLate = false
      const subscription = store.subscribe(channel, listener, missed)
      // Whoever asked has been told that it failed, and will ask again: one listener is enough.
      subscription.then((leave) => (isLate ? leave() : undefined)).catch(() => {})
      return within(() => subscription).catch((error: unknown) => {
        isLate = true
        throw error
      })
    },
    ping: () => within(() => store.ping()),
    ...(store.inspect && { inspect: () => within(async () => store.inspect?.() ?? { checks: [] }) }),
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
  if (error.code !== 'ERR_STORE_RECORD' || name === undefined) return error
  return new GatehouseError('ERR_STORE_RECORD', `${error.message} (asked for "${name}")`, { cause: error })
}
