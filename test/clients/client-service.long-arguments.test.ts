import { expect, it } from 'vitest'
import { describeEachKind, failure } from './each-kind.ts'
import { manyProducts } from './setup.ts'

const LONG = 100_000

describeEachKind('lists in arguments', (context) => {
  const long = Array.from({ length: LONG }, (_, index) => `p${index}`)
  const input = { accountId: 'acme', name: 'Test' }
  const tooLong = (field: string) =>
    failure('ERR_INVALID_ARGUMENT', expect.stringContaining(`${field}: must have at most 10000 entries`))

  it('a list of 100,000 entries is rejected quickly', async () => {
    const { service } = context.start()
    const startedAt = performance.now()
    await expect(service.create({ ...input, products: long })).rejects.toThrow(tooLong('products'))
    await expect(
      service.create({ ...input, products: ['invoices'], removedOperations: long }),
    ).rejects.toThrow(tooLong('removedOperations'))
    await expect(service.create({ ...input, products: long, removedOperations: long })).rejects.toThrow(
      tooLong('products'),
    )
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })

  it('two lists of the maximum length are checked in linear time, and the error names the first 100 problems of each list', async () => {
    const { service } = context.start(undefined, { definitions: manyProducts(3000) })
    const operations = long.slice(0, 3000).map((name) => `${name}:use`)
    const unknown = long.slice(50_000, 60_000)
    const startedAt = performance.now()
    const created = await service.create({
      ...input,
      products: long.slice(0, 3000),
      removedOperations: operations.slice(1),
    })
    expect(created).toBeDefined()
    const error = await service
      .create({ ...input, products: unknown, removedOperations: unknown })
      .catch((thrown: unknown) => thrown)
    expect(performance.now() - startedAt).toBeLessThan(2000)
    expect(error).toEqual(failure('ERR_INVALID_ARGUMENT'))
    expect((error as { problems: unknown[] }).problems).toHaveLength(200)
  })

  it('the error for a list with a duplicate entry names the entry', async () => {
    const { service } = context.start()
    await expect(
      service.create({ ...input, products: ['invoices', 'payments', 'invoices'] }),
    ).rejects.toThrow(
      failure('ERR_INVALID_ARGUMENT', expect.stringContaining('products[2]: is in the list already')),
    )
  })

  it('a list of redirect URIs may have at most 20 entries', async () => {
    if (context.kind === 'apiKey') return
    const { applications } = context.start()
    const redirectUris = long.map((name) => `https://${name}.example/`)
    await expect(applications.create({ ...input, redirectUris })).rejects.toThrow(
      failure('ERR_INVALID_ARGUMENT', expect.stringContaining('redirectUris: must have at most 20 entries')),
    )
  })
})
