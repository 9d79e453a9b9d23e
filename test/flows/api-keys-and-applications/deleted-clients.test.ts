// Also runs on: Redis
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('deleted clients', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    host.accounts.set('mallory', { id: 'mallory', kycLevel: 'verified' })
  })
  afterAll(() => host.close())

  it('the id of a deleted client is never used again (fixed bug: a new client with the same id got the grants of the deleted client)', async () => {
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

    const rejected = await host.refresh(application, refresh_token)
    expect([rejected.status, rejected.body['error']]).toEqual([401, 'invalid_client'])
    expect(rejected.body).not.toHaveProperty('access_token')
    // Another application of the same developer cannot use the refresh token.
    const other = await host.createApplication()
    const byOther = await host.refresh(other, refresh_token)
    expect([byOther.status, byOther.body['error']]).toEqual([400, 'invalid_grant'])
  })

  it('a deleted client gets no direct token, and gets the same error as an unknown client', async () => {
    const key = await host.createApiKey()
    await host.gatehouse.apiKeys.delete(key.client_id)
    const deleted = await host.requestDirectToken(key)
    const unknown = await host.requestDirectToken({ ...key, client_id: 'unknown' })
    expect(deleted.status).toBe(401)
    expect(deleted.text).toBe(unknown.text)
    expect(deleted.body).not.toHaveProperty('access_token')
  })
})
