import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
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

/** A store that tells how often its record was looked at. */
function watchLooks(inner: Store) {
  let looks = 0
  const get: Store['get'] = (key) => {
    if (key === RECORD) looks += 1
    return inner.get(key)
  }
  /** Waits until somebody has looked several times more. */
  async function moreLooks(): Promise<void> {
    const before = looks
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before + 3))
  }
  return { store: { ...inner, get }, moreLooks }
}

/** A store in which something else happens just before the next record is written. */
function crossedStore(inner: Store) {
  let happening: (() => Promise<void>) | undefined
  const replace: Store['replace'] = async (...args) => {
    const happensNow = happening
    happening = undefined
    await happensNow?.()
    return inner.replace(...args)
  }
  return {
    store: { ...inner, replace },
    beforeNextWrite(happens: () => Promise<void>) {
      happening = happens
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
  it('reaches every process by a message', async () => {
    const [store, database] = [memoryStore(), createDatabase('a')]
    const [here, there] = [await startProcess(store, database.load), await startProcess(store, database.load)]
    database.products = productsNamed('a', 'b')
    await here.sync.reload()
    expect(here.ids()).toEqual(['a', 'b'])
    await vi.waitFor(() => expect(there.ids()).toEqual(['a', 'b']))
    // Twice to start, and once each for the reload: its own message is no news to the process that sent it.
    expect(database.load).toHaveBeenCalledTimes(4)
  })

  it('is told to the host in each process, once it is in force with all that is new', async () => {
    const [store, database] = [memoryStore(), createDatabase('a')]
    const [here, there] = [await startProcess(store, database.load), await startProcess(store, database.load)]
    database.products = productsNamed('b')
    await here.sync.reload()
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
    for (const { onChanged } of [here, there]) {
      expect(onChanged.mock.calls.map(([{ products }]) => [...products.keys()])).toEqual([['a'], ['b']])
    }
  })

  it('reaches others though the same is given as before: titles and routes may differ', async () => {
    const [store, database] = [memoryStore(), createDatabase('a')]
    const [here, there] = [await startProcess(store, database.load), await startProcess(store, database.load)]
    database.products = { a: { ...database.products['a']!, title: 'New' } }
    await here.sync.reload()
    await vi.waitFor(() => expect(there.catalog.current.products.get('a')?.title).toBe('New'))
    expect(there.catalog.current.epoch).toBe(0)
  })

  it('is not missed for ever where its message is lost', async () => {
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
  ])('is looked for once a minute with products %s, and not after the end', async (_, own, expected) => {
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
  })

  it('is looked for when the connection for messages was lost', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a')]
    let tellMissed: () => void = () => expect.fail('nobody asked to be told')
    const store: Store = {
      ...withoutMessages(inner),
      subscribe(channel, listener, missed = () => {}) {
        if (channel === 'catalog') tellMissed = missed
        return inner.subscribe(channel, listener)
      },
    }
    const here = await startProcess(withoutMessages(inner), database.load)
    const there = await startProcess(store, database.load)
    database.products = productsNamed('b')
    await here.sync.reload()
    expect(there.ids()).toEqual(['a'])
    tellMissed()
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
  })

  it('that another process could not follow is tried again, and what it withdrew is given there no more', async () => {
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

  it('that crosses another one hides it from nobody, though its own name comes last', async () => {
    const [inner, database] = [withoutMessages(memoryStore()), createDatabase('a')]
    const crossed = crossedStore(inner)
    const here = await startProcess(crossed.store, database.load, { pollIntervalMs: 30 })
    const there = await startProcess(inner, database.load)
    // After this process has loaded, and before it tells: the other one changes something, and tells first.
    crossed.beforeNextWrite(async () => {
      database.products = productsNamed('b')
      await there.sync.reload()
    })
    await here.sync.reload()
    expect(here.ids()).toEqual(['b'])
  })

  it('that crosses another one does not bring back what that one withdrew', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a', 'b')]
    const crossed = crossedStore(inner)
    const here = await startProcess(crossed.store, database.load)
    const there = await startProcess(inner, database.load)
    database.products = productsNamed('a', 'b', 'c')
    crossed.beforeNextWrite(async () => {
      database.products = productsNamed('a')
      await there.sync.reload()
    })
    await here.sync.reload()
    expect([here.ids(), there.ids()]).toEqual([['a'], ['a']])
    expect(await readRecord(inner)).toMatchObject({ epoch: 1, products: { a: ['a:read'] } })
  })

  it('that crosses one that gives the same is told without another load', async () => {
    const [inner, database] = [withoutMessages(memoryStore()), createDatabase('a')]
    const crossed = crossedStore(inner)
    const here = await startProcess(crossed.store, database.load)
    const there = await startProcess(inner, database.load)
    database.products = productsNamed('a', 'b')
    database.load.mockClear()
    crossed.beforeNextWrite(async () => {
      await there.sync.reload()
    })
    await here.sync.reload()
    expect(database.load).toHaveBeenCalledTimes(2)
    expect([here.ids(), there.ids()]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ])
  })

  it('by twenty processes at once is done for each of them', async () => {
    const [store, database] = [memoryStore(), createDatabase('a')]
    const processes = await Promise.all(Array.from({ length: 20 }, () => startProcess(store, database.load)))
    database.products = productsNamed('b')
    await Promise.all(processes.map(({ sync }) => sync.reload()))
    expect(processes.map(({ ids }) => ids())).toEqual(processes.map(() => ['b']))
    expect((await readRecord(store)).epoch).toBe(1)
  })

  it('between two attempts to start is not missed', async () => {
    const [store, database] = [withoutMessages(memoryStore()), createDatabase('a')]
    const here = await startProcess(store, database.load)
    const there = await startProcess(store, database.load)
    await there.leave()
    database.products = productsNamed('b')
    await here.sync.reload()
    onTestFinished(await there.sync.start())
    expect(there.ids()).toEqual(['b'])
  })

  it('that is invalid is told to nobody, and not tried again', async () => {
    const [{ store, moreLooks }, database] = [watchLooks(memoryStore()), createDatabase('a')]
    const here = await startProcess(store, database.load, { pollIntervalMs: 5 })
    const before = await store.get(RECORD)
    const heard: string[] = []
    await store.subscribe('catalog', (message) => heard.push(message))
    database.products = { a: {} } as never
    await expect(here.sync.reload()).rejects.toMatchObject({ code: 'ERR_CATALOG' })
    database.load.mockClear()
    await moreLooks()
    expect(database.load).not.toHaveBeenCalled()
    expect(await store.get(RECORD)).toBe(before)
    expect(heard).toEqual([])
    expect(here.ids()).toEqual(['a'])
  })

  it('is done though nobody can be told at once, and says so', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a')]
    const failing: Store = {
      ...inner,
      publish: (channel, message) =>
        channel === 'catalog' ? Promise.reject(new Error('down')) : inner.publish(channel, message),
    }
    const here = await startProcess(failing, database.load)
    here.warn.mockClear()
    const there = await startProcess(inner, database.load, { pollIntervalMs: 30 })
    database.products = productsNamed('b')
    await here.sync.reload()
    expect(here.warn).toHaveBeenCalledTimes(1)
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
  })

  it.each(['get catalog', 'replace catalog'])(
    'that the store did not hear of (%s) ends here what left, throws, and is finished by the next look',
    async (call) => {
      const [inner, database] = [memoryStore(), createDatabase('a', 'b')]
      const faulty = faultyStore(inner)
      const here = await startProcess(faulty.store, database.load, { pollIntervalMs: 30 })
      const there = await startProcess(inner, database.load)
      const old = there.issue()
      database.products = productsNamed('b', 'c')
      faulty.arm(call, 'rejected', { thenAway: true })
      await expect(here.sync.reload()).rejects.toThrow('ECONNRESET')
      // What is new waits until it is written, so that nobody has it whom nobody could take it from.
      expect(here.ids()).toEqual(['b'])
      expect(there.ids()).toEqual(['a', 'b'])
      faulty.comeBack()
      await vi.waitFor(() => expect(there.ids()).toEqual(['b', 'c']))
      expect(here.ids()).toEqual(['b', 'c'])
      expect([here.rejects(old), there.rejects(old)]).toEqual([true, true])
    },
  )
})

