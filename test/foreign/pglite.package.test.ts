import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { connect, startHost } from '../support/host.ts'
import { breakConnection, createStore } from './pglite-store.ts'

describe('PostgreSQL in the process (PGlite)', () => {
  it('once a lost connection is restored, the store on PGlite notifies a listener that messages may have been missed', async () => {
    const store = createStore()
    let missed = 0
    await store.subscribe(
      'a',
      () => {},
      () => (missed += 1),
    )
    const restore = breakConnection(store)
    await delay(0)
    expect(missed).toBe(0)
    restore()
    await delay(0)
    expect(missed).toBe(1)
    await store.close()
  })

  it('inspect() on PGlite warns that it does not write through to the disk', async () => {
    const store = createStore()
    const { checks = [] } = (await store.inspect?.()) ?? {}
    expect(checks.filter(({ status }) => status !== 'pass')).toEqual([
      {
        name: 'persistence',
        status: 'warn',
        message: 'fsync or full_page_writes is off: a machine that fails loses data',
        remedy: 'Set fsync and full_page_writes to on in postgresql.conf',
      },
    ])
    await store.close()
  })

  it('a host on the store on PGlite issues direct and delegated tokens, and rejects revoked tokens', async () => {
    const host = await startHost({ store: createStore() })
    try {
      const apiKey = await host.createApiKey()
      const direct = await host.token({ ...apiKey, grant_type: 'client_credentials' })
      expect(direct.status).toBe(200)
      const call = (token: unknown) => host.call('GET /invoices/list', String(token))
      expect((await call(direct.body['access_token'])).status).toBe(200)
      expect(host.reached).toEqual(['GET /api/invoices/list'])

      const application = await host.createApplication()
      const tokens = await connect(host, application)
      const refresh = (token: string) =>
        host.token({ ...application, grant_type: 'refresh_token', refresh_token: token })
      const refreshed = await refresh(tokens.refresh_token)
      expect(refreshed.status).toBe(200)
      expect((await call(refreshed.body['access_token'])).status).toBe(200)
      expect(host.reached).toHaveLength(2)

      expect((await host.gatehouse.grants.list({ accountId: 'alice' })).items).toHaveLength(1)
      await host.gatehouse.apiKeys.delete(apiKey.client_id)
      const rejected = await call(direct.body['access_token'])
      expect(rejected.status).toBe(401)
      expect(rejected.headers.get('www-authenticate')).toContain('error="invalid_token"')

      // The second use of a refresh token revokes its family.
      const again = await refresh(tokens.refresh_token)
      expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant'])
      expect((await refresh(String(refreshed.body['refresh_token']))).status).toBe(400)
      expect(host.reached).toHaveLength(2)
    } finally {
      await host.close()
    }
  })
})
