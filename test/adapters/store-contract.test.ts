import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from '../../src/store/contract.ts'
import { storeContract } from '../../src/testing/store-contract.ts'
import { brokenMessages } from './broken-messages.ts'
import { brokenStores, type BrokenStore } from './broken-stores.ts'

const elapse = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000)

/** The one case whose name begins so. */
function theCase(name: string, createStore: () => Store) {
  const found = storeContract({ createStore, elapse }).filter((one) => one.name.startsWith(name))
  expect(found, `cases called "${name}…"`).toHaveLength(1)
  return found[0]!
}

/** How a case ends for a store that is broken so. */
async function noticing({ methods, noticedBy }: BrokenStore): Promise<unknown> {
  const createBroken = () => {
    const store = memoryStore()
    return { ...store, ...methods(store) }
  }
  try {
    await theCase(noticedBy, createBroken).run()
    return 'not noticed'
  } catch (error) {
    return error
  }
}

const expected = ({ message }: BrokenStore) => (message ? { message } : { code: 'ERR_ASSERTION' })

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

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterAll(() => void vi.useRealTimers())

describe('the contract suite notices', () => {
  test.for(brokenStores)('that $breaks', async (broken) => {
    expect(await noticing(broken)).toMatchObject(expected(broken))
  })

  test('all that can be wrong with messages', async () => {
    // All at once, because most wait for some seconds before they say that no message came.
    const outcomes = await Promise.all(brokenMessages.map(noticing))
    for (const [position, broken] of brokenMessages.entries()) {
      expect(outcomes[position], broken.breaks).toMatchObject(expected(broken))
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
