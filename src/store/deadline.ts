import { GatehouseError } from '../errors.ts'
import type { Store } from './contract.ts'

/**
 * Puts a deadline on every call to a store, so that a database that is away costs a request a bounded time:
 * clients of databases wait and retry far longer than anybody who waits for an answer.
 *
 * @param timeoutMs milliseconds that a call may take before it rejects with ERR_STORE_UNAVAILABLE
 */
export function withDeadline(store: Store, timeoutMs: number): Store {
  async function within<T>(start: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new GatehouseError('ERR_STORE_UNAVAILABLE', `the store did not answer within ${timeoutMs} ms`))
      }, timeoutMs)
    })
    try {
      return await Promise.race([start(), tooLate])
    } catch (error) {
      throw asUnavailable(error)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    volatile: store.volatile,
    durable: store.durable && withDeadline(store.durable, timeoutMs),
    get: (key) => within(() => store.get(key)),
    getMany: (keys) => within(() => store.getMany(keys)),
    set: (key, value, ttl) => within(() => store.set(key, value, ttl)),
    create: (key, value, ttl) => within(() => store.create(key, value, ttl)),
    replace: (key, expected, value, ttl) => within(() => store.replace(key, expected, value, ttl)),
    delete: (key) => within(() => store.delete(key)),
    add: (index, member, ttl) => within(() => store.add(index, member, ttl)),
    remove: (index, member) => within(() => store.remove(index, member)),
    range: (index, options) => within(() => store.range(index, options)),
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

/** An adapter of somebody else's may throw what its driver throws: for us that is a store that is away. */
function asUnavailable(error: unknown): GatehouseError {
  if (error instanceof GatehouseError) return error
  return new GatehouseError('ERR_STORE_UNAVAILABLE', 'the store failed', { cause: error })
}
