// Also runs on: Redis
import { expect, it } from 'vitest'
import { describeEachStore } from '../../support/stores.ts'
import { startManagement } from './setup.ts'

describeEachStore('a member whose request overlaps with a change of the key', (makeStore) => {
  it('gives the key no operation that the member may not use', async () => {
    /** Runs after a request has read the key, and before the request changes the key. */
    let meanwhile: (() => Promise<unknown>) | undefined
    const host = await startManagement({
      store: makeStore(),
      accounts: {
        find: (id, userId) => ({ id, ...(userId === 'dan' && { operations: ['invoices:read'] }) }),
        async can() {
          const change = meanwhile
          meanwhile = undefined
          await change?.()
          return true
        },
      },
    })
    const { apiKeys } = host.gatehouse
    const create = async (...products: string[]) =>
      (await apiKeys.create({ accountId: 'acme', name: 'Key', products })).apiKey.clientId
    const operationsOf = async (clientId: string) => {
      const { products, removedOperations } = (await apiKeys.find(clientId))!
      return { products, removedOperations: removedOperations.toSorted() }
    }
    const { call } = host.api('acme/dan')
    const withheld = ['payments:list', 'payments:transfer']

    // The product is removed after the request has seen that the key has it.
    const added = await create('invoices', 'payments')
    meanwhile = () => apiKeys.removeProduct(added, 'payments')
    expect((await call(`PUT /api-keys/${added}/products/payments`)).status).toBe(200)
    expect(await operationsOf(added)).toEqual({
      products: ['invoices', 'payments'],
      removedOperations: withheld,
    })

    // The product is added, without its operations, after the request has seen that the key does not have it.
    const restored = await create('invoices')
    meanwhile = () => apiKeys.addProduct(restored, 'payments', { removedOperations: withheld })
    expect((await call(`PUT /api-keys/${restored}/operations/payments:transfer`)).status).toBe(403)
    expect((await operationsOf(restored)).removedOperations).toEqual(withheld)

    // The key gets another operation after the request has seen that it has only those of the member.
    const handed = await create()
    await apiKeys.addProduct(handed, 'invoices', { removedOperations: ['invoices:create'] })
    await apiKeys.handOver(handed, 'dan')
    meanwhile = () => apiKeys.restoreOperation(handed, 'invoices:create')
    const answer = await call(`PUT /api-keys/${handed}/owner`, { userId: null })
    expect(answer).toMatchObject({ status: 412, body: { code: 'ERR_CHANGED' } })
    expect((await apiKeys.find(handed))?.userId).toBe('dan')
    await host.close()
  })
})
