import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { CircuitOpenError } from '../../src/store/circuit-breaker.ts'
import { createResilientStore } from '../../src/store/resilient-store.ts'
import { silentLogger } from '../../src/host/logger.ts'

const TIMEOUT_MS = 1000

const READS = {
  get: (store: Store) => store.get('a'),
  getMany: (store: Store) => store.getMany(['a', 'b']),
  range: (store: Store) => store.range('index', { limit: 10 }),
  publish: (store: Store) => store.publish('channel', 'hello'),
}
const WRITES = {
  set: (store: Store) => store.set('a', '1', 10),
  create: (store: Store) => store.create('a', '1', 10),
  replace: (store: Store) => store.replace('a', '1', '2', 10),
  delete: (store: Store) => store.delete('a'),
  add: (store: Store) => store.add('index', 'a', 10),
  remove: (store: Store) => store.remove('index', 'a'),
}
const WITHOUT_BREAKER = {
  ping: (store: Store) => store.ping(),
  inspect: async (store: Store) => store.inspect?.(),
  subscribe: (store: Store) => store.subscribe('channel', () => {}),
}
const ALL = { ...READS, ...WRITES }

/** Creates a database that can be unavailable, or lack its replicas. */
function database() {
  const state = { isUnavailable: false, lacksReplicas: false }
  const calls: string[] = []
  const view = (isDurable: boolean): Store =>
    new Proxy<Store>(memoryStore(), {
      get(target, name: keyof Store) {
        if (name === 'durable') return isDurable ? undefined : view(true)
        if (name === 'inspect') return async () => ({ checks: [] })
        const method = target[name]
        if (typeof method !== 'function') return method
        return async (...args: unknown[]) => {
          calls.push(name)
          if (state.isUnavailable) throw new Error('ECONNREFUSED')
          const answer: unknown = await Reflect.apply(method, target, args)
          if (isDurable && state.lacksReplicas && name in WRITES) throw new Error('too few replicas')
          return answer
        }
      },
    })
  return { state, calls, store: view(false) }
}

let db: ReturnType<typeof database>
let store: Store
let durable: Store
let logger: typeof silentLogger
beforeEach(() => {
  vi.useFakeTimers()
  open()
})

function open(): void {
  db = database()
  logger = { ...silentLogger, warn: vi.fn(), info: vi.fn() }
  ;({ store } = createResilientStore(db.store, TIMEOUT_MS, logger))
  durable = store.durable ?? store
}
afterEach(() => {
  vi.useRealTimers()
})

const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof CircuitOpenError ? 'rejected' : 'failed'),
  )

async function fail(call: (store: Store) => Promise<unknown>, on: Store): Promise<void> {
  for (let n = 0; n < 5; n += 1) expect(await outcome(call(on))).toBe('failed')
}

it('failures of any method open the circuit, and then every method fails at once, also on the durable view', async () => {
  for (const [name, failing] of Object.entries(ALL)) {
    open()
    db.state.isUnavailable = true
    await fail(failing, store)
    db.calls.length = 0
    for (const call of Object.values(ALL)) {
      for (const view of [store, durable]) expect(await outcome(call(view)), name).toBe('rejected')
    }
    expect(db.calls.filter((each) => each !== 'ping')).toEqual([])
  }
})

it('ping(), inspect() and subscribe() always reach the store, and their failures do not open the circuit', async () => {
  for (const call of Object.values(WITHOUT_BREAKER)) {
    open()
    db.state.isUnavailable = true
    for (let n = 0; n < 10; n += 1) await outcome(call(store))
    await fail(READS.get, store)
    expect(await outcome(store.get('a'))).toBe('rejected')
    expect(await outcome(call(store))).not.toBe('rejected')
    db.state.isUnavailable = false
    expect(await outcome(call(store))).toBe('answered')
  }
})

it('an answered ping() closes the circuit', async () => {
  db.state.isUnavailable = true
  await fail(READS.get, store)
  await vi.advanceTimersByTimeAsync(10)
  db.state.isUnavailable = false
  expect(await outcome(store.get('a'))).toBe('rejected')
  await store.ping()
  expect(await outcome(store.get('a'))).toBe('answered')
})

