import { inspect } from 'node:util'
import { expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { withDeadline } from '../../src/store/deadline.ts'

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

it.each(METHODS)('%s() passes its arguments and its answer on unchanged', async (method, args) => {
  const work = vi.fn(async (..._args: unknown[]) => (method === 'subscribe' ? async () => {} : 'the answer'))
  const answer = await call(withDeadline(everyMethod(work), 1000), method)
  expect(work.mock.calls).toEqual([args])
  if (method !== 'subscribe') expect(answer).toBe('the answer')
})

it.each(METHODS)('%s() rejects with ERR_STORE_UNAVAILABLE if there is no answer in time', async (method) => {
  const store = withDeadline(
    everyMethod(() => new Promise(() => {})),
    10,
  )
  const start = performance.now()
  await expect(call(store, method)).rejects.toMatchObject({
    code: 'ERR_STORE_UNAVAILABLE',
    status: 503,
    headers: { 'Retry-After': '1' },
  })
  expect(performance.now() - start).toBeLessThan(500)
})

it.each(METHODS)(
  '%s() rejects with ERR_STORE_UNAVAILABLE if the adapter throws or rejects with an unknown error',
  async (method) => {
    const failure = new Error('ECONNREFUSED')
    const rejecting = withDeadline(
      everyMethod(() => Promise.reject(failure)),
      1000,
    )
    await expect(call(rejecting, method)).rejects.toMatchObject({
      code: 'ERR_STORE_UNAVAILABLE',
      cause: failure,
    })
    if (method === 'subscribe') return
    const throwing = withDeadline(
      everyMethod(() => {
        throw failure
      }),
      1000,
    )
    await expect(call(throwing, method)).rejects.toMatchObject({
      code: 'ERR_STORE_UNAVAILABLE',
      cause: failure,
    })
  },
)

it('the error of a corrupt record names its key', async () => {
  const failure = new GatehouseError('ERR_STORE_CORRUPT', 'the value has another type')
  const store = withDeadline(
    everyMethod(() => Promise.reject(failure)),
    1000,
  )
  for (const call of [store.get('client:a'), store.add('client:a', 'b')]) {
    await expect(call).rejects.toMatchObject({
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
