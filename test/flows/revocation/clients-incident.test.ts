// Also runs on: Redis
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { GatehouseEvents } from 'koa-gatehouse'
import { mintToken } from 'koa-gatehouse/testing'
import { connect, startHost, type Host } from '../../support/host.ts'
import { expectAccepted, expectRejected, freezeSecond } from '../../support/token-checks.ts'
import { describeEachStore } from '../../support/stores.ts'

const direct = { grant_type: 'client_credentials' }

async function directToken(host: Host, key: { client_id: string; client_secret: string }): Promise<string> {
  const { status, body } = await host.token({ ...key, ...direct })
  expect(status).toBe(200)
  return String(body['access_token'])
}

describeEachStore('revocation in an incident', (makeStore) => {
  let host: Host
  let events: object[]
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    host.accounts.set('mallory', { id: 'mallory', kycLevel: 'verified' })
    host.gatehouse.on('token.revoked', (event: GatehouseEvents['token.revoked']) => events.push(event))
  })
  beforeEach(() => {
    events = []
    freezeSecond()
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  it('tokens.revoke() revokes only the passed token', async () => {
    const key = await host.createApiKey()
    const [one, other] = [await directToken(host, key), await directToken(host, key)]
    await expectAccepted(host, [one, other])
    await host.gatehouse.tokens.revoke(one, { actor: 'ann' })
    await expectRejected(host, one)
    await expectAccepted(host, other)
    expect(events).toEqual([{ of: 'token', id: expect.any(String), actor: 'ann' }])
    // Revoking the same token again succeeds and has no effect.
    await host.gatehouse.tokens.revoke(one)
    await expectRejected(host, one)
  })

  it('tokens.revoke() of a delegated access token leaves its refresh token valid', async () => {
    const application = await host.createApplication()
    const { access_token, refresh_token } = await connect(host, application)
    await host.gatehouse.tokens.revoke(access_token)
    await expectRejected(host, access_token)
    const { body } = await host.refresh(application, refresh_token)
    await expectAccepted(host, body['access_token'])
  })

  it('tokens.revoke() of an expired token stores nothing', async () => {
    const key = await host.createApiKey()
    const token = await directToken(host, key)
    vi.setSystemTime(Date.now() + 864_001_000)
    await host.gatehouse.tokens.revoke(token)
    expect(events).toEqual([])
  })

  it('tokens.revoke() rejects any value that is not a token of this service, and its error does not quote the value', async () => {
    const key = await host.createApiKey()
    const token = await directToken(host, key)
    const application = await host.createApplication()
    const { refresh_token, id_token } = await connect(host, application, { parameters: { scope: 'openid' } })
    const [head, , signature] = token.split('.')
    const forged = `${head}.${Buffer.from('{"sub":"unknown"}').toString('base64url')}.${signature}`
    const otherService = await startHost({})
    const otherServiceToken = await mintToken(
      otherService.gatehouse,
      { accountId: 'alice', scopes: ['invoices:read'] },
      { allowPersistentStore: true },
    )
    await otherService.close()
    for (const invalid of [
      forged,
      otherServiceToken,
      refresh_token,
      id_token,
      'nonsense',
      '',
      undefined,
      7,
    ]) {
      const failure = await host.gatehouse.tokens.revoke(invalid as string).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'ERR_INVALID_ARGUMENT', status: 400 })
      if (typeof invalid === 'string' && invalid !== '') expect(String(failure)).not.toContain(invalid)
      expect(String(failure)).not.toContain('unknown')
    }
    expect(events).toEqual([])
    await expectAccepted(host, token)
  })

  it('tokens.revokeAll({ clientId }) revokes all tokens of a client, and the client can get new tokens', async () => {
    const changes: object[] = []
    const record = (event: object) => void changes.push(event)
    host.gatehouse.on('client.changed', record)
    const key = await host.createApiKey()
    const application = await host.createApplication()
    const old = [await directToken(host, key), await directToken(host, key)]
    const { access_token, refresh_token } = await connect(host, application)
    const { tokens } = host.gatehouse
    await tokens.revokeAll({ clientId: key.client_id }, { actor: 'ann' })
    await expectRejected(host, old)
    await expectAccepted(host, [access_token, await directToken(host, key)])
    expect(await tokens.revokeAll({ clientId: application.client_id })).toEqual({ clients: 1, grants: 0 })
    await expectRejected(host, access_token)
    const refreshed = await host.refresh(application, refresh_token)
    await expectAccepted(host, refreshed.body['access_token'])
    expect(events).toEqual([
      { of: 'client', id: key.client_id, actor: 'ann' },
      { of: 'client', id: application.client_id },
    ])
    expect(changes).toMatchObject([
      { kind: 'apiKey', accountId: 'acme', change: 'tokens.revoked', actor: 'ann' },
      { kind: 'application', accountId: 'acme', change: 'tokens.revoked' },
    ])
    host.gatehouse.off('client.changed', record)
  })

  it('tokens.revokeAll({ accountId }) revokes all tokens of the clients of the account, and all tokens that act on the account', async () => {
    const { apiKeys, tokens } = host.gatehouse
    // The account has more clients than one page of the list can hold.
    for (let index = 0; index < 55; index += 1) {
      await apiKeys.create({ accountId: 'mallory', name: 'Key', products: ['invoices'] })
    }
    const last = await apiKeys.create({ accountId: 'mallory', name: 'Key', products: ['invoices'] })
    const key = { client_id: last.apiKey.clientId, client_secret: last.clientSecret }
    const ownClient = await host.createApplication({ accountId: 'mallory' })
    const otherClient = await host.createApplication()
    const [keyToken, ownClientTokens] = [
      await directToken(host, key),
      await connect(host, ownClient, { user: 'alice' }),
    ]
    const onAccount = await connect(host, otherClient, { user: 'mallory' })
    const onAlice = await connect(host, otherClient, { user: 'alice' })

    const answer = await tokens.revokeAll({ accountId: 'mallory' }, { actor: 'ann' })
    expect(answer).toEqual({ clients: 57, grants: 1 })
    await expectRejected(host, [keyToken, ownClientTokens.access_token, onAccount.access_token])
    await expectAccepted(host, [onAlice.access_token, await directToken(host, key)])
    // Alice's grant for mallory's application stays valid. Mallory's own grant is revoked.
    await expectAccepted(
      host,
      (await host.refresh(ownClient, ownClientTokens.refresh_token)).body['access_token'],
    )
    const rejected = await host.refresh(otherClient, onAccount.refresh_token)
    expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_grant'])
  })

  it('tokens.revokeAll() rejects invalid arguments, and revokes nothing', async () => {
    const { tokens } = host.gatehouse
    const invalid = { code: 'ERR_INVALID_ARGUMENT' }
    for (const owner of [
      {},
      { clientId: 'a', accountId: 'b' },
      null,
      'acme',
      { accountId: '' },
      { accountId: 7 },
    ]) {
      await expect(tokens.revokeAll(owner as never)).rejects.toMatchObject(invalid)
    }
    const both = { actor: 'ann', author: 'ben' }
    await expect(tokens.revokeAll({ accountId: 'acme' }, both as never)).rejects.toMatchObject(invalid)
    await expect(tokens.revoke('x', { actor: '' })).rejects.toMatchObject(invalid)
    await expect(tokens.revokeAll({ clientId: 'unknown' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    expect(await tokens.revokeAll({ accountId: 'unknown' })).toEqual({ clients: 0, grants: 0 })
    expect(events).toEqual([])
  })

  it('revocation accepts account ids of any alphabet, as sign-in does', async () => {
    // After escaping, this id nearly has the maximum length of a subject.
    const accountId = 'Äß '.repeat(16).trim()
    host.accounts.set(accountId, { id: accountId })
    const application = await host.createApplication()
    const { access_token } = await connect(host, application, { user: accountId })
    await expectAccepted(host, access_token)
    const { tokens, accounts } = host.gatehouse
    expect(await accounts.changed(accountId)).toEqual({ clients: 0, grants: 0, secretsToRotate: [] })
    expect(await tokens.revokeAll({ accountId })).toEqual({ clients: 0, grants: 1 })
    await expectRejected(host, access_token)
  })
})
