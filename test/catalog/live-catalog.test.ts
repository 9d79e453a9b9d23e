import { describe, expect, it, vi } from 'vitest'
import { createLiveCatalog, type LiveCatalogOptions } from '../../src/catalog/live-catalog.ts'
import type { ProductDefinitions } from '../../src/catalog/definition.ts'
import { GatehouseError } from '../../src/errors.ts'
import { kycLevels, products } from './definitions.ts'

const productsNamed = (...ids: string[]): ProductDefinitions =>
  Object.fromEntries(
    ids.map((id) => [id, { title: id, operations: { [`${id}:read`]: { route: `GET /${id}`, title: id } } }]),
  )

const liveCatalog = (options: Omit<LiveCatalogOptions, 'loadTimeoutMs'> & { loadTimeoutMs?: number }) =>
  createLiveCatalog({ loadTimeoutMs: 5000, ...options })

/** A database whose answers are given by hand. */
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

describe('createLiveCatalog with products as they are', () => {
  it('has the catalog at once', async () => {
    const live = liveCatalog({ products, kycLevels })
    expect(live.loaded).toBe(true)
    const { current } = live
    await live.reload()
    expect(live.current).toBe(current)
    expect(current.products.has('invoices')).toBe(true)
  })

  it('throws at construction if they are not valid', () => {
    expect(() => liveCatalog({ products, kycLevels: [] })).toThrowError(
      expect.objectContaining({ code: 'ERR_CATALOG', problems: [expect.anything(), expect.anything()] }),
    )
  })
})

describe('createLiveCatalog with a function', () => {
  it('loads nothing before start, and says so', async () => {
    const load = vi.fn(() => products)
    const live = liveCatalog({ products: load, kycLevels })
    expect(live.loaded).toBe(false)
    expect(() => live.current).toThrowError(expect.objectContaining({ code: 'ERR_NOT_READY', status: 503 }))
    expect(load).not.toHaveBeenCalled()
    await live.reload()
    expect(load).toHaveBeenCalledTimes(1)
    expect(live.current.operations.size).toBe(4)
  })

  it('can be started again after the first load failed', async () => {
    const down = new Error('connection refused')
    const load = vi.fn().mockRejectedValueOnce(down).mockResolvedValue(products)
    const onRejected = vi.fn()
    const live = liveCatalog({ products: load, kycLevels, onRejected })
    await expect(live.reload()).rejects.toMatchObject({ code: 'ERR_CATALOG', cause: down, problems: [] })
    expect(onRejected).toHaveBeenCalledTimes(1)
    expect(live.loaded).toBe(false)
    await live.reload()
    expect(live.loaded).toBe(true)
  })

  it('puts what it loads into force', async () => {
    const load = vi.fn().mockReturnValueOnce(productsNamed('a')).mockReturnValueOnce(productsNamed('a', 'b'))
    const live = liveCatalog({ products: load })
    await live.reload()
    const first = live.current
    await live.reload()
    expect([...live.current.products.keys()]).toEqual(['a', 'b'])
    expect([...first.products.keys()]).toEqual(['a'])
  })

  it.each([
    ['what is loaded is not valid', () => ({ a: { title: '', operations: {} } }), 2],
    [
      'loading throws',
      () => {
        throw new Error('down')
      },
      0,
    ],
    ['loading rejects', () => Promise.reject(new Error('down')), 0],
    ['nothing is loaded', () => undefined, 1],
  ])('keeps the last good catalog if %s', async (_, bad, problems) => {
    const onRejected = vi.fn()
    const load = vi.fn().mockReturnValueOnce(productsNamed('a')).mockImplementationOnce(bad)
    const live = liveCatalog({ products: load, onRejected })
    await live.reload()
    const good = live.current
    const error = await live.reload().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(GatehouseError)
    expect(error).toMatchObject({ code: 'ERR_CATALOG', problems: { length: problems } })
    expect(onRejected.mock.calls).toEqual([[error]])
    expect(live.current).toBe(good)
  })

  it('serialises reloads: those that come during a load share the next one, which wins', async () => {
    const { asked, load } = createDatabase()
    const live = liveCatalog({ products: load })
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

  it('goes ahead with the next load though the one before failed, and tells only its own callers', async () => {
    const { asked, load } = createDatabase()
    const live = liveCatalog({ products: load })
    const first = live.reload()
    const second = live.reload()
    asked[0]!.fail(new Error('down'))
    await expect(first).rejects.toMatchObject({ code: 'ERR_CATALOG' })
    await settle()
    asked[1]!.answer(productsNamed('a'))
    await second
    expect(live.loaded).toBe(true)
  })

  it('gives up on a load that never ends, and lets no late answer in', async () => {
    const { asked, load } = createDatabase()
    const live = liveCatalog({ products: load, loadTimeoutMs: 20 })
    await expect(live.reload()).rejects.toMatchObject({
      code: 'ERR_CATALOG',
      cause: { message: 'no answer within 20 ms' },
    })
    const second = live.reload()
    asked[1]!.answer(productsNamed('new'))
    await second
    asked[0]!.answer(productsNamed('late'))
    await settle()
    expect([...live.current.products.keys()]).toEqual(['new'])
  })
})

describe('a restricted catalog', () => {
  const gives = (live: ReturnType<typeof liveCatalog>) => [...live.current.operations.keys()]

  it('has what may be given, with the epoch of it, now and after each load', async () => {
    const load = vi.fn().mockReturnValueOnce(productsNamed('a', 'b')).mockReturnValue(productsNamed('b', 'c'))
    const live = liveCatalog({ products: load })
    await live.reload()
    expect(live.current.epoch).toBe(0)
    live.restrict({ products: { a: ['a:read'], c: ['c:read'] }, epoch: 4 })
    expect({ gives: gives(live), epoch: live.current.epoch }).toEqual({ gives: ['a:read'], epoch: 4 })
    await live.reload()
    expect({ gives: gives(live), epoch: live.current.epoch }).toEqual({ gives: ['c:read'], epoch: 4 })
    expect(live.loadedScopes).toEqual({ b: ['b:read'], c: ['c:read'] })
    live.restrict({ products: live.loadedScopes, epoch: 5 })
    expect({ gives: gives(live), epoch: live.current.epoch }).toEqual({
      gives: ['b:read', 'c:read'],
      epoch: 5,
    })
  })

  it('never changes: who holds one keeps what it was', () => {
    const live = liveCatalog({ products: productsNamed('a', 'b') })
    const before = live.current
    live.restrict({ products: { a: ['a:read'] }, epoch: 1 })
    expect([before.epoch, before.operations.size, before.products.size]).toEqual([0, 2, 2])
    expect(live.current).not.toBe(before)
  })
})
