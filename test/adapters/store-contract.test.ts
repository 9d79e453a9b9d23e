import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from '../../src/store/contract.ts'
import { storeContract } from '../../src/testing/store-contract.ts'
import { liars, type Liar, type Line } from './broken-connections.ts'
import { brokenMessages } from './broken-messages.ts'
import type { BrokenStore } from './broken-store.ts'
import { brokenStores } from './broken-stores.ts'

const elapse = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000)

/** The one case whose name begins so. */
function theCase(name: string, createStore: () => Store) {
  const found = storeContract({ createStore, elapse }).filter((one) => one.name.startsWith(name))
  expect(found, `cases called "${name}…"`).toHaveLength(1)
  return found[0]!
}

/** How a case ends for a store that is broken so: itself, or what is durable of it. */
async function noticing({ methods, noticedBy, connected }: BrokenStore, view?: 'durable'): Promise<unknown> {
  const shared = memoryStore()
  const createBroken = () => {
    const store = connected ? connectionTo(shared) : memoryStore()
    const broken = { ...store, ...methods(store) }
    return view === 'durable' ? { ...store, durable: broken } : broken
  }
  try {
    await theCase(noticedBy, createBroken).run()
    return 'not noticed'
  } catch (error) {
    return error
  }
}

const expected = ({ message }: BrokenStore, view?: 'durable') => {
  if (view === undefined) return message ? { message } : { code: 'ERR_ASSERTION' }
  const told = expect.stringMatching(`^through durable: .*${message ?? ''}`)
  return message ? { message: told } : { code: 'ERR_ASSERTION', message: told }
}

/** One more connection to the database behind `shared`. */
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

/** Whether a case works on what is durable, too: all that are not about a store as a whole. */
const isDurableToo = (name: string) =>
  !/^(after close|close|closing|calls that|ping|volatile|inspect)/.test(name)

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

describe('the contract suite notices', () => {
  test.for(brokenStores)('that $breaks', async (broken) => {
    expect(await noticing(broken)).toMatchObject(expected(broken))
  })

  test.for(brokenStores.filter(({ noticedBy }) => isDurableToo(noticedBy)))(
    'that $breaks where it is durable',
    async (broken) => {
      expect(await noticing(broken, 'durable')).toMatchObject(expected(broken, 'durable'))
    },
  )

  test('all that can be wrong with messages', async () => {
    // All at once, because most wait for some seconds before they say that no message came.
    const outcomes = await Promise.all(
      brokenMessages.map((broken) =>
        Promise.all([noticing(broken), isDurableToo(broken.noticedBy) && noticing(broken, 'durable')]),
      ),
    )
    for (const [position, broken] of brokenMessages.entries()) {
      const [outcome, durably] = outcomes[position] ?? []
      expect(outcome, broken.breaks).toMatchObject(expected(broken))
      if (durably !== false) expect(durably, broken.breaks).toMatchObject(expected(broken, 'durable'))
    }
  })

  test('two stores that are not on the same database', async () => {
    const shared = memoryStore()
    const name = 'set stores any text unchanged'
    await theCase(name, () => connectionTo(shared)).run()
    await expect(theCase(name, () => connectionTo(memoryStore())).run()).rejects.toMatchObject({
      code: 'ERR_ASSERTION',
    })
  })

  test('that closing one store closes the others on the database', async () => {
    const shared = memoryStore()
    const name = 'closing one store leaves the others on the database alone'
    await theCase(name, () => connectionTo(shared)).run()
    await expect(theCase(name, () => ({ ...shared, volatile: false })).run()).rejects.toMatchObject({
      code: 'ERR_CLOSED',
    })
  })
})

/** Stores on one database whose connection can be cut, and which lie in some way when it is. */
function createCuttable(lie: Liar['lie'] = () => ({})) {
  const database = memoryStore()
  const lines = new WeakMap<Store, Line>()
  const createStore = () => {
    const line: Line = { cut: false, losses: 0 }
    const connection = connectionTo(database)
    const truthful = new Proxy(connection, {
      get(target, method: keyof Store) {
        const member = target[method]
        if (typeof member !== 'function' || method === 'close') return member
        return async (...args: unknown[]): Promise<unknown> => {
          if (line.cut) throw new Error('the connection is lost')
          if (method !== 'subscribe') return Reflect.apply(member, target, args)
          const [channel, listener] = args as [string, (message: string) => void]
          return target.subscribe(channel, (message) => (line.cut ? undefined : listener(message)))
        }
      },
    })
    const lies: Partial<Store> = lie(truthful, line)
    const store = new Proxy(truthful, {
      get: (target, method: keyof Store) => (method in lies ? lies[method] : target[method]),
    })
    lines.set(store, line)
    return store
  }
  const breakConnection = (store: Store) => {
    const line = lines.get(store)!
    line.cut = true
    line.losses += 1
    return () => void (line.cut = false)
  }
  return { createStore, elapse, breakConnection }
}