describe('an operation that leaves a product', () => {
  it('revokes the tokens that carry it, here and elsewhere, and none that is issued after it', async () => {
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

  it('takes all others with it where the whole product leaves', async () => {
    const [store, database] = [memoryStore(), createDatabase('a:read+write', 'b')]
    const here = await startProcess(store, database.load)
    database.products = productsNamed('b')
    await here.sync.reload()
    expect(here.rejects({ scopes: ['a:read'], epoch: 0 })).toBe(true)
    expect(here.rejects({ scopes: ['a:write'], epoch: 0 })).toBe(true)
    expect(here.rejects({ scopes: ['b:read'], epoch: 0 })).toBe(false)
  })

  it('revokes earlier tokens of those who have it through another product, who get new ones', async () => {
    const [store, database] = [memoryStore(), createDatabase('a:read+@x', 'b:@x')]
    const here = await startProcess(store, database.load)
    const old = here.issue()
    database.products = productsNamed('a', 'b:@x')
    await here.sync.reload()
    expect(here.rejects(old)).toBe(true)
    expect(here.issue()).toEqual({ scopes: ['a:read', 'x'], epoch: 1 })
    expect(here.rejects(here.issue())).toBe(false)
  })

  it('and comes back: tokens from before stay dead, new ones live, and it can leave again', async () => {
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

  it('is kept for a day longer than any token lives, and then forgotten at the next change', async () => {
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

  it('is found at the start of a process, whose products may be written in its program', async () => {
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

  it('is not given any more by a process that still has it, which says so once', async () => {
    const store = memoryStore()
    const watched = watchLooks(store)
    const old = await startProcess(watched.store, productsNamed('a:read+write', 'b'), { pollIntervalMs: 5 })
    await startProcess(store, productsNamed('a', 'b'))
    await vi.waitFor(() => expect(old.scopes()).toEqual(['a:read', 'b:read']))
    expect(old.catalog.current.findOperation('GET', '/a/write')).toBeUndefined()
    expect(old.catalog.current.findOperation('GET', '/a/read')?.scope).toBe('a:read')
    // Another one with the same products starts, and looks go on: no news.
    await startProcess(store, productsNamed('a', 'b', 'c'))
    await watched.moreLooks()
    expect(old.warn.mock.calls).toEqual([
      [{ operations: ['a:write of a'] }, expect.stringContaining('not available any more')],
    ])
    expect(old.onChanged).toHaveBeenCalledTimes(1)
  })

  it('is given again everywhere once a process starts that has it: who starts last decides', async () => {
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

  it('stays withdrawn though a process whose copy of the database is older follows', async () => {
    const [store, database] = [memoryStore(), createDatabase('a', 'b')]
    const replica = createDatabase('a', 'b')
    const here = await startProcess(store, database.load)
    const there = await startProcess(store, replica.load)
    database.products = productsNamed('b', 'c')
    await here.sync.reload()
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
    expect((await readRecord(store)).products).toEqual({ b: ['b:read'], c: ['c:read'] })
    expect(here.ids()).toEqual(['b', 'c'])
  })

  it('is heard of within the time of revocations, though the message about the products was lost', async () => {
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

describe('what was withdrawn and not revoked', () => {
  it('because the process ended in between is revoked by a process that starts', async () => {
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

  it('is revoked by another process at its look', async () => {
    const [inner, database] = [withoutMessages(memoryStore()), createDatabase('a', 'b')]
    const here = await startProcess(withoutRevocations(inner).store, database.load)
    const there = await startProcess(inner, database.load, { pollIntervalMs: 20 })
    const old = here.issue()
    database.products = productsNamed('b')
    await expect(here.sync.reload()).rejects.toThrow('down')
    await vi.waitFor(() => expect(there.rejects(old)).toBe(true))
  })

  it('is revoked by the same process at its next look, though it knows of it itself', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a', 'b')]
    const limping = withoutRevocations(inner)
    const here = await startProcess(limping.store, database.load, { pollIntervalMs: 20 })
    const old = here.issue()
    database.products = productsNamed('b')
    await expect(here.sync.reload()).rejects.toThrow('down')
    expect(here.rejects(old)).toBe(true)
    limping.isDown = false
    const gateway = createProcess(inner, productsNamed())
    const recent = async () => (await inner.range('revocations:buckets', { limit: 10 })).length
    await vi.waitFor(async () => expect(await recent()).toBe(1))
    onTestFinished(await gateway.start())
    expect(gateway.rejects(old)).toBe(true)
  })

  it('once revoked is not written again at each look', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a', 'b')]
    const add = vi.fn(inner.add)
    const { store, moreLooks } = watchLooks({ ...inner, add })
    const here = await startProcess(store, database.load, { pollIntervalMs: 5 })
    const there = await startProcess(store, database.load, { pollIntervalMs: 5 })
    database.products = productsNamed('b')
    await here.sync.reload()
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
    const count = add.mock.calls.length
    expect(count).toBeGreaterThan(0)
    await moreLooks()
    expect(add.mock.calls.length).toBe(count)
  })
})

describe('a store that has lost its last writes', () => {
  it('is told again, and no process issues dead tokens because its epoch fell', async () => {
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

  it('is not told what this process has in its program and others have withdrawn', async () => {
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
  it('cost the store one read and one write at the first start, a read at the next, and a read a look', async () => {
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
