// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('revocation on a store that has lost its last writes', (makeStore) => {
  const hosts: Host[] = []
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())))

  const SCOPE = { parameters: { scope: 'openid invoices:read' } }
  const call = async (host: Host, token: unknown) =>
    (await host.call('GET /invoices/list', String(token))).status

  // Fixed bug: after the loss, the processes still had the revocations in memory. Until these revocations
  // expired, the processes rejected new tokens, because new tokens had the epoch of revoked tokens.
  it.each(['apiKey', 'application'] as const)(
    'after writes about a client (%s) are lost, the client gets valid tokens again, and revoked tokens stay rejected',
    async (kind) => {
      const store = makeStore(randomUUID())
      const host = await startHost({ store })
      hosts.push(host)
      const client = await (kind === 'apiKey' ? host.createApiKey() : host.createApplication())
      const newToken = async () =>
        kind === 'apiKey'
          ? (await host.requestDirectToken(client)).body['access_token']
          : (await connect(host, client, SCOPE)).access_token
      const { tokens, apiKeys, applications } = host.gatehouse
      const record = `client:${client.client_id}`
      const old = await newToken()
      const before = (await store.get(record)) ?? ''
      await tokens.revokeAll({ clientId: client.client_id })
      await (kind === 'apiKey' ? apiKeys : applications).removeOperation(client.client_id, 'invoices:create')
      await store.set(record, before)

      expect(await call(host, old)).toBe(401)
      // The first request detects the loss. The token of this request may be rejected.
      await newToken()
      const fresh = await newToken()
      expect(await call(host, fresh)).toBe(200)
      expect(await call(host, old)).toBe(401)
      await tokens.revokeAll({ clientId: client.client_id })
      expect(await call(host, fresh)).toBe(401)
      expect(await call(host, await newToken())).toBe(200)
    },
  )

  it('a client whose deletion was lost gets no valid token', async () => {
    const store = makeStore(randomUUID())
    const host = await startHost({ store })
    hosts.push(host)
    const key = await host.createApiKey()
    const before = (await store.get(`client:${key.client_id}`)) ?? ''
    await host.gatehouse.apiKeys.delete(key.client_id)
    await store.set(`client:${key.client_id}`, before)
    const { body } = await host.requestDirectToken(key)
    expect(await call(host, body['access_token'])).toBe(401)
    expect(await store.get(`client:${key.client_id}`)).toBe(before)
    expect(host.reached).toEqual([])
  })
})
