import { createLimits } from 'koa-gatehouse/limits'
import { createUsage, type Usage } from 'koa-gatehouse/usage'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT_ID, documentOf, startHostWithDocuments } from '../../support/client-document.ts'
import type { DocumentHost } from '../../support/document-host.ts'
import type { Host } from '../../support/host.ts'
import { connectPublic } from '../../support/public-application.ts'

describe('calls of a client with a metadata document', () => {
  let host: Host
  let documents: DocumentHost
  let usage: Usage | undefined
  beforeAll(async () => {
    ;({ host, documents } = await startHostWithDocuments(memoryStore(), {
      mount(app, gatehouse) {
        usage = createUsage(gatehouse, { intervalSeconds: 3600 })
        createLimits(gatehouse, { perMinute: 5, perUser: 0.6 })
        app.use(usage.middleware())
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
        app.use((ctx) => (ctx.body = {}))
      },
    }))
    documents.serve(CLIENT_ID, documentOf())
  })
  afterAll(async () => {
    await host.close()
    await documents.close()
  })

  const called = async (clientId: string) => {
    const rows = (await usage?.list({ clientId, by: ['operation', 'result'] })) ?? []
    return rows.find(({ operation, result }) => operation === 'invoices:read' && result === 'successful')
      ?.count
  }

  it('are counted and limited, for all its users together', async () => {
    const [alice, bob] = [
      await connectPublic(host, CLIENT_ID),
      await connectPublic(host, CLIENT_ID, { user: 'bob' }),
    ]
    const statuses: number[] = []
    for (const { access_token } of [alice, bob, alice, bob, alice, bob]) {
      statuses.push((await host.call('GET /invoices/1', access_token)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    await usage?.flush()
    expect(await called(CLIENT_ID)).toBe(5)
  })

  it('rejected token requests leave no usage of a document that no user has approved', async () => {
    const id = 'https://agent.example.com/invented.json'
    documents.serve(id, documentOf(id))
    const reject = async (client_id: string) => {
      const form = { client_id, grant_type: 'refresh_token', refresh_token: 'invented' }
      expect((await host.token(form)).body).toMatchObject({ error: 'invalid_grant' })
      await usage?.flush()
      return usage?.list({ clientId: client_id, by: ['outcome'] })
    }
    expect(await reject(id)).toEqual([])
    await connectPublic(host, id)
    expect(await reject(id)).toContainEqual(expect.objectContaining({ outcome: 'invalid_grant', count: 1 }))
  })

  it('are accepted from the gateways of other processes', async () => {
    const server = await host.createApiKey([])
    await host.gatehouse.apiKeys.setResourceServer(server.client_id, true)
    const id = 'https://agent.example.com/reported.json'
    documents.serve(id, documentOf(id))
    await connectPublic(host, id)
    const totals = {
      day: new Date().toISOString().slice(0, 10),
      source: 'abcdefghijklmnop',
      clientId: id,
      isFirst: true,
      hours: { '0': { 'invoices:read': { ok: 3 } } },
    }
    const response = await fetch(`${host.issuer}/oauth2/usage`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${server.client_id}:${server.client_secret}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ totals: [totals] }),
    })
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(await called(id)).toBe(3)
  })
})
