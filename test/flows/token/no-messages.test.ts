import { expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { connect, startHost } from '../../support/host.ts'
import { watchWrites } from '../../support/stores.ts'

/** `NOTIFY` of PostgreSQL takes one lock for the whole instance at each commit. */
it('no message is published while a token is issued, refreshed or checked', async () => {
  const { store, writes } = watchWrites(memoryStore())
  const host = await startHost({ store })
  try {
    const apiKey = await host.createApiKey()
    const application = await host.createApplication()
    const published = () => writes.filter((write) => write.startsWith('publish'))
    expect(published()).not.toEqual([])
    writes.length = 0

    const direct = await host.token({ ...apiKey, grant_type: 'client_credentials' })
    const tokens = await connect(host, application)
    const refreshed = await host.refresh(application, tokens.refresh_token)
    expect([direct.status, refreshed.status]).toEqual([200, 200])
    for (const { body } of [direct, refreshed]) {
      expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(200)
    }
    expect(writes.length).toBeGreaterThan(0)
    expect(published()).toEqual([])
  } finally {
    await host.close()
  }
})
