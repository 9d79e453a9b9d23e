import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('A client that was deleted', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    host.accounts.set('mallory', { id: 'mallory', kycLevel: 'verified' })
  })
  afterAll(() => host.close())

  it('bug: whoever created its client id anew got the grants of its users', async () => {
    const application = await host.createApplication({ clientId: 'ledger' })
    const { refresh_token } = await connect(host, application)
    await host.gatehouse.applications.delete('ledger')

    await expect(host.createApplication({ clientId: 'ledger', accountId: 'mallory' })).rejects.toMatchObject({
      code: 'ERR_CONFLICT',
      message: expect.stringContaining('"ledger" belonged to a client that was deleted'),
    })
    await expect(
      host.gatehouse.apiKeys.create({ accountId: 'mallory', name: 'Key', clientId: 'ledger' }),
    ).rejects.toMatchObject({ code: 'ERR_CONFLICT' })

    const rejected = await host.token({ ...application, grant_type: 'refresh_token', refresh_token })
    expect([rejected.status, rejected.body['error']]).toEqual([401, 'invalid_client'])
    expect(rejected.body).not.toHaveProperty('access_token')
    // Nor does it serve another application of the same developer.
    const other = await host.createApplication()
    const foreign = await host.token({ ...other, grant_type: 'refresh_token', refresh_token })
    expect([foreign.status, foreign.body['error']]).toEqual([400, 'invalid_grant'])
  })

  it('gets no direct token any more, and cannot be told from one that never was', async () => {
    const key = await host.createApiKey()
    await host.gatehouse.apiKeys.delete(key.client_id)
    const deleted = await host.token({ ...key, grant_type: 'client_credentials' })
    const unknown = await host.token({ ...key, client_id: 'nobody', grant_type: 'client_credentials' })
    expect(deleted.status).toBe(401)
    expect(deleted.text).toBe(unknown.text)
    expect(deleted.body).not.toHaveProperty('access_token')
  })
})
