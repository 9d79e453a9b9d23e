import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLiveCatalog } from '../../src/catalog/live-catalog.ts'
import type { ProductDefinitions } from '../../src/catalog/definition.ts'
import { GatehouseError } from '../../src/errors.ts'
import { kycLevels, products } from './definitions.ts'

const productsNamed = (...ids: string[]): ProductDefinitions =>
  Object.fromEntries(
    ids.map((id) => [id, { title: id, operations: { [`${id}:read`]: { route: `GET /${id}`, title: id } } }]),
  )

/** A database whose results are set by the test. */
function createDatabase() {
  const asked: { answer(value: unknown): void; fail(error: Error): void }[] = []
  const load = vi.fn(
    () =>
      new Promise<ProductDefinitions>((resolve, reject) => {
        asked.push({ answer: (value) => resolve(value as ProductDefinitions), fail: reject })
      }),
  )
  return { asked, load }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a live catalog of a products object', () => {
  it('products that are an object are active immediately', async () => {
    const live = createLiveCatalog({ products, kycLevels })
    expect(live.loaded).toBe(true)
    const { current } = live
    await live.reload()
    expect(live.current).toBe(current)
    expect(current.products.has('invoices')).toBe(true)
  })

  it('an invalid products object throws at construction', () => {
    expect(() => createLiveCatalog({ products, kycLevels: [] })).toThrowError(
      expect.objectContaining({ code: 'ERR_CATALOG', problems: [expect.anything(), expect.anything()] }),
    )
  })
})

describe('a live catalog of a function', () => {
  it('creating a live catalog does not call the products function, and reading the catalog before the first load throws ERR_NOT_READY', async () => {
    const load = vi.fn(() => products)
    const live = createLiveCatalog({ products: load, kycLevels })
    expect(live.loaded).toBe(false)
    expect(() => live.current).toThrowError(expect.objectContaining({ code: 'ERR_NOT_READY', status: 503 }))
    expect(load).not.toHaveBeenCalled()
    await live.reload()
    expect(load).toHaveBeenCalledTimes(1)
    expect(live.current.operations.size).toBe(4)
  })

  it('the products can be loaded again after the first load failed', async () => {
    const down = new Error('connection refused')
    const load = vi.fn().mockRejectedValueOnce(down).mockResolvedValue(products)
    const onRejected = vi.fn()
    const live = createLiveCatalog({ products: load, kycLevels, onRejected })
    await expect(live.reload()).rejects.toMatchObject({ code: 'ERR_CATALOG', cause: down, problems: [] })
    expect(onRejected).toHaveBeenCalledTimes(1)
    expect(live.loaded).toBe(false)
    await live.reload()
    expect(live.loaded).toBe(true)
  })

  it('a reload activates the loaded catalog', async () => {
    const load = vi.fn().mockReturnValueOnce(productsNamed('a')).mockReturnValueOnce(productsNamed('a', 'b'))
    const live = createLiveCatalog({ products: load })
    await live.reload()
    const first = live.current
    await live.reload()
    expect([...live.current.products.keys()]).toEqual(['a', 'b'])
    expect([...first.products.keys()]).toEqual(['a'])
  })

  it.each([
    ['the loaded products are not valid', () => ({ a: { title: '', operations: {} } }), 2],
    [
      'the function throws',
      () => {
        throw new Error('down')
      },
      0,
    ],
    ['the function rejects', () => Promise.reject(new Error('down')), 0],
    ['the function returns nothing', () => undefined, 1],
  ])('the last valid catalog stays active if %s', async (_, bad, problems) => {
    const onRejected = vi.fn()
    const load = vi.fn().mockReturnValueOnce(productsNamed('a')).mockImplementationOnce(bad)
    const live = createLiveCatalog({ products: load, onRejected })
    await live.reload()
    const good = live.current
    const error = await live.reload().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(GatehouseError)
    expect(error).toMatchObject({ code: 'ERR_CATALOG', problems: { length: problems } })
    expect(onRejected.mock.calls).toEqual([[error]])
    expect(live.current).toBe(good)
  })

  it('calls of reload() during a load share the next load, and the products of the next load become active', async () => {
    const { asked, load } = createDatabase()
    const live = createLiveCatalog({ products: load })
    const first = live.reload()
    const others = [live.reload(), live.reload(), live.reload()]
    await settle()
    expect(load).toHaveBeenCalledTimes(1)
    asked[0]!.answer(productsNamed('old'))
    await first
    expect([...live.current.products.keys()]).toEqual(['old'])
    await settle()
    expect(load).toHaveBeenCalledTimes(2)
    asked[1]!.answer(productsNamed('new'))
    await Promise.all(others)
    expect([...live.current.products.keys()]).toEqual(['new'])
    await settle()
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('a waiting load runs after a failed load, and only the callers of the failed load get its error', async () => {
    const { asked, load } = createDatabase()
    const live = createLiveCatalog({ products: load })
    const first = live.reload()
    const second = live.reload()
    asked[0]!.fail(new Error('down'))
    await expect(first).rejects.toMatchObject({ code: 'ERR_CATALOG' })
    await settle()
    asked[1]!.answer(productsNamed('a'))
    await second
    expect(live.loaded).toBe(true)
  })

  it('a load that never ends times out, and its late result is ignored', async () => {
    const { asked, load } = createDatabase()
    const live = createLiveCatalog({ products: load })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const timedOut = expect(live.reload()).rejects.toMatchObject({
      code: 'ERR_CATALOG',
      cause: { message: 'no answer within 30000 ms' },
    })
    await settle()
    vi.advanceTimersByTime(30_000)
    await timedOut
    const second = live.reload()
    asked[1]!.answer(productsNamed('new'))
    await second
    asked[0]!.answer(productsNamed('late'))
    await settle()
    expect([...live.current.products.keys()]).toEqual(['new'])
  })
})

describe('a restricted catalog', () => {
  const scopes = (live: ReturnType<typeof createLiveCatalog>) => [...live.current.operations.keys()]

  it('right after a restriction and after each later load, the catalog has only the allowed operations and the epoch of the restriction', async () => {
    const load = vi.fn().mockReturnValueOnce(productsNamed('a', 'b')).mockReturnValue(productsNamed('b', 'c'))
    const live = createLiveCatalog({ products: load })
    await live.reload()
    expect(live.current.epoch).toBe(0)
    live.restrict({ products: { a: ['a:read'], c: ['c:read'] }, epoch: 4 })
    expect({ scopes: scopes(live), epoch: live.current.epoch }).toEqual({ scopes: ['a:read'], epoch: 4 })
    await live.reload()
    expect({ scopes: scopes(live), epoch: live.current.epoch }).toEqual({ scopes: ['c:read'], epoch: 4 })
    expect(live.loadedScopes).toEqual({ b: ['b:read'], c: ['c:read'] })
    live.restrict({ products: live.loadedScopes, epoch: 5 })
    expect({ scopes: scopes(live), epoch: live.current.epoch }).toEqual({
      scopes: ['b:read', 'c:read'],
      epoch: 5,
    })
  })

  it('a catalog object never changes after a restriction or a reload', () => {
    const live = createLiveCatalog({ products: productsNamed('a', 'b') })
    const before = live.current
    live.restrict({ products: { a: ['a:read'] }, epoch: 1 })
    expect([before.epoch, before.operations.size, before.products.size]).toEqual([0, 2, 2])
    expect(live.current).not.toBe(before)
  })
})