// Fixed bug: the subscriber could not read what it had missed before the next probe.
it('when a subscription is restored, the circuit closes before the subscriber reads what it missed', async () => {
  let restore: () => void = () => {}
  vi.spyOn(db.store, 'subscribe').mockImplementation(async (_channel, _listener, missed) => {
    restore = missed ?? restore
    return async () => {}
  })
  const outcomes: Promise<string>[] = []
  await store.subscribe(
    'channel',
    () => {},
    () => outcomes.push(outcome(store.get('a'))),
  )
  db.state.isUnavailable = true
  await fail(READS.get, store)
  await vi.advanceTimersByTimeAsync(10)
  restore()
  await vi.advanceTimersByTimeAsync(0)
  db.state.isUnavailable = false
  restore()
  await vi.advanceTimersByTimeAsync(0)
  expect(await Promise.all(outcomes)).toEqual(['rejected', 'answered'])
})

it('the log reports once that the store is unavailable, and once that it is available again', async () => {
  db.state.isUnavailable = true
  await fail(READS.get, store)
  await vi.advanceTimersByTimeAsync(10)
  expect(logger.warn).toHaveBeenCalledTimes(1)
  db.state.isUnavailable = false
  await vi.advanceTimersByTimeAsync(250)
  expect(await outcome(store.get('a'))).toBe('answered')
  expect(logger.info).toHaveBeenCalledTimes(1)
})

it('missing replicas open the circuit only for writes of the durable view', async () => {
  db.state.lacksReplicas = true
  await fail(WRITES.set, durable)
  for (const call of Object.values(WRITES)) expect(await outcome(call(durable))).toBe('rejected')
  for (const call of Object.values(READS)) expect(await outcome(call(durable))).toBe('answered')
  for (const call of Object.values(ALL)) expect(await outcome(call(store))).toBe('answered')

  await vi.advanceTimersByTimeAsync(250)
  // The store answers, but replicas are still missing.
  expect(await outcome(durable.set('a', '1'))).toBe('failed')
  expect(await outcome(durable.set('a', '1'))).toBe('rejected')
  db.state.lacksReplicas = false
  await vi.advanceTimersByTimeAsync(500)
  for (const call of Object.values(WRITES)) expect(await outcome(call(durable))).toBe('answered')
})

it('an answered durable write resets the number of failures in a row', async () => {
  for (let n = 0; n < 4; n += 1) {
    db.state.isUnavailable = true
    for (let failures = 0; failures < 4; failures += 1) expect(await outcome(store.get('a'))).toBe('failed')
    db.state.isUnavailable = false
    expect(await outcome(durable.set('a', '1'))).toBe('answered')
  }
})

it('when a store stops answering, 300 pending calls end at their timeout, and no further calls are made', async () => {
  const never = vi.fn(() => new Promise<never>(() => {}))
  const { store: frozen, stop } = createResilientStore(
    { ...memoryStore(), get: never, ping: never },
    TIMEOUT_MS,
    logger,
  )
  const calls = Promise.all(Array.from({ length: 300 }, () => outcome(frozen.get('a'))))
  await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 1)
  expect(new Set(await calls)).toEqual(new Set(['failed']))
  for (let n = 0; n < 300; n += 1) expect(await outcome(frozen.get('a'))).toBe('rejected')
  // No call leaves a timer. One timer is the timeout of the probe; other suites of this worker may have made a few.
  expect(vi.getTimerCount()).toBeLessThan(20)
  expect(never).toHaveBeenCalledTimes(301)
  stop()
})

it('a resilient store has a durable view only if the inner store has one, and rejects with the GatehouseError of the inner store', async () => {
  const failure = new GatehouseError('ERR_CLOSED', 'closed')
  const { store: plain } = createResilientStore(
    { ...memoryStore(), get: () => Promise.reject(failure) },
    TIMEOUT_MS,
    logger,
  )
  expect(plain.durable).toBeUndefined()
  expect(plain.inspect).toBeUndefined()
  expect(plain.volatile).toBe(true)
  await expect(plain.get('a')).rejects.toBe(failure)
})
