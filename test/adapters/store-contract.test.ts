import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from '../../src/store/contract.ts'
import { storeContract } from '../../src/testing/store-contract.ts'
import { faultyConnections, type Connection, type FaultyConnection } from './broken-connections.ts'
import { brokenDurability, storesWithReplica } from './broken-durability.ts'
import { brokenMessages } from './broken-messages.ts'
import type { BrokenStore } from './broken-store.ts'
import { brokenStores } from './broken-stores.ts'

const elapse = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000)

/** Finds the only case of the contract suite whose name begins with `beginning`. */
function caseNamed(beginning: string, createStore: () => Store) {
  const found = storeContract({ createStore, elapse }).filter((one) => one.name.startsWith(beginning))
  expect(found, `cases called "${beginning}…"`).toHaveLength(1)
  return found[0]!
}

/**
 * Runs the case that must notice the broken store. With 'durable' as `view`, only the member `durable` of the
 * store is broken. Returns the error of the case, or 'not noticed'.
 */
async function errorOf({ methods, noticedBy, connected }: BrokenStore, view?: 'durable'): Promise<unknown> {
  const shared = memoryStore()
  const createBroken = () => {
    const store = connected ? connectionTo(shared) : memoryStore()
    const broken = { ...store, ...methods(store) }
    return view === 'durable' ? { ...store, durable: broken } : broken
  }
  try {
    await caseNamed(noticedBy, createBroken).run()
    return 'not noticed'
  } catch (error) {
    return error
  }
}

const expected = ({ message }: BrokenStore, view?: 'durable') => {
  if (view === undefined) return message ? { message } : { code: 'ERR_ASSERTION' }
  const durableMessage = expect.stringMatching(`^through durable: .*${message ?? ''}`)
  return message ? { message: durableMessage } : { code: 'ERR_ASSERTION', message: durableMessage }
}

/** Opens another connection to the database behind `shared`. */
function connectionTo(shared: Store): Store {
  let closed = false
  const open = async () => {
    if (closed) throw new Error('closed')
  }
  const connection: Store = { ...shared, volatile: false }
  for (const method of ['get', 'set', 'create', 'publish', 'subscribe'] as const) {
    const call = shared[method] as (...args: unknown[]) => Promise<unknown>
    Object.assign(connection, { [method]: (...args: unknown[]) => open().then(() => call(...args)) })
  }
  connection.close = async () => void (closed = true)
  return connection
}

/**
 * Whether the contract suite also runs a case on the durable view of a store. It does so for all cases except
 * the cases about a store as a whole, for example about closing a store.
 */
const isDurableToo = (name: string) =>
  !/^(after close|close|closing|calls that|ping|volatile|inspect)/.test(name)

/** So many times as fast passes the time of the suite: on most broken stores it waits until the end of a timeout. */
const SPEED = 5

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const [now, delay] = [performance.now.bind(performance), timers.setTimeout]
  vi.spyOn(performance, 'now').mockImplementation(() => now() * SPEED)
  vi.spyOn(timers, 'setTimeout').mockImplementation((ms, ...rest) => delay((ms ?? 0) / SPEED, ...rest))
  // The suite imports the function by its name.
  syncBuiltinESMExports()
})
afterAll(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  vi.useRealTimers()
})

describe('the contract suite on broken stores', () => {
  it('the contract suite notices every broken promise, also if only the `durable` view breaks it', async () => {
    for (const broken of brokenStores) {
      expect(await errorOf(broken), broken.breaks).toMatchObject(expected(broken))
      if (!isDurableToo(broken.noticedBy)) continue
      expect(await errorOf(broken, 'durable'), broken.breaks).toMatchObject(expected(broken, 'durable'))
    }
  })

  it('the contract suite notices every fault in the delivery of messages', async () => {
    // All cases run at the same time, because most cases wait some seconds until they report a missing
    // message.
    const outcomes = await Promise.all(
      brokenMessages.map((broken) =>
        Promise.all([errorOf(broken), isDurableToo(broken.noticedBy) && errorOf(broken, 'durable')]),
      ),
    )
    for (const [position, broken] of brokenMessages.entries()) {
      const [outcome, durableOutcome] = outcomes[position] ?? []
      expect(outcome, broken.breaks).toMatchObject(expected(broken))
      if (durableOutcome !== false)
        expect(durableOutcome, broken.breaks).toMatchObject(expected(broken, 'durable'))
    }
  })

  it('the contract suite notices that two stores use different databases', async () => {
    const shared = memoryStore()
    const name = 'set stores any text unchanged'
    await caseNamed(name, () => connectionTo(shared)).run()
    await expect(caseNamed(name, () => connectionTo(memoryStore())).run()).rejects.toMatchObject({
      code: 'ERR_ASSERTION',
    })
  })

  it('the contract suite notices that closing one store closes the other stores', async () => {
    const shared = memoryStore()
    const name = 'closing one store does not affect other stores on the same database'
    await caseNamed(name, () => connectionTo(shared)).run()
    await expect(caseNamed(name, () => ({ ...shared, volatile: false })).run()).rejects.toMatchObject({
      code: 'ERR_CLOSED',
    })
  })
})

