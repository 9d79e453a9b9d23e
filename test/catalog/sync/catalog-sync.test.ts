import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { faultyStore } from '../../support/faulty-store.ts'
import {
  createDatabase,
  createProcess,
  NEVER,
  productsNamed,
  startProcess,
  withoutMessages,
} from './processes.ts'

const RECORD = 'catalog:products'

const readRecord = async (store: Store) =>
  JSON.parse((await store.get(RECORD)) ?? '{}') as {
    epoch: number
    products: Record<string, string[]>
    withdrawn: { scope: string; below: number; until: number }[]
  }

/** A store that counts the reads of its catalog record. */
function watchReads(inner: Store) {
  let reads = 0
  const get: Store['get'] = (key) => {
    if (key === RECORD) reads += 1
    return inner.get(key)
  }
  /** Waits until the record was read several more times. */
  async function moreReads(): Promise<void> {
    const before = reads
    await vi.waitFor(() => expect(reads).toBeGreaterThan(before + 3))
  }
  return { store: { ...inner, get }, moreReads }
}

/** A store that runs a callback once, just before a record is replaced. */
function crossedStore(inner: Store) {
  let callback: (() => Promise<void>) | undefined
  const replace: Store['replace'] = async (...args) => {
    const calledNow = callback
    callback = undefined
    await calledNow?.()
    return inner.replace(...args)
  }
  return {
    store: { ...inner, replace },
    beforeNextWrite(next: () => Promise<void>) {
      callback = next
    },
  }
}

/** A store on which revocations cannot be written while `isDown`. */
function withoutRevocations(inner: Store) {
  const state = { isDown: true }
  const add: Store['add'] = async (index, ...rest) => {
    if (state.isDown && index.startsWith('revocations:')) throw new Error('down')
    return inner.add(index, ...rest)
  }
  return Object.assign(state, { store: { ...inner, add } })
}

afterEach(() => void vi.useRealTimers())