describe('the contract suite, where it may cut a store off from its database,', () => {
  const further = (options: Parameters<typeof storeContract>[0]) =>
    storeContract(options).filter(({ name }) => /^(without its database|once its database)/.test(name))

  test('has further cases, which a truthful store passes', async () => {
    const cases = further(createCuttable())
    expect(cases).toHaveLength(3)
    for (const { run } of cases) await run()
    expect(further({ createStore: memoryStore, elapse })).toEqual([])
  })

  test('notices every lie', async () => {
    const outcomes = await Promise.all(
      liars.map(async ({ lie, noticedBy, connection = {} }) => {
        const found = further({ ...createCuttable(lie), ...connection }).filter(({ name }) =>
          name.startsWith(noticedBy),
        )
        expect(found).toHaveLength(1)
        return found[0]!.run().then(
          () => 'not noticed',
          (error: unknown) => error,
        )
      }),
    )
    for (const [position, { lies, message }] of liars.entries()) {
      expect(outcomes[position], lies).toMatchObject({
        code: 'ERR_ASSERTION',
        message: expect.stringContaining(message),
      })
    }
  })
})

/** A lasting database that notes the names which are written to; each connection to it is closed by itself. */
function createDatabase() {
  const database = memoryStore()
  const written = new Set<string>()
  const createStore = (): Store => {
    let closed = false
    const ends: (() => Promise<void>)[] = []
    return new Proxy(database, {
      get(target, method: keyof Store) {
        if (method === 'volatile') return false
        if (typeof target[method] !== 'function') return target[method]
        if (method === 'close') {
          return async () => {
            closed = true
            await Promise.all(ends.map((end) => end()))
          }
        }
        return async (...args: unknown[]) => {
          if (closed) throw new Error('closed')
          if (['set', 'create', 'add', 'publish'].includes(method)) written.add(String(args[0]))
          const answer: unknown = await Reflect.apply(target[method] as () => unknown, target, args)
          if (method === 'subscribe') ends.push(answer as () => Promise<void>)
          return answer
        }
      },
    })
  }
  return { database, written, createStore }
}

describe('the contract suite on a database that holds something', () => {
  const foreign = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'contract:a', 'client:1']

  test('touches nothing of it, and leaves nothing behind', async () => {
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

  test('tidies up after a case that fails, too, whose error is the one that is told', async () => {
    const { database, written, createStore } = createDatabase()
    const createBroken = () => {
      const store = createStore()
      return new Proxy(store, {
        get: (target, method: keyof Store) => (method === 'replace' ? async () => true : target[method]),
      })
    }
    const [broken] = storeContract({ createStore: createBroken, elapse }).filter(({ name }) =>
      name.startsWith('replace stores only where'),
    )
    await expect(broken!.run()).rejects.toMatchObject({ code: 'ERR_ASSERTION' })
    expect(written.size).toBe(1)
    expect(await database.getMany([...written])).toEqual([undefined])
  })
})

describe('the contract suite', () => {
  const names = storeContract({ createStore: memoryStore, elapse }).map(({ name }) => name)

  test('is shown above to notice when any of its promises is broken', () => {
    const proven = [...brokenStores, ...brokenMessages].map(({ noticedBy }) => noticedBy)
    const unproven = names.filter((name) => !proven.some((beginning) => name.startsWith(beginning)))
    expect(unproven).toEqual(['closing one store leaves the others on the database alone'])
  })

  test('gives each case a name of its own and a function without arguments, as every test runner takes it', () => {
    expect(new Set(names).size).toBe(names.length)
    for (const { run } of storeContract({ createStore: memoryStore, elapse })) expect(run).toHaveLength(0)
  })
})
