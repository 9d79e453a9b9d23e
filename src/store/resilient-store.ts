import type { Logger } from '../host/logger.ts'
import { createCircuitBreaker, type CircuitBreaker } from './circuit-breaker.ts'
import type { Store } from './contract.ts'
import { withDeadline } from './deadline.ts'

/** A store that costs a request a bounded time, whatever state the database is in. */
export interface ResilientStore {
  readonly store: Store
  /** Stops looking whether the database is back. */
  stop(): void
}

/**
 * Puts a deadline on every call to a store (`deadline.ts`), and cuts calls off while it is away (`breaker.ts`): both
 * reject with ERR_STORE_UNAVAILABLE.
 *
 * Writes of the durable view are cut off by themselves too, where it is replicas that are lacking; reads go on then.
 * Not cut off are `ping`, by which it is seen that the store is back; `inspect`, which is asked what is wrong; and
 * `subscribe`, which goes over a connection of its own, is asked by no request, and must not come late once the store
 * is back.
 *
 * @param timeoutMs milliseconds that a call may take
 * @param logger told when the store is away, and when it is back
 */
export function createResilientStore(inner: Store, timeoutMs: number, logger: Logger): ResilientStore {
  const store = withDeadline(inner, timeoutMs)
  const probe = () => store.ping()
  const all = createCircuitBreaker({
    what: 'the store',
    probe,
    isConclusive: true,
    onAway: (error) => logger.warn({ err: error }, 'the store is away: calls fail at once until it is back'),
    onBack: () => logger.info({}, 'the store is back'),
  })
  const durably = createCircuitBreaker({
    what: 'the store, for what must not be lost with a server,',
    probe,
    // It answers while the replicas are still away.
    isConclusive: false,
    outer: all,
  })
  return {
    store: {
      ...through(store, { reads: all, writes: all }),
      ...(store.durable && { durable: through(store.durable, { reads: all, writes: durably }) }),
    },
    stop() {
      all.stop()
      durably.stop()
    },
  }
}

function through(store: Store, { reads, writes }: { reads: CircuitBreaker; writes: CircuitBreaker }): Store {
  return {
    volatile: store.volatile,
    get: (key) => reads.run(() => store.get(key)),
    getMany: (keys) => reads.run(() => store.getMany(keys)),
    range: (index, options) => reads.run(() => store.range(index, options)),
    set: (key, value, ttl) => writes.run(() => store.set(key, value, ttl)),
    create: (key, value, ttl) => writes.run(() => store.create(key, value, ttl)),
    replace: (key, expected, value, ttl) => writes.run(() => store.replace(key, expected, value, ttl)),
    delete: (key) => writes.run(() => store.delete(key)),
    add: (index, member, ttl) => writes.run(() => store.add(index, member, ttl)),
    remove: (index, member) => writes.run(() => store.remove(index, member)),
    // A message waits for no replicas.
    publish: (channel, message) => reads.run(() => store.publish(channel, message)),
    subscribe: (channel, listener, missed) => store.subscribe(channel, listener, missed),
    async ping() {
      await store.ping()
      reads.answered()
    },
    ...(store.inspect && { inspect: async () => store.inspect?.() ?? { checks: [] } }),
    close: () => store.close(),
  }
}