describe('a reload of the products', () => {
  it('a reload reaches every process by a message, and notifies the host once all new products are active', async () => {
    const [store, database] = [memoryStore(), createDatabase('a')]
    const [here, there] = [await startProcess(store, database.load), await startProcess(store, database.load)]
    database.products = productsNamed('a', 'b')
    await here.sync.reload()
    expect(here.ids()).toEqual(['a', 'b'])
    await vi.waitFor(() => expect(there.ids()).toEqual(['a', 'b']))
    for (const { onChanged } of [here, there])
      expect(onChanged.mock.calls.map(([{ products }]) => [...products.keys()])).toEqual([['a'], ['a', 'b']])
    // There is one load for each of the two starts, and one load in each process for the reload. A process
    // ignores its own message.
    expect(database.load).toHaveBeenCalledTimes(4)
  })

  it('a reload reaches other processes even if the operations stay the same, because titles and routes may differ', async () => {
    const [store, database] = [memoryStore(), createDatabase('a')]
    const [here, there] = [await startProcess(store, database.load), await startProcess(store, database.load)]
    database.products = { a: { ...database.products['a']!, title: 'New' } }
    await here.sync.reload()
    await vi.waitFor(() => expect(there.catalog.current.products.get('a')?.title).toBe('New'))
    expect(there.catalog.current.epoch).toBe(0)
  })

  it('a process finds a reload by polling if the message about the reload was lost', async () => {
    const [store, database] = [withoutMessages(memoryStore()), createDatabase('a')]
    const here = await startProcess(store, database.load)
    const there = await startProcess(store, database.load, { pollIntervalMs: 30 })
    database.products = productsNamed('a', 'b')
    await here.sync.reload()
    expect(there.ids()).toEqual(['a'])
    await vi.waitFor(() => expect(there.ids()).toEqual(['a', 'b']))
  })

  it.each([
    ['from a function', undefined, [['b'], ['a'], ['b']]],
    ['that never change', productsNamed('a'), [[], ['a'], []]],
  ])(
    'processes with products %s poll once a minute, and a stopped process does not poll',
    async (_, own, expected) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const [store, database] = [withoutMessages(memoryStore()), createDatabase('a')]
      const here = await startProcess(store, database.load)
      const get = vi.fn(store.get)
      const there = createProcess({ ...store, get }, own ?? database.load, { pollIntervalMs: 'default' })
      const leave = await there.start()
      for (const [reload, ids] of expected.entries()) {
        database.products = productsNamed(reload === 1 ? 'a' : 'b')
        await here.sync.reload()
        await vi.advanceTimersByTimeAsync(60_000)
        expect(there.ids()).toEqual(ids)
      }
      await leave()
      get.mockClear()
      await vi.advanceTimersByTimeAsync(600_000)
      expect(get).not.toHaveBeenCalled()
    },
  )

  it('a process polls after it lost the connection for messages', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a')]
    let reportMissed: () => void = () => expect.fail('no process subscribed')
    const store: Store = {
      ...withoutMessages(inner),
      subscribe(channel, listener, missed = () => {}) {
        if (channel === 'catalog') reportMissed = missed
        return inner.subscribe(channel, listener)
      },
    }
    const here = await startProcess(withoutMessages(inner), database.load)
    const there = await startProcess(store, database.load)
    database.products = productsNamed('b')
    await here.sync.reload()
    expect(there.ids()).toEqual(['a'])
    reportMissed()
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
  })

  it('a process whose load fails after a reload in another process retries, and then withdraws the removed operations', async () => {
    const [store, database] = [memoryStore(), createDatabase('a', 'b')]
    const here = await startProcess(store, database.load)
    let isDown = false
    const loadThere = async () => {
      if (isDown) throw new Error('connection refused')
      return database.load()
    }
    const there = await startProcess(store, loadThere, { pollIntervalMs: 30 })
    isDown = true
    database.products = productsNamed('b', 'c')
    await here.sync.reload()
    await vi.waitFor(() => expect(there.warn.mock.calls.length).toBeGreaterThan(1))
    expect(there.ids()).toEqual(['a', 'b'])
    isDown = false
    await vi.waitFor(() => expect(there.ids()).toEqual(['b', 'c']))
  })

  it('when two processes reload at the same time, the products that were read last from the database become active', async () => {
    const [inner, database] = [withoutMessages(memoryStore()), createDatabase('a')]
    const crossed = crossedStore(inner)
    const here = await startProcess(crossed.store, database.load, { pollIntervalMs: 30 })
    const there = await startProcess(inner, database.load)
    // After `here` has loaded the products and before it writes the record, the products change and `there`
    // writes the record.
    crossed.beforeNextWrite(async () => {
      database.products = productsNamed('b')
      await there.sync.reload()
    })
    await here.sync.reload()
    expect(here.ids()).toEqual(['b'])
  })

  it.each([
    ['ERR_CATALOG', { a: {} } as never],
    ['ERR_OPTIONS', productsNamed('api')],
  ])('an invalid reload (%s) notifies no process and is not retried', async (code, invalid) => {
    const [{ store, moreReads }, database] = [watchReads(memoryStore()), createDatabase('a')]
    const here = await startProcess(store, database.load, { pollIntervalMs: 5 })
    const before = await store.get(RECORD)
    const received: string[] = []
    await store.subscribe('catalog', (message) => received.push(message))
    database.products = invalid
    await expect(here.sync.reload()).rejects.toMatchObject({ code })
    database.load.mockClear()
    await moreReads()
    expect(database.load).not.toHaveBeenCalled()
    expect(await store.get(RECORD)).toBe(before)
    expect(received).toEqual([])
    expect(here.ids()).toEqual(['a'])
  })

  it('a reload whose message cannot be sent activates the products and throws, and the next poll sends the message', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a')]
    const faulty = faultyStore(inner)
    const here = await startProcess(faulty.store, database.load, { pollIntervalMs: 30 })
    const there = await startProcess(inner, database.load)
    database.products = productsNamed('b')
    faulty.arm('publish catalog', 'rejected')
    await expect(here.sync.reload()).rejects.toThrow('ECONNRESET')
    expect(here.ids()).toEqual(['b'])
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
  })

  it.each(['get catalog', 'replace catalog'])(
    'a reload whose call of the store fails (%s) rejects and withdraws removed operations in its process, and the next poll completes the reload',
    async (call) => {
      const [inner, database] = [memoryStore(), createDatabase('a', 'b')]
      const faulty = faultyStore(inner)
      const here = await startProcess(faulty.store, database.load, { pollIntervalMs: 30 })
      const there = await startProcess(inner, database.load)
      const old = there.issue()
      database.products = productsNamed('b', 'c')
      faulty.arm(call, 'rejected', { thenAway: true })
      await expect(here.sync.reload()).rejects.toThrow('ECONNRESET')
      // New operations become active only after they are in the record, because tokens with an unrecorded
      // operation could not be revoked.
      expect(here.ids()).toEqual(['b'])
      expect(there.ids()).toEqual(['a', 'b'])
      faulty.comeBack()
      await vi.waitFor(() => expect(there.ids()).toEqual(['b', 'c']))
      expect(here.ids()).toEqual(['b', 'c'])
      expect([here.rejects(old), there.rejects(old)]).toEqual([true, true])
    },
  )

  // Fixed bug: the products were loaded ten times a second.
  it.each(['get', 'replace'] as const)(
    'while %s() of the store fails, a pending reload loads the products once with each poll',
    async (method) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const [inner, database] = [memoryStore(), createDatabase('a')]
      const store = { ...inner }
      const here = await startProcess(store, database.load, { pollIntervalMs: 'default' })
      store[method] = async () => {
        throw new GatehouseError('ERR_STORE_UNAVAILABLE', 'out of memory')
      }
      database.products = productsNamed('b')
      await expect(here.sync.reload()).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
      database.load.mockClear()
      await inner.publish('catalog', 'another version')
      await vi.advanceTimersByTimeAsync(180_000)
      const loads = database.load.mock.calls.length
      expect(loads).toBeGreaterThanOrEqual(3)
      expect(loads).toBeLessThanOrEqual(5)
      Object.assign(store, inner)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(here.ids()).toEqual(['b'])
    },
  )

  it('a stopped process does not log that a poll failed', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a')]
    let reportMissed = () => {}
    const store: Store = {
      ...inner,
      subscribe(channel, listener, missed = () => {}) {
        reportMissed = missed
        return inner.subscribe(channel, listener)
      },
    }
    const here = await startProcess(store, database.load)
    await here.leave()
    store.get = async () => {
      throw new GatehouseError('ERR_CLOSED', 'the store has been closed')
    }
    reportMissed()
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(here.warn).not.toHaveBeenCalled()
  })
})

