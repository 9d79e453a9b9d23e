import type { Logger } from '../host/logger.ts'
import { createCircuitBreaker, type CircuitBreaker } from './circuit-breaker.ts'
import type { Store } from './contract.ts'
import { countIn, withDeadline, wrapCalls } from './deadline.ts'
import { createMetCorruptRecords, type StoreWithMemory } from './met-corrupt-records.ts'

/**
 * Gives every call to a store a timeout (`deadline.ts`) and a circuit breaker: both reject with ERR_STORE_UNAVAILABLE.
 * Writes of the durable view have a breaker of their own, because only these writes fail while replicas are missing.
 * Three methods have none: `ping` shows that the store is available again, `inspect` reports the problem, and
 * `subscribe` has its own connection and must start as soon as possible.
 */
export function createResilientStore(inner: Store, timeoutMs: number, logger: Logger) {
  const store = withDeadline(inner, timeoutMs, createMetCorruptRecords(logger))
  const probe = () => store.ping()
  const all = createCircuitBreaker({
    name: 'the store',
    probe,
    isProbeConclusive: true,
    onUnavailable: (error) =>
      logger.warn({ err: error }, 'the store is unavailable: calls fail at once until it answers'),
    onAvailable: () => logger.info({}, 'the store is available again'),
  })
  const durableWrites = createCircuitBreaker({
    name: 'the store, for durable writes,',
    probe,
    // A ping may be answered while the replicas are still missing.
    isProbeConclusive: false,
    outer: all,
  })
  const counters = createCircuitBreaker({
    name: 'the store, for counters,',
    probe,
    // A ping may be answered although the server rejects the counters: it is full, or a permission is missing.
    isProbeConclusive: false,
    outer: all,
  })
  return {
    store: {
      ...withBreakers(store, all, all),
      ...(store.count && {
        count: (...args: Parameters<NonNullable<Store['count']>>) => counters.run(() => countIn(store, args)),
      }),
      ...(store.durable && { durable: withBreakers(store.durable, all, durableWrites) }),
    },
    stop(): void {
      all.stop()
      durableWrites.stop()
      counters.stop()
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
