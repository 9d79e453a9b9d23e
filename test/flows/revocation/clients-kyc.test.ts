import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Account } from 'koa-gatehouse'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { expectAccepted, expectRejected, freezeSecond } from '../../support/token-checks.ts'
import { describeEachStore } from '../../support/stores.ts'

const direct = { grant_type: 'client_credentials' }
const LIST = 'GET /payments/list'

describeEachStore('accounts.changed()', (makeStore) => {
  let host: Host
  let changes: object[]
  /** The host's `find()` reads the account, and then awaits this function. */
  let beforeAnswer: (accountId: string) => Promise<void>

  beforeEach(async () => {
    changes = []
    beforeAnswer = async () => {}
    const accounts = new Map<string, Account>([
      ['alice', { id: 'alice' }],
      ['acme', { id: 'acme', kycLevel: 'verified' }],
      ['other', { id: 'other', kycLevel: 'verified' }],
    ])
    host = await startHost({
      store: makeStore(),
      accounts,
      gatehouse: {
        accounts: {
          async find(accountId) {
            const found = accounts.get(accountId)
            await beforeAnswer(accountId)
            return found
          },
          authenticate: ({ identifier }) => ({ accountId: identifier }),
        },
      },
    })
    host.gatehouse.on('client.changed', (event) => changes.push(event))
    freezeSecond()
  })
  afterEach(async () => {
    vi.useRealTimers()
    await host.close()
  })

  const count = (clients: number, grants: number) => ({ clients, grants, secretsToRotate: [] })
  const setLevel = (account = 'acme', kycLevel = 'basic') =>
    host.accounts.set(account, { id: 'acme', kycLevel })

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

  it('after the KYC level falls, accounts.changed() revokes the tokens with an operation above the new level, and no other tokens', async () => {
    const application = await host.createApplication()
    const all = await connect(host, application)
    const narrow = await connect(host, application, { parameters: { scope: 'payments:list' } })
    const key = await directToken()
    const ofOtherDeveloper = await connect(host, await host.createApplication({ accountId: 'other' }))
    expect(all.scope).toContain('payments:transfer')
    setLevel()
    expect(await host.gatehouse.accounts.changed('acme', { actor: 'ann' })).toEqual(count(1, 0))
    await expectRejected(host, all.access_token, LIST)
    await expectAccepted(host, narrow.access_token, LIST)
    // An API key acts on its own account, and KYC levels do not restrict API keys.
    await expectAccepted(host, key, LIST)
    await expectAccepted(host, ofOtherDeveloper.access_token, LIST)
    const what = { change: 'tokens.revoked', target: 'payments:transfer', actor: 'ann' }
    expect(changes).toEqual([
      { kind: 'application', clientId: application.client_id, accountId: 'acme', ...what },
    ])

    // A refresh leaves out operations above the level. The new token is valid even if it was issued in the
    // same second as the revocation.
    const { refresh_token } = all
    const refreshed = await host.refresh(application, refresh_token)
    expect(refreshed.body['scope']).toBe('invoices:read invoices:create payments:list')
    await expectAccepted(host, refreshed.body['access_token'], LIST)
    // Reporting the same change again revokes no token.
    await host.gatehouse.accounts.changed('acme')
    await host.gatehouse.accounts.changed('acme')
    await expectAccepted(host, refreshed.body['access_token'], LIST)
    await expectAccepted(host, narrow.access_token, LIST)
    // A level that rises again restores no revoked token.
    setLevel('acme', 'verified')
    expect(await host.gatehouse.accounts.changed('acme')).toMatchObject({ clients: 0, grants: 0 })
    await expectRejected(host, all.access_token, LIST)
    expect((await connect(host, application)).scope).toContain('payments:transfer')
  })

  it('after the KYC level falls, accounts.changed() revokes nothing if no client has an operation above the level', async () => {
    const application = await host.createApplication({ removedOperations: ['payments:transfer'] })
    const { access_token } = await connect(host, application)
    setLevel()
    expect(await host.gatehouse.accounts.changed('acme')).toEqual(count(0, 0))
    await expectAccepted(host, access_token, LIST)
    expect(changes).toEqual([])
  })

  it.each(['authorization_code', 'refresh_token'])(
    'when the KYC level falls during a token request (%s), the issued token is rejected',
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
      setLevel()
      await host.gatehouse.accounts.changed('acme')
      release()
      const { status, body } = await request
      expect([status, String(body['scope']).includes('payments:transfer')]).toEqual([200, true])
      await expectRejected(host, body['access_token'], LIST)
    },
  )

  it('after an account is removed, accounts.changed() revokes all tokens of its clients, and all tokens that act on the account', async () => {
    const application = await host.createApplication()
    const owned = await connect(host, application)
    const onAccount = await connect(host, await host.createApplication({ accountId: 'other' }), {
      user: 'acme',
    })
    const key = await directToken()
    host.accounts.delete('acme')
    expect(await host.gatehouse.accounts.changed('acme')).toEqual(count(2, 1))
    await expectRejected(host, [owned.access_token, onAccount.access_token, key], LIST)
  })

  it('when the host cannot read the account, accounts.changed() revokes nothing and throws the error of the host', async () => {
    const { access_token } = await connect(host, await host.createApplication())
    beforeAnswer = async () => {
      throw new Error('the database is down')
    }
    await expect(host.gatehouse.accounts.changed('acme')).rejects.toThrow('the database is down')
    await expect(host.gatehouse.accounts.changed('')).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    beforeAnswer = async () => {}
    await expectAccepted(host, access_token, LIST)
    expect(changes).toEqual([])
  })
})