describe('an operation that is removed from a product', () => {
  it('removing an operation revokes its tokens in all processes, and tokens that are issued later are valid', async () => {
    const [store, database] = [memoryStore(), createDatabase('a:read+write', 'b')]
    const [here, there] = [await startProcess(store, database.load), await startProcess(store, database.load)]
    const [old, other] = [here.issue(), { ...here.issue(), scopes: ['a:read', 'b:read'] }]
    database.products = productsNamed('a', 'b')
    await here.sync.reload()
    await vi.waitFor(() => expect(there.scopes()).toEqual(['a:read', 'b:read']))
    for (const process of [here, there]) {
      expect(process.rejects(old)).toBe(true)
      expect(process.rejects(other)).toBe(false)
      expect(process.catalog.current.epoch).toBe(1)
      expect(process.rejects({ scopes: ['a:write'], epoch: 1 })).toBe(false)
    }
  })

  it('removing an operation from one product revokes the earlier tokens of clients that have the operation through another product, and new tokens of these clients are valid', async () => {
    const [store, database] = [memoryStore(), createDatabase('a:read+@x', 'b:@x')]
    const here = await startProcess(store, database.load)
    const old = here.issue()
    database.products = productsNamed('a', 'b:@x')
    await here.sync.reload()
    expect(here.rejects(old)).toBe(true)
    expect(here.issue()).toEqual({ scopes: ['a:read', 'x'], epoch: 1 })
    expect(here.rejects(here.issue())).toBe(false)
  })

  it('an operation that is added again does not restore old tokens, and can be removed again', async () => {
    const [store, database] = [memoryStore(), createDatabase('a', 'b')]
    const here = await startProcess(store, database.load)
    const first = here.issue()
    for (const products of [['b'], ['a', 'b']]) {
      database.products = productsNamed(...products)
      await here.sync.reload()
    }
    const second = here.issue()
    expect(second.epoch).toBe(1)
    expect([here.rejects(first), here.rejects(second)]).toEqual([true, false])
    database.products = productsNamed('b')
    await here.sync.reload()
    expect(here.rejects(second)).toBe(true)
    expect((await readRecord(store)).withdrawn).toMatchObject([{ scope: 'a:read', below: 2 }])
  })

  it('a withdrawn scope stays in the record for the longest token lifetime plus one day, and then the next reload deletes it', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
    const [store, database] = [memoryStore(), createDatabase('a', 'b')]
    const here = await startProcess(store, database.load, { tokenLifetime: 1000 })
    database.products = productsNamed('b')
    await here.sync.reload()
    expect((await readRecord(store)).withdrawn).toEqual([
      { scope: 'a:read', below: 1, until: 1_800_000_000 + 1000 + 86_400 },
    ])
    vi.setSystemTime(1_800_000_000_000 + (1000 + 86_400) * 1000)
    await here.sync.reload()
    expect(await readRecord(store)).toMatchObject({ epoch: 1, withdrawn: [] })
  })

  it('an operation is withdrawn when a process starts with a products object that lacks the operation', async () => {
    const store = memoryStore()
    const old = await startProcess(store, productsNamed('a', 'b'))
    const token = old.issue()
    const next = await startProcess(store, productsNamed('b', 'c'))
    expect(next.ids()).toEqual(['b', 'c'])
    expect(next.rejects(token)).toBe(true)
    await vi.waitFor(() => expect(old.ids()).toEqual(['b']))
    expect(old.rejects(token)).toBe(true)
    expect(old.rejects(old.issue())).toBe(false)
  })

  it('a process that still defines a removed operation withholds the operation, and logs one warning', async () => {
    const store = memoryStore()
    const watched = watchReads(store)
    const old = await startProcess(watched.store, productsNamed('a:read+write', 'b'), { pollIntervalMs: 5 })
    await startProcess(store, productsNamed('a', 'b'))
    await vi.waitFor(() => expect(old.scopes()).toEqual(['a:read', 'b:read']))
    expect(old.catalog.current.findOperation('GET', '/a/write')).toBeUndefined()
    expect(old.catalog.current.findOperation('GET', '/a/read')?.scope).toBe('a:read')
    // Another process starts without the operation, and polls continue. No second warning is logged.
    await startProcess(store, productsNamed('a', 'b', 'c'))
    await watched.moreReads()
    expect(old.warn.mock.calls).toEqual([
      [{ operations: ['a:write of a'] }, expect.stringContaining('not available any more')],
    ])
    expect(old.onChanged).toHaveBeenCalledTimes(1)
  })

  it('when a process that defines a removed operation starts, the operation is available again in every process that defines it', async () => {
    const store = memoryStore()
    const first = await startProcess(store, productsNamed('a', 'b'))
    const second = await startProcess(store, productsNamed('b'))
    await vi.waitFor(() => expect(first.ids()).toEqual(['b']))
    const rollback = await startProcess(store, productsNamed('a', 'b'))
    expect(rollback.ids()).toEqual(['a', 'b'])
    await vi.waitFor(() => expect(first.ids()).toEqual(['a', 'b']))
    expect(second.ids()).toEqual(['b'])
    expect(first.rejects(first.issue())).toBe(false)
  })

  it('a process that missed the message about the products learns of the change from the message about the revocation', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a:read+@x', 'b:@x')]
    const mute: Store = {
      ...inner,
      publish: async (channel, message) => {
        if (channel !== 'catalog') await inner.publish(channel, message)
      },
    }
    const [here, there] = [await startProcess(mute, database.load), await startProcess(mute, database.load)]
    database.products = productsNamed('a', 'b:@x')
    await here.sync.reload()
    await vi.waitFor(() => expect(there.catalog.current.epoch).toBe(1))
    expect(there.rejects(there.issue())).toBe(false)
  })
})

