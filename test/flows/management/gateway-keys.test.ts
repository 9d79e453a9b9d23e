// Also runs on: Redis
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGateway } from 'koa-gatehouse/gateway'
import { products } from '../../fixtures/products.ts'
import { describeEachStore } from '../../support/stores.ts'
import { startManagement, type ManagementHost } from './setup.ts'

describeEachStore('keys of gateways over the management API', (makeStore) => {
  let host: ManagementHost
  /** What `accounts.can` denies. */
  let denied = ''
  beforeAll(async () => {
    host = await startManagement({
      store: makeStore(),
      accounts: { can: (_ctx, permission) => permission !== denied },
      gatehouse: {
        keyPolicy: { maxAgeDays: 90 },
        resources: { 'https://example.com/mcp': { products: ['invoices'], title: 'MCP' } },
      },
    })
  })
  afterAll(() => host.close())

  it('an operator creates the key of a gateway, which never expires and with which a gateway in another process receives revocations', async () => {
    const input = { name: 'Edge', resourceServer: true, resources: [host.audience] }
    const { status, headers, body } = await host
      .api('root/rita')
      .call('POST /api-keys', input, { 'idempotency-key': 'one' })
    expect(status).toBe(201)
    expect(body.apiKey).toMatchObject({
      accountId: 'root',
      createdBy: 'rita',
      resourceServer: true,
      resources: [host.audience],
      products: [],
      noToken: 'gateway',
    })
    expect(body.apiKey).not.toHaveProperty('expiresAt')
    expect(body.apiKey).not.toHaveProperty('userId')
    const { clientId } = body.apiKey
    expect(new URL(headers.get('location') ?? '', `${host.origin}/account/api/api-keys`).pathname).toBe(
      `/account/api/api-keys/${clientId}`,
    )
    const repeat = await host.api('root/rita').call('POST /api-keys', input, { 'idempotency-key': 'one' })
    expect(repeat.body).toMatchObject({ apiKey: { clientId }, clientSecret: body.clientSecret })

    const { issuer, audience } = host
    const revocations = { clientId, clientSecret: String(body.clientSecret), pollIntervalSeconds: 1 }
    const gateway = createGateway({ issuer, audience, products, revocations })
    try {
      await gateway.ready()
      const key = await host.createApiKey()
      const { body: token } = await host.requestDirectToken(key)
      const headers = { authorization: `Bearer ${String(token['access_token'])}` }
      const check = () => gateway.authenticate({ method: 'GET', url: '/api/invoices/list', headers })
      expect(await check()).not.toHaveProperty('status')
      await host.api('acme').call(`POST /api-keys/${key.client_id}/disable`)
      await expect.poll(check, { timeout: 10_000 }).toMatchObject({ status: 401 })
    } finally {
      await gateway.close()
    }
  })

  it('no other member creates one, also not with a product, and creates nothing by the attempt', async () => {
    const create = (person: string, input: object = {}) =>
      host.api(person).call('POST /api-keys', { name: 'Edge', resourceServer: true, ...input })
    for (const input of [{}, { products: ['invoices'] }]) {
      expect((await create('alice', input)).body).toMatchObject({ status: 403, code: 'ERR_FORBIDDEN' })
    }
    denied = 'keys:create'
    expect((await create('root')).body).toMatchObject({ status: 403, code: 'ERR_FORBIDDEN' })
    denied = ''
    expect((await host.gatehouse.apiKeys.listByOwner('alice')).items).toEqual([])
    expect((await create('alice', { resourceServer: false })).status).toBe(201)
  })

  it('a body with an unknown resource, or with resources of no resource server, is rejected', async () => {
    const [other, own] = [['https://example.com/other'], [host.audience]]
    for (const body of [
      { resourceServer: true, resources: other },
      { resourceServer: true, resources: [] },
      { resources: own },
      { resourceServer: false, resources: own },
    ]) {
      const answer = await host.api('root').call('POST /api-keys', { name: 'Edge', ...body })
      const problem = expect.objectContaining({ path: 'resources' })
      expect([answer.status, answer.body.errors]).toEqual([422, [problem]])
    }
    const { clientId } = (await host.api('root').call('GET /api-keys')).body.items[0]
    for (const change of [{ resourceServer: true }, { resources: own }]) {
      expect((await host.api('root').call(`PATCH /api-keys/${clientId}`, change)).status).toBe(422)
    }
  })
})
