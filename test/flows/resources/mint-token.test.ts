import { afterAll, beforeAll, expect, it } from 'vitest'
import { mintToken } from 'koa-gatehouse/testing'
import type { Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { callTools, startResources, TOOLS } from './setup.ts'

describeEachStore('mintToken() with resources', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startResources({ store: makeStore() })
  })
  afterAll(() => host.close())
  const mint = (scope: string, options: object) =>
    mintToken(
      host.gatehouse,
      { accountId: 'alice', scopes: [scope] },
      { allowPersistentStore: true, ...options },
    )

  it('a token is for {base_url}, or for the given resource, and for nothing else', async () => {
    const forTools = await mint('tools:use', { resource: TOOLS })
    expect((await callTools(host, 'GET /run', forTools)).status).toBe(200)
    expect(
      (await host.call('GET /invoices/list', await mint('invoices:read', { resource: TOOLS }))).status,
    ).toBe(401)
    expect((await host.call('GET /invoices/list', await mint('invoices:read', {}))).status).toBe(200)
    expect(
      (await host.call('GET /invoices/list', await mint('invoices:read', { resource: host.audience })))
        .status,
    ).toBe(200)
  })

  it('an unknown resource is rejected', async () => {
    await expect(mint('tools:use', { resource: 'https://other.example' })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      problems: [{ path: 'resource', code: 'choice' }],
    })
  })
})
