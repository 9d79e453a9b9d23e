import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { CircuitOpenError } from '../../src/store/circuit-breaker.ts'
import { createResilientStore } from '../../src/store/resilient-store.ts'
import { silentLogger } from '../../src/host/logger.ts'

/** Milliseconds. */
const DEADLINE = 1000

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
const NEVER_CUT_OFF = {
  ping: (store: Store) => store.ping(),
  inspect: async (store: Store) => store.inspect?.(),
  subscribe: (store: Store) => store.subscribe('channel', () => {}),
}
const ALL = { ...READS, ...WRITES }

/** A database of which all, or only the replicas, can be away. */
function database() {
  const state = { isAway: false, lacksReplicas: false }
  const handed: string[] = []
  const view = (isDurable: boolean): Store =>
    new Proxy<Store>(memoryStore(), {
      get(target, name: keyof Store) {
        if (name === 'durable') return isDurable ? undefined : view(true)
        if (name === 'inspect') return async () => ({ checks: [] })
        const method = target[name]
        if (typeof method !== 'function') return method
        return async (...args: unknown[]) => {
          handed.push(name)
          if (state.isAway) throw new Error('ECONNREFUSED')
          const answer: unknown = await Reflect.apply(method, target, args)
          if (isDurable && state.lacksReplicas && name in WRITES) throw new Error('too few replicas')
          return answer
        }
      },
    })
  return { state, handed, store: view(false) }
}

let db: ReturnType<typeof database>
let store: Store
let durable: Store
let logger: typeof silentLogger
beforeEach(() => {
  vi.useFakeTimers()
  db = database()
  logger = { ...silentLogger, warn: vi.fn(), info: vi.fn() }
  ;({ store } = createResilientStore(db.store, DEADLINE, logger))
  durable = store.durable ?? store
})
afterEach(() => {
  vi.useRealTimers()
})

const outcome = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof CircuitOpenError ? 'cut off' : 'failed'),
  )

async function fail(call: (store: Store) => Promise<unknown>, on: Store): Promise<void> {
  for (let n = 0; n < 5; n += 1) expect(await outcome(call(on))).toBe('failed')
}

test.each(Object.entries(ALL))('%s is cut off while the store is away, on both views', async (_, call) => {
  db.state.isAway = true
  await fail(READS.get, store)
  db.handed.length = 0
  expect(await outcome(call(store))).toBe('cut off')
  expect(await outcome(call(durable))).toBe('cut off')
  expect(db.handed.filter((name) => name !== 'ping')).toEqual([])
})

test.each(Object.entries(ALL))('%s that fails counts', async (_, call) => {
  db.state.isAway = true
  await fail(call, store)
  expect(await outcome(store.get('a'))).toBe('cut off')
})

test.each(Object.entries(NEVER_CUT_OFF))('%s is never cut off, and does not count', async (_, call) => {
  db.state.isAway = true
  for (let n = 0; n < 10; n += 1) await outcome(call(store))
  await fail(READS.get, store)
  expect(await outcome(store.get('a'))).toBe('cut off')
  expect(await outcome(call(store))).not.toBe('cut off')
  db.state.isAway = false
  expect(await outcome(call(store))).toBe('answered')
})

test('a ping of anybody that is answered lets all calls through', async () => {
  db.state.isAway = true
  await fail(READS.get, store)
  await vi.advanceTimersByTimeAsync(10)
  db.state.isAway = false
  expect(await outcome(store.get('a'))).toBe('cut off')
  await store.ping()
  expect(await outcome(store.get('a'))).toBe('answered')
})

test('the store is back by itself, and the log says so', async () => {
  db.state.isAway = true
  await fail(READS.get, store)
  await vi.advanceTimersByTimeAsync(10)
  expect(logger.warn).toHaveBeenCalledTimes(1)
  db.state.isAway = false
  await vi.advanceTimersByTimeAsync(250)
  expect(await outcome(store.get('a'))).toBe('answered')
  expect(logger.info).toHaveBeenCalledTimes(1)
})

test('lacking replicas cut off writes of the durable view, and nothing else', async () => {
  db.state.lacksReplicas = true
  await fail(WRITES.set, durable)
  for (const call of Object.values(WRITES)) expect(await outcome(call(durable))).toBe('cut off')
  for (const call of Object.values(READS)) expect(await outcome(call(durable))).toBe('answered')
  for (const call of Object.values(ALL)) expect(await outcome(call(store))).toBe('answered')

  await vi.advanceTimersByTimeAsync(250)
  // It answers, but replicas are still lacking.
  expect(await outcome(durable.set('a', '1'))).toBe('failed')
  expect(await outcome(durable.set('a', '1'))).toBe('cut off')
  db.state.lacksReplicas = false
  await vi.advanceTimersByTimeAsync(500)
  for (const call of Object.values(WRITES)) expect(await outcome(call(durable))).toBe('answered')
})

test('a durable write that is answered shows that the store is there', async () => {
  for (let n = 0; n < 4; n += 1) {
    db.state.isAway = true
    for (let failures = 0; failures < 4; failures += 1) expect(await outcome(store.get('a'))).toBe('failed')
    db.state.isAway = false
    expect(await outcome(durable.set('a', '1'))).toBe('answered')
  }
})

test('1,000 calls as it stops answering: each ends by its deadline, and none is made after that', async () => {
  const never = vi.fn(() => new Promise<never>(() => {}))
  const { store: frozen, stop } = createResilientStore(
    { ...memoryStore(), get: never, ping: never },
    DEADLINE,
    logger,
  )
  const calls = Promise.all(Array.from({ length: 1000 }, () => outcome(frozen.get('a'))))
  await vi.advanceTimersByTimeAsync(DEADLINE)
  expect(new Set(await calls)).toEqual(new Set(['failed']))
  for (let n = 0; n < 1000; n += 1) expect(await outcome(frozen.get('a'))).toBe('cut off')
  // Of the calls nothing is left: what remains is the deadline of the probe.
  expect(vi.getTimerCount()).toBe(1)
  expect(never).toHaveBeenCalledTimes(1001)
  stop()
})

test('without a durable view there is none, and an error of ours goes through', async () => {
  const failure = new GatehouseError('ERR_CLOSED', 'closed')
  const { store: plain } = createResilientStore(
    { ...memoryStore(), get: () => Promise.reject(failure) },
    DEADLINE,
    logger,
  )
  expect(plain.durable).toBeUndefined()
  expect(plain.inspect).toBeUndefined()
  expect(plain.volatile).toBe(true)
  await expect(plain.get('a')).rejects.toBe(failure)
})
