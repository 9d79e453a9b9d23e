import type { Logger } from '../host/logger.ts'
import { createCircuitBreaker, type CircuitBreaker } from './circuit-breaker.ts'
import type { Store, SlotCounts } from './contract.ts'
import {
  createMetCorruptRecords,
  type StoreWithMemory,
  type MetCorruptRecords,
} from './met-corrupt-records.ts'
import { GatehouseError, storeUnavailable } from '../errors.ts'
import { withTimeout } from '../async/with-timeout.ts'
import { isCorruptRecord } from './corrupt-record.ts'

/**
 * Gives every call to a store a timeout and a circuit breaker: both reject with ERR_STORE_UNAVAILABLE.
 * Writes of the durable view have a breaker of their own, because only these writes fail while replicas are missing.
 * Three methods have none: `ping` shows that the store is available again, `inspect` reports the problem, and
 * `subscribe` has its own connection and must start as soon as possible.
 */
export function createResilientStore(plain: Store, timeoutMs: number, logger: Logger) {
  const store = withDeadline(plain, timeoutMs, createMetCorruptRecords(logger))
  const probe = () => store.ping()
  const all = createCircuitBreaker({
    name: 'the store',
    probe,
    isProbeConclusive: true,
    onUnavailable: (error) =>
      logger.warn({ err: error }, 'the store is unavailable: calls fail at once until it answers'),
    onAvailable: () => logger.info({}, 'the store is available again'),
  })
  const inner = (name: string) =>
    createCircuitBreaker({ name: `the store, for ${name},`, probe, isProbeConclusive: false, outer: all })
  // A ping may be answered while the replicas are still missing.
  const durableWrites = inner('durable writes')
  // A ping may be answered although the server rejects the counters: it is full, or a permission is missing.
  const counters = inner('counters')
  return {
    store: {
      ...withBreakers(store, all, all),
      ...(store.count && {
        count: (...args: Parameters<NonNullable<Store['count']>>) => counters.run(() => countIn(store, args)),
      }),
      ...(store.durable && { durable: withBreakers(store.durable, all, durableWrites) }),
    },
    stop(): void {
      for (const breaker of [all, durableWrites, counters]) breaker.stop()
    },
  }
}

function withBreakers(
  store: StoreWithMemory,
  reads: CircuitBreaker,
  writes: CircuitBreaker,
): StoreWithMemory {
  async function ping(): Promise<void> {
    await store.ping()
    reads.recordAnswer()
  }

  return {
    ...store,
    ...wrapCalls(store, reads.run, writes.run),
    ping,
    // The store probably answers again. The ping closes the circuit, so that the subscriber can read what it missed.
    subscribe: (channel, listener, missed) =>
      store.subscribe(channel, listener, missed && (() => void ping().then(missed, missed))),
  }
}

/** The default and the maximum of the option `storeTimeoutMs`. */
export const STORE_TIMEOUT_MS = { byDefault: 1000, max: 60_000 }

/** Gives every call a timeout, because database clients wait and retry far longer than a user waits for an answer. */
export function withDeadline(
  store: Store,
  timeoutMs: number,
  metCorrupt?: MetCorruptRecords,
): StoreWithMemory {
  const late = { error: () => storeUnavailable(`the store did not answer within ${timeoutMs} ms`) }

  async function inTime<T>(call: () => Promise<T>, key?: string): Promise<T> {
    try {
      return await withTimeout(timeoutMs, call, late)
    } catch (error) {
      const storeError = asStoreError(error, key)
      if (isCorruptRecord(storeError) && key !== undefined) metCorrupt?.add(key, storeError)
      throw storeError
    }
  }

  const calls = wrapCalls(store, inTime, inTime)
  return {
    ...calls,
    volatile: store.volatile,
    metCorrupt,
    durable: store.durable && withDeadline(store.durable, timeoutMs, metCorrupt),
    async getMany(keys) {
      try {
        return await calls.getMany(keys)
      } catch (error) {
        if (!isCorruptRecord(error)) throw error
        // Reads one key at a time, so that the error names the key of the corrupt record.
        return Promise.all(keys.map((key) => calls.get(key)))
      }
    },
    subscribe(channel, listener, missed) {
      let hasTimedOut = false
      const subscription = (async () => store.subscribe(channel, listener, missed))()
      // After the timeout the caller has an error and will subscribe again, so a later subscription is ended.
      subscription.then((unsubscribe) => (hasTimedOut ? unsubscribe() : undefined)).catch(() => {})
      return inTime(() => subscription).catch((error: unknown) => {
        hasTimedOut = true
        throw error
      })
    },
    ping: () => inTime(() => store.ping()),
    ...(store.count && { count: (...args) => inTime(async () => countIn(store, args), args[0]) }),
    ...(store.inspect && { inspect: () => inTime(async () => store.inspect?.() ?? { checks: [] }) }),
    close: () => store.close(),
  }
}

function countIn(store: Store, args: Parameters<NonNullable<Store['count']>>): Promise<SlotCounts> {
  if (store.count) return store.count(...args)
  throw storeUnavailable('the store has no counters')
}

/** A corrupt record is reported with its key, so that an operator can delete it. */
function asStoreError(error: unknown, key: string | undefined): GatehouseError {
  if (!(error instanceof GatehouseError)) return storeUnavailable('the store failed', error)
  if (!isCorruptRecord(error) || key === undefined) return error
  return new GatehouseError('ERR_STORE_CORRUPT', `${error.message} (key "${key}")`, { cause: error })
}

/** `key` is the key or the index that the call uses. It is undefined for `getMany` and `publish`. */
export type MakeCall = <T>(call: () => Promise<T>, key?: string) => Promise<T>

type DataMethods = Pick<
  Store,
  'get' | 'getMany' | 'range' | 'publish' | 'set' | 'create' | 'replace' | 'delete' | 'add' | 'remove'
>

/** Wraps each data method of a store. */
function wrapCalls(store: DataMethods, read: MakeCall, write: MakeCall): DataMethods {
  return {
    get: (key) => read(() => store.get(key), key),
    getMany: (keys) => read(() => store.getMany(keys)),
    range: (index, options) => read(() => store.range(index, options), index),
    publish: (channel, message) => read(() => store.publish(channel, message)),
    set: (key, value, ttl) => write(() => store.set(key, value, ttl), key),
    create: (key, value, ttl) => write(() => store.create(key, value, ttl), key),
    replace: (key, expected, value, ttl) => write(() => store.replace(key, expected, value, ttl), key),
    delete: (key) => write(() => store.delete(key), key),
    add: (index, member, ttl) => write(() => store.add(index, member, ttl), index),
    remove: (index, member) => write(() => store.remove(index, member), index),
  }
}