describe('a withdrawn scope that is not revoked yet', () => {
  it('a process revokes at its start the scopes that another process withdrew but could not revoke', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a', 'b')]
    const here = await startProcess(withoutRevocations(inner).store, database.load)
    const old = here.issue()
    database.products = productsNamed('b')
    await expect(here.sync.reload()).rejects.toThrow('down')
    await here.leave()
    const next = await startProcess(inner, database.load)
    expect(next.rejects(old)).toBe(true)
    const third = await startProcess(inner, database.load)
    expect(third.rejects(old)).toBe(true)
  })

  it('a process whose revocation failed writes the revocation again at its next poll', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a', 'b')]
    const faulty = withoutRevocations(inner)
    const here = await startProcess(faulty.store, database.load, { pollIntervalMs: 20 })
    const old = here.issue()
    database.products = productsNamed('b')
    await expect(here.sync.reload()).rejects.toThrow('down')
    expect(here.rejects(old)).toBe(true)
    faulty.isDown = false
    const gateway = createProcess(inner, productsNamed())
    const recent = async () => (await inner.range('revocations:buckets', { limit: 10 })).length
    await vi.waitFor(async () => expect(await recent()).toBe(1))
    onTestFinished(await gateway.start())
    expect(gateway.rejects(old)).toBe(true)
  })

  it('the revocation of a scope is not written again at each poll', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a', 'b')]
    const add = vi.fn(inner.add)
    const { store, moreReads } = watchReads({ ...inner, add })
    const here = await startProcess(store, database.load, { pollIntervalMs: 5 })
    const there = await startProcess(store, database.load, { pollIntervalMs: 5 })
    database.products = productsNamed('b')
    await here.sync.reload()
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
    const count = add.mock.calls.length
    expect(count).toBeGreaterThan(0)
    await moreReads()
    expect(add.mock.calls.length).toBe(count)
  })
})

