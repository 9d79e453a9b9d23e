import { expect, it } from 'vitest'
import { createGatehouse } from 'koa-gatehouse'
import { products } from '../../fixtures/products.ts'
import { describeEachStore } from '../../support/stores.ts'

const options = {
  issuer: 'http://localhost:3000/auth',
  audience: 'http://localhost:3000/api',
  secret: 'a secret for tests, long enough to be one',
  accounts: { find: (accountId: string) => ({ id: accountId }) },
}

describeEachStore('the services before ready()', (makeStore) => {
  it('a call of a service waits until gatehouse is ready, even if a function loads the products', async () => {
    const gatehouse = createGatehouse({
      ...options,
      kycLevels: ['none', 'basic', 'verified'],
      store: makeStore(),
      products: async () => products,
    })
    const { apiKey } = await gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Early',
      products: ['invoices'],
    })
    expect(await gatehouse.apiKeys.find(apiKey.clientId)).toMatchObject({ products: ['invoices'] })
    await gatehouse.close()
  })

  it('calls of a service fail with ERR_CLOSED after close()', async () => {
    const gatehouse = createGatehouse({ ...options, store: makeStore(), products: {} })
    await gatehouse.ready()
    await gatehouse.close()
    await expect(gatehouse.apiKeys.create({ accountId: 'acme', name: 'Late' })).rejects.toMatchObject({
      code: 'ERR_CLOSED',
    })
    await expect(gatehouse.applications.list()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  })
})
