import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeEachStore } from '../../support/stores.ts'
import { startManagement, type ManagementHost } from './setup.ts'

const AGENT = { 'user-agent': 'Operator-Browser/1.0' }

describeEachStore('the audit trail of an account over HTTP', (makeStore) => {
  let host: ManagementHost
  let key: string
  beforeAll(async () => {
    host = await startManagement({ store: makeStore() })
    const { body } = await host.api('acme/ann').call('POST /api-keys', { name: 'Ledger' })
    key = body.apiKey.clientId
    await host.api('root').call(`POST /operator/clients/${key}/disable`, undefined, AGENT)
    await host.gatehouse.apiKeys.enable(key, {
      by: 'operator',
      actor: 'billing job',
      address: '192.0.2.7',
    })
    await host.gatehouse.tokens.revokeAll({ clientId: key }, { address: '192.0.2.8' })
  })
  afterAll(() => host.close())

  it('names the users of the account, and neither operators nor programs of the host', async () => {
    const { body, status } = await host.api('acme').call('GET /audit')
    expect(status).toBe(200)
    expect(body.items).toMatchObject([
      { change: 'tokens.revoked' },
      { change: 'enabled', by: 'service' },
      { change: 'disabled', by: 'service' },
      { name: 'client.created', actor: 'acme/ann', userAgent: 'node' },
    ])
    expect(body.items[3].address).toMatch(/127\.0\.0\.1|::1/)
    expect(body.items[3]).not.toHaveProperty('by')
    for (const entry of body.items.slice(0, 3)) {
      expect(entry).toMatchObject({ accountId: 'acme', clientId: key })
      for (const field of ['actor', 'address', 'userAgent']) expect(entry).not.toHaveProperty(field)
    }
    expect(JSON.stringify(body)).not.toMatch(/root|billing|192\.0\.2|Operator-Browser/)
  })

  it('is complete for operators', async () => {
    const { body } = await host.api('root').call(`GET /operator/audit?clientId=${key}`)
    expect(body.items).toMatchObject([
      { change: 'tokens.revoked', address: '192.0.2.8' },
      { change: 'enabled', actor: 'billing job', address: '192.0.2.7' },
      { change: 'disabled', actor: 'root', userAgent: 'Operator-Browser/1.0' },
      { name: 'client.created', actor: 'acme/ann' },
    ])
    expect(JSON.stringify(body)).not.toContain('"by"')
  })
})