/**
 * Creates stores on one database. The test can cut the connection of each store. `methods` replaces some
 * methods of each store.
 */
function createCuttable(methods: FaultyConnection['methods'] = () => ({})) {
  const database = memoryStore()
  const connections = new WeakMap<Store, Connection>()
  const createStore = () => {
    const connection: Connection = { cut: false, losses: 0 }
    const intact = connectionTo(database)
    const rejecting = new Proxy(intact, {
      get(target, method: keyof Store) {
        const member = target[method]
        if (typeof member !== 'function' || method === 'close') return member
        return async (...args: unknown[]): Promise<unknown> => {
          if (connection.cut) throw new Error('the connection is lost')
          if (method !== 'subscribe') return Reflect.apply(member, target, args)
          const [channel, listener] = args as [string, (message: string) => void]
          return target.subscribe(channel, (message) => (connection.cut ? undefined : listener(message)))
        }
      },
    })
    const faults: Partial<Store> = methods(rejecting, connection)
    const store = new Proxy(rejecting, {
      get: (target, method: keyof Store) => (method in faults ? faults[method] : target[method]),
    })
    connections.set(store, connection)
    return store
  }
  const breakConnection = (store: Store) => {
    const connection = connections.get(store)!
    connection.cut = true
    connection.losses += 1
    return () => void (connection.cut = false)
  }
  return { createStore, elapse, breakConnection }
}

describe('the contract suite with breakConnection', () => {
  const furtherCases = (options: Parameters<typeof storeContract>[0]) =>
    storeContract(options).filter(({ name }) => /^(without its database|once its database)/.test(name))

  it('with breakConnection, the contract suite has three additional cases, which an intact store passes', async () => {
    const cases = furtherCases(createCuttable())
    expect(cases).toHaveLength(3)
    for (const { run } of cases) await run()
    expect(furtherCases({ createStore: memoryStore, elapse })).toEqual([])
  })

  it('the contract suite notices every fault of a cut connection', async () => {
    const outcomes = await Promise.all(
      faultyConnections.map(async ({ methods, noticedBy, overrides = {} }) => {
        const found = furtherCases({ ...createCuttable(methods), ...overrides }).filter(({ name }) =>
          name.startsWith(noticedBy),
        )
        expect(found).toHaveLength(1)
        return found[0]!.run().then(
          () => 'not noticed',
          (error: unknown) => error,
        )
      }),
    )
    for (const [position, { breaks, message }] of faultyConnections.entries()) {
      expect(outcomes[position], breaks).toMatchObject({
        code: 'ERR_ASSERTION',
        message: expect.stringContaining(message),
      })
    }
  })
})