describe('a store that has lost its last writes', () => {
  it('after a store lost its last writes, the record is written again, and new tokens are valid', async () => {
    const [store, database] = [memoryStore(), createDatabase('a:read+@x', 'b:@x')]
    const here = await startProcess(store, database.load, { pollIntervalMs: 20 })
    const lost = (await store.get(RECORD)) ?? ''
    database.products = productsNamed('a', 'b:@x')
    await here.sync.reload()
    await store.set(RECORD, lost)
    await vi.waitFor(async () => expect((await readRecord(store)).epoch).toBe(2))
    expect(here.rejects(here.issue())).toBe(false)
    await store.delete(RECORD)
    await vi.waitFor(async () =>
      expect(await readRecord(store)).toMatchObject({ epoch: 2, products: { a: ['a:read'], b: ['x'] } }),
    )
    expect(here.rejects(here.issue())).toBe(false)
  })

  it('after a store lost the record, operations that other processes withdrew stay withdrawn', async () => {
    const store = memoryStore()
    const old = await startProcess(store, productsNamed('a', 'b'), { pollIntervalMs: 20 })
    const next = await startProcess(store, productsNamed('b'))
    await vi.waitFor(() => expect(old.ids()).toEqual(['b']))
    await next.leave()
    await store.delete(RECORD)
    await vi.waitFor(async () =>
      expect(await readRecord(store)).toMatchObject({ epoch: 1, products: { b: ['b:read'] } }),
    )
  })
})

describe('products that never change', () => {
  it('products that are an object cost one read and one write at the first start, and one read at each later start and poll', async () => {
    const inner = memoryStore()
    const calls: string[] = []
    const store = new Proxy(inner, {
      get(target, method: keyof Store) {
        const member = target[method]
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          if (String(args[0]).startsWith('catalog')) calls.push(`${method} ${String(args[0])}`)
          return Reflect.apply(member, target, args) as unknown
        }
      },
    })
    await startProcess(store, productsNamed('a'))
    expect(calls).toEqual(['subscribe catalog', `get ${RECORD}`, `create ${RECORD}`, 'publish catalog'])
    calls.length = 0
    const here = await startProcess(store, productsNamed('a'), { pollIntervalMs: NEVER })
    await here.sync.reload()
    expect(calls).toEqual(['subscribe catalog', `get ${RECORD}`])
  })
})
