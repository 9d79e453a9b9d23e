import { inspect } from 'node:util'
import { afterEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { withDeadline } from '../../src/store/resilient-store.ts'

afterEach(() => void vi.useRealTimers())

/** For each method that reaches the database, the arguments of a call. */
const CALLS: {
  readonly [Method in Exclude<keyof Store, 'volatile' | 'durable' | 'close'>]: Parameters<
    NonNullable<Store[Method]>
  >
} = {
  get: ['a'],
  getMany: [['a', 'b']],
  set: ['a', '1', 10],
  create: ['a', '1', 10],
  replace: ['a', '1', '2', 10],
  delete: ['a'],
  add: ['index', 'a', 10],
  remove: ['index', 'a'],
  range: ['index', { after: 'a', limit: 10 }],
  publish: ['channel', 'hello'],
  subscribe: ['channel', () => {}, () => {}],
  count: ['a', 1, { slotSeconds: 1, slots: 2, claim: 0, max: 0 }],
  ping: [],
  inspect: [],
}
const METHODS = Object.entries(CALLS) as [keyof typeof CALLS, unknown[]][]

/** A store with the same implementation of every method. */
function everyMethod(work: (...args: unknown[]) => unknown): Store {
  return new Proxy(memoryStore(), { get: () => work })
}

function call(store: Store, method: keyof typeof CALLS): Promise<unknown> {
  return Reflect.apply(store[method] ?? (() => {}), store, CALLS[method]) as Promise<unknown>
}

it('every method passes its arguments and its answer on unchanged', async () => {
  for (const [method, args] of METHODS) {
    const work = vi.fn(async (..._args: unknown[]) =>
      method === 'subscribe' ? async () => {} : 'the answer',
    )
    const answer = await call(withDeadline(everyMethod(work), 1000), method)
    expect(work.mock.calls, method).toEqual([args])
    if (method !== 'subscribe') expect(answer, method).toBe('the answer')
  }
})

it('every method rejects with ERR_STORE_UNAVAILABLE if there is no answer in time', async () => {
  vi.useFakeTimers()
  const store = withDeadline(
    everyMethod(() => new Promise(() => {})),
    10,
  )
  const outcomes = Promise.allSettled(METHODS.map(([method]) => call(store, method)))
  await vi.advanceTimersByTimeAsync(11)
  const reason = { code: 'ERR_STORE_UNAVAILABLE', status: 503, headers: { 'Retry-After': '1' } }
  expect(await outcomes).toMatchObject(METHODS.map(() => ({ status: 'rejected', reason })))
})

it('every method rejects with ERR_STORE_UNAVAILABLE if the adapter throws or rejects with an unknown error', async () => {
  const failure = new Error('ECONNREFUSED')
  const throwing = () => {
    throw failure
  }
  for (const work of [() => Promise.reject(failure), throwing]) {
    const methods = METHODS.filter(([method]) => method !== 'subscribe' || work !== throwing)
    const store = withDeadline(everyMethod(work), 1000)
    const outcomes = await Promise.allSettled(methods.map(async ([method]) => call(store, method)))
    const reason = { code: 'ERR_STORE_UNAVAILABLE', cause: failure }
    expect(outcomes).toMatchObject(methods.map(() => ({ status: 'rejected', reason })))
  }
})

it('the error of a corrupt record names its key', async () => {
  const failure = new GatehouseError('ERR_STORE_CORRUPT', 'the value has another type')
  const store = withDeadline(
    everyMethod(() => Promise.reject(failure)),
    1000,
  )
  for (const call of [() => store.get('client:a'), () => store.add('client:a', 'b')]) {
    await expect(call()).rejects.toMatchObject({
      code: 'ERR_STORE_CORRUPT',
      message: 'the value has another type (key "client:a")',
      cause: failure,
    })
  }
})

it('the error of getMany() names the key of the corrupt record', async () => {
  const inner = memoryStore()
  const failure = new GatehouseError('ERR_STORE_CORRUPT', 'the value has another type')
  const store = withDeadline(
    {
      ...inner,
      get: (key) => (key === 'client:b' ? Promise.reject(failure) : inner.get(key)),
      getMany: (keys) => (keys.includes('client:b') ? Promise.reject(failure) : inner.getMany(keys)),
    },
    1000,
  )
  await expect(store.getMany(['client:a', 'client:b'])).rejects.toMatchObject({
    message: 'the value has another type (key "client:b")',
  })
  expect(await store.getMany(['client:a', 'client:c'])).toEqual([undefined, undefined])
})

it('a GatehouseError of the adapter is passed on unchanged', async () => {
  const failure = new GatehouseError('ERR_CLOSED', 'closed')
  const store = withDeadline(
    everyMethod(() => Promise.reject(failure)),
    1000,
  )
  await expect(store.get('a')).rejects.toBe(failure)
})

it('a rejection after the deadline is not an unhandled rejection', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  let fail: (error: Error) => void = () => {}
  const store = withDeadline(
    everyMethod(() => new Promise((_, reject) => (fail = reject))),
    5,
  )
  await expect(store.get('a')).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
  fail(new Error('late'))
  await new Promise((resolve) => setTimeout(resolve, 10))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

it('the error of a write without an answer quotes neither its key nor its value', async () => {
  const store = withDeadline(
    everyMethod(() => new Promise(() => {})),
    5,
  )
  const error = await store.set('session:abc', 'the-value').catch((caught: unknown) => caught)
  expect(inspect(error)).not.toMatch(/the-value|session:abc/)
})

it('a store with a deadline passes on close() and volatile of the inner store', async () => {
  const inner = memoryStore()
  const store = withDeadline(inner, 1000)
  expect(store.volatile).toBe(true)
  await store.close()
  await expect(inner.get('a')).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  await expect(store.get('a')).rejects.toMatchObject({ code: 'ERR_CLOSED' })
})

it('a subscription that becomes active after its deadline is cancelled', async () => {
  const inner = memoryStore()
  let activate: (() => void) | undefined
  let cancelled = 0
  const store = withDeadline(
    {
      ...inner,
      async subscribe(channel, listener) {
        const unsubscribe = await inner.subscribe(channel, listener)
        await new Promise<void>((resolve) => (activate = resolve))
        return async () => {
          cancelled += 1
          await unsubscribe()
        }
      },
    },
    10,
  )
  const received: string[] = []
  await expect(store.subscribe('channel', (message) => received.push(message))).rejects.toMatchObject({
    code: 'ERR_STORE_UNAVAILABLE',
  })
  activate?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(cancelled).toBe(1)
  await inner.publish('channel', 'too late')
  await new Promise((resolve) => setImmediate(resolve))
  expect(received).toEqual([])
})
