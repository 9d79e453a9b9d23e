import { afterAll, beforeAll, expect, it } from 'vitest'
import { CALLBACK, connect } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { browserOf, startManagement, type ManagementHost } from './setup.ts'

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

  it('of one client is readable by its owner only, and hides the same names', async () => {
    const other = await host.api('acme/ann').call('POST /api-keys', { name: 'Other' })
    const { body } = await host.api('acme').call(`GET /audit?clientId=${key}&limit=2`)
    expect(body.items).toMatchObject([{ change: 'tokens.revoked' }, { change: 'enabled', by: 'service' }])
    const next = await host.api('acme').call(`GET /audit?clientId=${key}&cursor=${body.cursor}`)
    expect(next.body.items).toMatchObject([{ change: 'disabled' }, { name: 'client.created' }])
    expect(JSON.stringify([body, next.body])).not.toContain(other.body.apiKey.clientId)
    expect(JSON.stringify([body, next.body])).not.toMatch(/root|billing|192\.0\.2|Operator-Browser/)
    for (const [account, clientId] of [
      ['bob', key],
      ['acme', 'key_unknown'],
      ['acme', ''],
    ] as const) {
      const answer = await host.api(account).call(`GET /audit?clientId=${clientId}`)
      expect([answer.status, answer.body.code]).toEqual([404, 'ERR_NOT_FOUND'])
    }
    await host.gatehouse.apiKeys.delete(other.body.apiKey.clientId)
    const deleted = await host.api('acme').call(`GET /audit?clientId=${other.body.apiKey.clientId}`)
    expect(deleted.status).toBe(404)
  })

  it('an application: its owner sees that a user of another account has connected it, and not which one', async () => {
    const { body } = await host
      .api('acme')
      .call('POST /applications', { name: 'App', products: ['invoices'], redirectUris: [CALLBACK] })
    const clientId: string = body.application.clientId
    const browser = browserOf(host, 'bob')
    await connect(host, { client_id: clientId, client_secret: body.clientSecret }, { browser })
    const listed = await host.api('acme').call(`GET /audit?clientId=${clientId}`)
    expect(listed.body.items).toMatchObject([
      { name: 'consent.approved', by: 'user' },
      { name: 'client.created' },
    ])
    expect(JSON.stringify(listed.body)).not.toContain('bob')
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
