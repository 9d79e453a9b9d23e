import { expect, it } from 'vitest'
import { describeApiKeys, describeEachKind, failure } from './each-kind.ts'
import { manyProducts, productOfBytes, services } from './setup.ts'

describeApiKeys('products of clients', (context) => {
  it('removing a product clears the removed operations that only this product had', async () => {
    const { service, clientId } = await context.withClient({
      products: ['invoices', 'reports', 'payments'],
      removedOperations: ['invoices:create', 'invoices:read', 'payments:list'],
    })
    expect(await service.removeProduct(clientId, 'invoices')).toMatchObject({
      products: ['reports', 'payments'],
      removedOperations: ['invoices:read', 'payments:list'],
    })
    expect(await service.addProduct(clientId, 'invoices')).toMatchObject({
      removedOperations: ['invoices:read', 'payments:list'],
    })
  })

  it('setting the products adds and removes products, and only a removal raises the epoch', async () => {
    const { service, emitted, clientId } = await context.withClient({
      products: ['invoices', 'payments'],
      removedOperations: ['invoices:create', 'payments:list'],
    })
    const added = await service.setProducts(clientId, ['reports', 'payments', 'invoices'], { actor: 'ann' })
    expect(added).toMatchObject({ products: ['reports', 'payments', 'invoices'], epoch: 0 })
    expect(await service.setProducts(clientId, ['invoices', 'payments', 'reports'])).toEqual(added)
    expect(await service.setProducts(clientId, ['payments'])).toMatchObject({
      products: ['payments'],
      removedOperations: ['payments:list'],
      epoch: 1,
    })
    const event = { event: 'client.changed', kind: 'apiKey', clientId, accountId: 'acme', change: 'products' }
    expect(emitted).toEqual([{ ...event, actor: 'ann' }, event])
    for (const wrong of [['unknown'], ['payments', 'payments'], 'payments']) {
      await expect(service.setProducts(clientId, wrong as string[])).rejects.toThrow(
        failure('ERR_INVALID_ARGUMENT'),
      )
    }
  })

  it('a product that left the catalog can be removed from a client, and cannot be added', async () => {
    const process = await context.withClient({ products: ['payments'] })
    const { clientId } = process
    process.catalog.current = services(context.stores.open(), {
      definitions: manyProducts(1),
    }).catalog.current
    expect(await process.service.removeProduct(clientId, 'payments')).toMatchObject({
      products: [],
      epoch: 1,
    })
    await expect(process.service.addProduct(clientId, 'payments')).rejects.toThrow(
      failure('ERR_INVALID_ARGUMENT'),
    )
  })
})

describeEachKind('the scope of a client', (context) => {
  const { kind, stores } = context

  it('a product is rejected if the scope of a token would not fit a request header', async () => {
    // 'p0:use' to 'p99:use' take 789 bytes with their spaces. An application also has 'openid profile email '.
    const others = kind === 'apiKey' ? 789 : 789 + 21
    const options = (bytes: number) => ({
      definitions: { ...manyProducts(100), ...productOfBytes('long', bytes - others - 1) },
    })
    const names = Array.from({ length: 99 }, (_, index) => `p${index + 1}`).concat('long')
    const fits = context.start(stores.open(), options(4096))
    const { clientId } = await context.created(fits, { products: names })
    expect((await fits.service.addProduct(clientId, 'p0')).products).toHaveLength(101)

    const tight = context.start(stores.open(), options(4097))
    await expect(
      tight.service.create({ accountId: 'acme', name: 'Big', products: ['p0', ...names] }),
    ).rejects.toThrow(failure('ERR_SCOPE_TOO_LARGE', expect.stringContaining('4097 bytes')))
    const { clientId: other } = await context.created(tight, { products: names })
    const message = expect.stringMatching(/4097 bytes .* 4096 bytes are allowed/)
    await expect(tight.service.addProduct(other, 'p0')).rejects.toThrow(
      failure('ERR_SCOPE_TOO_LARGE', message),
    )
    expect((await tight.service.find(other))?.products).toHaveLength(100)

    // The product fits after one operation was removed. Restoring that operation is then rejected.
    await tight.service.removeOperation(other, 'p9:use')
    await tight.service.addProduct(other, 'p0')
    await expect(tight.service.restoreOperation(other, 'p9:use')).rejects.toThrow(
      failure('ERR_SCOPE_TOO_LARGE'),
    )
    // A client whose scope is already too large, for example because the catalog grew, can still lose products.
    expect((await tight.service.removeProduct(clientId, 'p0')).products).toHaveLength(100)
  })
})
