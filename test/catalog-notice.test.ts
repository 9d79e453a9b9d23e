import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { ProductDefinitions, Store } from 'koa-gatehouse'
import { createCatalogNotice } from '../src/catalog-notice.ts'
import { createLiveCatalog } from '../src/catalog/live-catalog.ts'
import { silentLogger } from '../src/host/logger.ts'

const productsNamed = (...ids: string[]): ProductDefinitions =>
  Object.fromEntries(
    ids.map((id) => [id, { title: id, operations: { [`${id}:read`]: { route: `GET /${id}`, title: id } } }]),
  )

/** Longer than any test: nobody looks by themselves. */
const NEVER = 3_600_000

/** The host's database of products, which all processes load from. */
function createDatabase(...ids: string[]) {
  const database = { products: productsNamed(...ids) }
  const load = vi.fn(async () => database.products)
  return Object.assign(database, { load })
}

/** What one process has, running. */
async function startProcess(
  store: Store,
  products: ProductDefinitions | (() => Promise<ProductDefinitions>),
  lookEveryMs = NEVER,
) {
  const warn = vi.fn()
  const logger = { ...silentLogger, warn }
  const catalog = createLiveCatalog({ products, loadTimeoutMs: 5000 })
  const notice = createCatalogNotice({ store, catalog, products, logger, lookEveryMs })
  const leave = await notice.follow()
  onTestFinished(leave)
  await catalog.start()
  return { notice, catalog, leave, warn, ids: () => [...catalog.current.products.keys()] }
}

/** The same store, to which nobody listens successfully. */
const withoutMessages = (store: Store): Store => ({ ...store, publish: async () => {} })

afterEach(() => void vi.useRealTimers())

describe('a reload of the products', () => {
  it('reaches every process by a message', async () => {
    const [store, database] = [memoryStore(), createDatabase('a')]
    const [here, there] = [await startProcess(store, database.load), await startProcess(store, database.load)]
    database.products = productsNamed('a', 'b')
    await here.notice.reload()
    expect(here.ids()).toEqual(['a', 'b'])
    await vi.waitFor(() => expect(there.ids()).toEqual(['a', 'b']))
    // Twice to start, and once each for the reload: its own message is no news to the process that sent it.
    expect(database.load).toHaveBeenCalledTimes(4)
  })

  it('is not missed for ever where its message is lost', async () => {
    const [store, database] = [withoutMessages(memoryStore()), createDatabase('a')]
    const here = await startProcess(store, database.load)
    const there = await startProcess(store, database.load, 30)
    database.products = productsNamed('b')
    await here.notice.reload()
    expect(there.ids()).toEqual(['a'])
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
  })

  it('is looked for at least once a minute unless something else is said, and not after the end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const [store, database] = [withoutMessages(memoryStore()), createDatabase('a')]
    const here = await startProcess(store, database.load)
    const catalog = createLiveCatalog({ products: database.load, loadTimeoutMs: 5000 })
    const get = vi.fn(store.get)
    const watched = { ...store, get }
    const leave = await createCatalogNotice({
      store: watched,
      catalog,
      products: database.load,
      logger: silentLogger,
    }).follow()
    await catalog.start()
    for (let reload = 1; reload <= 3; reload += 1) {
      database.products = productsNamed(`p${reload}`)
      await here.notice.reload()
      await vi.advanceTimersByTimeAsync(60_000)
      expect([...catalog.current.products.keys()]).toEqual([`p${reload}`])
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
        tellMissed = missed
        return inner.subscribe(channel, listener)
      },
    }
    const here = await startProcess(withoutMessages(inner), database.load)
    const there = await startProcess(store, database.load)
    database.products = productsNamed('b')
    await here.notice.reload()
    expect(there.ids()).toEqual(['a'])
    tellMissed()
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
  })

  it('that another process could not follow is tried again', async () => {
    const [store, database] = [memoryStore(), createDatabase('a')]
    const here = await startProcess(store, database.load)
    let isDown = false
    const loadThere = async () => {
      if (isDown) throw new Error('connection refused')
      return database.load()
    }
    const there = await startProcess(store, loadThere, 30)
    isDown = true
    database.products = productsNamed('b')
    await here.notice.reload()
    await vi.waitFor(() => expect(there.warn.mock.calls.length).toBeGreaterThan(1))
    expect(there.ids()).toEqual(['a'])
    isDown = false
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
  })

  it('that crosses another one hides it from nobody, though its own name comes last', async () => {
    const [inner, database] = [withoutMessages(memoryStore()), createDatabase('a')]
    let beforeWrite: (() => Promise<void>) | undefined
    const store: Store = {
      ...inner,
      async create(...args) {
        await beforeWrite?.()
        return inner.create(...args)
      },
    }
    const here = await startProcess(store, database.load, 30)
    const there = await startProcess(inner, database.load)
    // After this process has loaded, and before it tells: the other one changes something, and tells first.
    beforeWrite = async () => {
      beforeWrite = undefined
      database.products = productsNamed('b')
      await there.notice.reload()
    }
    await here.notice.reload()
    await vi.waitFor(() => expect(here.ids()).toEqual(['b']))
  })

  it('between two attempts to start is not missed', async () => {
    const [store, database] = [withoutMessages(memoryStore()), createDatabase('a')]
    const here = await startProcess(store, database.load)
    const there = await startProcess(store, database.load)
    await there.leave()
    database.products = productsNamed('b')
    await here.notice.reload()
    onTestFinished(await there.notice.follow())
    expect(there.ids()).toEqual(['b'])
  })

  it('that is invalid is told to nobody', async () => {
    const [store, database] = [memoryStore(), createDatabase('a')]
    const here = await startProcess(store, database.load)
    const heard: string[] = []
    await store.subscribe('catalog', (message) => heard.push(message))
    database.products = { a: {} } as never
    await expect(here.notice.reload()).rejects.toMatchObject({ code: 'ERR_CATALOG' })
    expect(await store.get('catalog:generation')).toBeUndefined()
    expect(heard).toEqual([])
    expect(here.ids()).toEqual(['a'])
  })

  it('is done though nobody can be told at once, and says so', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a')]
    const failing: Store = { ...inner, publish: () => Promise.reject(new Error('down')) }
    const here = await startProcess(failing, database.load)
    const there = await startProcess(inner, database.load, 30)
    database.products = productsNamed('b')
    await here.notice.reload()
    expect(here.warn).toHaveBeenCalledTimes(1)
    await vi.waitFor(() => expect(there.ids()).toEqual(['b']))
  })

  it('that could not be written for the others fails', async () => {
    const [inner, database] = [memoryStore(), createDatabase('a')]
    const down = new Error('down')
    const here = await startProcess({ ...inner, create: () => Promise.reject(down) }, database.load)
    await expect(here.notice.reload()).rejects.toBe(down)
  })

  it('costs the store nothing where products never change', async () => {
    const calls: PropertyKey[] = []
    const store = new Proxy(memoryStore(), {
      get(target, method: keyof Store) {
        calls.push(method)
        return target[method]
      },
    })
    const here = await startProcess(store, productsNamed('a'), 10)
    await here.notice.reload()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(calls).toEqual([])
  })
})