describe('the contract suite with stopReplication', () => {
  const runCase = async (stores: ReturnType<typeof storesWithReplica>) => {
    const cases = storeContract({ ...stores, elapse }).filter(({ name }) =>
      name.startsWith('without its replicas'),
    )
    expect(cases).toHaveLength(1)
    await cases[0]!.run()
  }

  it('with stopReplication, the contract suite has an additional case, which an intact durable view passes', async () => {
    await runCase(storesWithReplica())
    const names = storeContract({ createStore: memoryStore, elapse }).map(({ name }) => name)
    expect(names.filter((name) => name.includes('replicas'))).toEqual([])
  })

  it('the contract suite notices every durable write that does not wait for replicas', async () => {
    for (const { breaks, methods, message } of brokenDurability) {
      await expect(runCase(storesWithReplica(methods)), breaks).rejects.toMatchObject({
        code: 'ERR_ASSERTION',
        message: expect.stringContaining(message),
      })
    }
  })

  it('the contract suite notices that a store has no durable view', async () => {
    const stores = { ...storesWithReplica(), createStore: memoryStore }
    await expect(runCase(stores)).rejects.toMatchObject({
      message: expect.stringContaining('the store has no durable view'),
    })
  })

  it('the contract suite notices that stopReplication stops nothing', async () => {
    await expect(runCase({ ...storesWithReplica(), stopReplication: () => () => {} })).rejects.toMatchObject({
      message: expect.stringContaining('set has resolved although no replica has it'),
    })
  })
})

/**
 * A database that records each name that is written: keys, indexes and channels. Each store on the database
 * is closed separately.
 */
function createDatabase() {
  const database = memoryStore()
  const written = new Set<string>()
  const createStore = (): Store => {
    let closed = false
    const endings: (() => Promise<void>)[] = []
    return new Proxy(database, {
      get(target, method: keyof Store) {
        if (method === 'volatile') return false
        if (typeof target[method] !== 'function') return target[method]
        if (method === 'close') {
          return async () => {
            closed = true
            await Promise.all(endings.map((end) => end()))
          }
        }
        return async (...args: unknown[]) => {
          if (closed) throw new Error('closed')
          if (['set', 'create', 'add', 'publish'].includes(method)) written.add(String(args[0]))
          const answer: unknown = await Reflect.apply(target[method] as () => unknown, target, args)
          if (method === 'subscribe') endings.push(answer as () => Promise<void>)
          return answer
        }
      },
    })
  }
  return { database, written, createStore }
}

describe('the contract suite on a database with other data', () => {
  const foreign = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'contract:a', 'client:1']

  it('the contract suite changes only its own data, and deletes its own data at the end', async () => {
    const { database, written, createStore } = createDatabase()
    for (const name of foreign) {
      await database.set(name, 'foreign')
      await database.add(`index ${name}`, name)
    }
    const removed = vi.spyOn(database, 'remove')
    for (const { run } of storeContract({ createStore, elapse })) await run()
    expect(written.size).toBeGreaterThan(100)
    const ours = [...written].filter((name) => /^contract:[\da-f-]{36}:/.test(name))
    expect(ours).toHaveLength(written.size)
    expect(removed).toHaveBeenCalled()

    expect(await database.getMany(foreign)).toEqual(foreign.map(() => 'foreign'))
    for (const name of foreign) {
      expect(await database.range(`index ${name}`, { limit: 10 })).toEqual([name])
    }
    expect((await database.getMany([...written])).filter((text) => text !== undefined)).toEqual([])
    for (const name of written) expect(await database.range(name, { limit: 1 })).toEqual([])
  })

  it('the contract suite cleans up after a failing case, and reports the error of that case', async () => {
    const { database, written, createStore } = createDatabase()
    const createBroken = () => {
      const store = createStore()
      return new Proxy(store, {
        get: (target, method: keyof Store) => (method === 'replace' ? async () => true : target[method]),
      })
    }
    const [broken] = storeContract({ createStore: createBroken, elapse }).filter(({ name }) =>
      name.startsWith('replace stores a text only if'),
    )
    await expect(broken!.run()).rejects.toMatchObject({ code: 'ERR_ASSERTION' })
    expect(written.size).toBe(1)
    expect(await database.getMany([...written])).toEqual([undefined])
  })
})

describe('the contract suite', () => {
  const names = storeContract({ createStore: memoryStore, elapse }).map(({ name }) => name)

  it('for every case of the contract suite, a broken store makes the case fail', () => {
    const proven = [...brokenStores, ...brokenMessages].map(({ noticedBy }) => noticedBy)
    const unproven = names.filter((name) => !proven.some((beginning) => name.startsWith(beginning)))
    expect(unproven).toEqual(['closing one store does not affect other stores on the same database'])
  })

  it('each case of the contract suite has a unique name and a function without parameters, because test runners need both', () => {
    expect(new Set(names).size).toBe(names.length)
    for (const { run } of storeContract({ createStore: memoryStore, elapse })) expect(run).toHaveLength(0)
  })
})
