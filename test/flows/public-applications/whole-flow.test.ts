import { afterAll, beforeAll, expect, it } from 'vitest'
import { startHost, type Host } from '../../support/host.ts'
import { connectPublic, createPublicApplication } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('a public application on the computer of its user', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore(), gatehouse: { publicApplications: true } })
  })
  afterAll(() => host.close())

  it('gets tokens with PKCE and without a secret, refreshes them, and revokes its own token', async () => {
    const client_id = await createPublicApplication(host)
    const tokens = await connectPublic(host, client_id, { parameters: { scope: 'invoices:read' } })
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'invoices:read', expires_in: 3600 })

    const refresh = () =>
      host.token({ client_id, grant_type: 'refresh_token', refresh_token: tokens.refresh_token })
    const refreshed = await refresh()
    expect(refreshed.status).toBe(200)
    expect(refreshed.body['refresh_token']).not.toBe(tokens.refresh_token)
    const token = String(refreshed.body['access_token'])
    expect((await host.call('GET /invoices/1', token)).status).toBe(200)

    const revoked = await host.post('/oauth2/revoke', { client_id, token })
    expect(revoked.status).toBe(200)
    expect((await host.call('GET /invoices/1', token)).status).toBe(401)
  })
})
