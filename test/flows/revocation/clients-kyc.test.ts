import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Account } from 'koa-gatehouse'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const direct = { grant_type: 'client_credentials' }
const LIST = 'GET /payments/list'

describeEachStore('An account of which the host says that it changed', (makeStore) => {
  let host: Host
  let changes: object[]
  /** What the host's look-up waits for after it has read the account. */
  let beforeAnswer: (accountId: string) => Promise<void>

  beforeEach(async () => {
    changes = []
    beforeAnswer = async () => {}
    const accounts = new Map<string, Account>([
      ['alice', { id: 'alice' }],
      ['acme', { id: 'acme', kycLevel: 'verified' }],
      ['acme/ann', { id: 'acme', kycLevel: 'verified' }],
      ['other', { id: 'other', kycLevel: 'verified' }],
    ])
    host = await startHost({
      store: makeStore(),
      accounts,
      gatehouse: {
        accounts: {
          // A member of an account is found as long as both are.
          async find(accountId, userId) {
            const account = accounts.get(accountId)
            const found = account && userId !== undefined ? accounts.get(`${accountId}/${userId}`) : account
            await beforeAnswer(accountId)
            return found
          },
          authenticate: ({ identifier }) => ({ accountId: identifier }),
        },
      },
    })
    host.gatehouse.on('client.changed', (event) => changes.push(event))
    // All of a test within one second, which is all that `iat` tells.
    vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 1000) * 1000 })
  })
  afterEach(async () => {
    vi.useRealTimers()
    await host.close()
  })

  const fall = (account = 'acme', kycLevel = 'basic') => host.accounts.set(account, { id: 'acme', kycLevel })

  async function expectDead(token: unknown): Promise<void> {
    const reached = host.reached.length
    const { status, body } = await host.call(LIST, String(token))
    expect([status, body['error']]).toEqual([401, 'invalid_token'])
    expect(host.reached).toHaveLength(reached)
  }

  async function expectGood(token: unknown): Promise<void> {
    expect((await host.call(LIST, String(token))).status).toBe(200)
  }

  async function directToken(overrides: object = {}): Promise<string> {
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Key',
      products: ['payments'],
      ...overrides,
    })
    const { body } = await host.token({ client_id: apiKey.clientId, client_secret: clientSecret, ...direct })
    return String(body['access_token'])
  }

  it('its KYC level fell: tokens that carry an operation above it are dead, and all others are good', async () => {
    const application = await host.createApplication()
    const all = await connect(host, application)
    const less = await connect(host, application, { parameters: { scope: 'payments:list' } })
    const key = await directToken()
    const foreign = await connect(host, await host.createApplication({ accountId: 'other' }))
    expect(all.scope).toContain('payments:transfer')
    fall()
    expect(await host.gatehouse.accounts.changed('acme', { actor: 'ann' })).toEqual({ clients: 1, grants: 0 })
    await expectDead(all.access_token)
    await expectGood(less.access_token)
    // An API key acts on its own account, and levels are no matter there.
    await expectGood(key)
    await expectGood(foreign.access_token)
    const what = { change: 'tokens.revoked', target: 'payments:transfer', actor: 'ann' }
    expect(changes).toEqual([
      { kind: 'application', clientId: application.client_id, accountId: 'acme', ...what },
    ])

    // A refresh goes by the level by itself, and its token is good in the same second.
    const { refresh_token } = all
    const refreshed = await host.token({ ...application, grant_type: 'refresh_token', refresh_token })
    expect(refreshed.body['scope']).toBe('invoices:read invoices:create payments:list')
    await expectGood(refreshed.body['access_token'])
    // Once more, and once more: no harm.
    await host.gatehouse.accounts.changed('acme')
    await host.gatehouse.accounts.changed('acme')
    await expectGood(refreshed.body['access_token'])
    await expectGood(less.access_token)
  })

  it('its level rose again: new tokens are good, and those from before it fell stay dead', async () => {
    const application = await host.createApplication()
    const before = await connect(host, application)
    fall()
    await host.gatehouse.accounts.changed('acme')
    fall('acme', 'verified')
    expect(await host.gatehouse.accounts.changed('acme')).toEqual({ clients: 0, grants: 0 })
    const after = await connect(host, application)
    expect(after.scope).toContain('payments:transfer')
    await expectGood(after.access_token)
    await expectDead(before.access_token)
  })

  it('nothing that concerns its clients changed: nothing is revoked', async () => {
    const application = await host.createApplication({ removedOperations: ['payments:transfer'] })
    const { access_token } = await connect(host, application)
    fall()
    expect(await host.gatehouse.accounts.changed('acme')).toEqual({ clients: 0, grants: 0 })
    await expectGood(access_token)
    expect(changes).toEqual([])
  })

  it.each(['authorization_code', 'refresh_token'])(
    'its level fell in the middle of a token request (%s): the token is dead on arrival',
    async (grant_type) => {
      const application = await host.createApplication()
      const parameters =
        grant_type === 'refresh_token'
          ? { refresh_token: (await connect(host, application)).refresh_token }
          : { code: (await authorize(host, application.client_id)).code }
      let release = () => {}
      const released = new Promise<void>((resolve) => (release = resolve))
      const reached = new Promise<void>((resolve) => {
        beforeAnswer = async (accountId) => {
          if (accountId !== 'acme') return
          beforeAnswer = async () => {}
          resolve()
          await released
        }
      })
      const request = host.token({ ...application, grant_type, ...parameters })
      await reached
      fall()
      await host.gatehouse.accounts.changed('acme')
      release()
      const { status, body } = await request
      expect([status, String(body['scope']).includes('payments:transfer')]).toEqual([200, true])
      await expectDead(body['access_token'])
    },
  )

  it('it is gone: everything that has to do with it is dead', async () => {
    const application = await host.createApplication()
    const owned = await connect(host, application)
    const onIt = await connect(host, await host.createApplication({ accountId: 'other' }), { user: 'acme' })
    const key = await directToken()
    host.accounts.delete('acme')
    expect(await host.gatehouse.accounts.changed('acme')).toEqual({ clients: 2, grants: 1 })
    for (const token of [owned.access_token, onIt.access_token, key]) await expectDead(token)
  })

  it('a member is gone: the tokens of the clients that they own are dead, of both kinds', async () => {
    const theirs = { userId: 'ann' }
    const [key, colleague] = [await directToken(theirs), await directToken()]
    const { access_token } = await connect(host, await host.createApplication(theirs))
    host.accounts.delete('acme/ann')
    expect(await host.gatehouse.accounts.changed('acme')).toEqual({ clients: 2, grants: 0 })
    await expectDead(key)
    await expectDead(access_token)
    await expectGood(colleague)
  })

  it('the host cannot say what it is now: nothing is revoked, and the error is told', async () => {
    const { access_token } = await connect(host, await host.createApplication())
    beforeAnswer = async () => {
      throw new Error('the database is away')
    }
    await expect(host.gatehouse.accounts.changed('acme')).rejects.toThrow('the database is away')
    await expect(host.gatehouse.accounts.changed('')).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    beforeAnswer = async () => {}
    await expectGood(access_token)
    expect(changes).toEqual([])
  })
})
