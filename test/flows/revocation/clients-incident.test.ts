import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { GatehouseEvents, HostClient, Registry } from 'koa-gatehouse'
import { mintToken } from 'koa-gatehouse/testing'
import { CALLBACK, connect, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

const direct = { grant_type: 'client_credentials' }
const CALL = 'GET /invoices/list'

async function expectDead(host: Host, ...tokens: unknown[]): Promise<void> {
  for (const token of tokens) {
    const reached = host.reached.length
    const { status, headers, body } = await host.call(CALL, String(token))
    expect([status, body['error']]).toEqual([401, 'invalid_token'])
    expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
    expect(host.reached).toHaveLength(reached)
  }
}

async function expectGood(host: Host, ...tokens: unknown[]): Promise<void> {
  for (const token of tokens) expect((await host.call(CALL, String(token))).status).toBe(200)
}

async function directToken(host: Host, key: { client_id: string; client_secret: string }): Promise<string> {
  const { status, body } = await host.token({ ...key, ...direct })
  expect(status).toBe(200)
  return String(body['access_token'])
}

describeEachStore('In an incident', (makeStore) => {
  let host: Host
  let events: object[]
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    host.accounts.set('mallory', { id: 'mallory', kycLevel: 'verified' })
    host.gatehouse.on('token.revoked', (event: GatehouseEvents['token.revoked']) => events.push(event))
  })
  beforeEach(() => {
    events = []
    // All of a test within one second, which is all that `iat` tells.
    vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 1000) * 1000 })
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  it('one token is revoked, and no other', async () => {
    const key = await host.createApiKey()
    const [one, other] = [await directToken(host, key), await directToken(host, key)]
    await expectGood(host, one, other)
    await host.gatehouse.tokens.revoke(one, { actor: 'ann' })
    await expectDead(host, one)
    await expectGood(host, other)
    expect(events).toEqual([{ of: 'token', id: expect.any(String), actor: 'ann' }])
    // Again does no harm.
    await host.gatehouse.tokens.revoke(one)
    await expectDead(host, one)
  })

  it('one delegated token is revoked, and its refresh token stays good', async () => {
    const application = await host.createApplication()
    const { access_token, refresh_token } = await connect(host, application)
    await host.gatehouse.tokens.revoke(access_token)
    await expectDead(host, access_token)
    const { body } = await host.token({ ...application, grant_type: 'refresh_token', refresh_token })
    await expectGood(host, body['access_token'])
  })

  it('an expired token is dead already: nothing is stored', async () => {
    const key = await host.createApiKey()
    const token = await directToken(host, key)
    vi.setSystemTime(Date.now() + 864_001_000)
    await host.gatehouse.tokens.revoke(token)
    expect(events).toEqual([])
  })

  it('what is no token of ours is rejected, and not repeated', async () => {
    const key = await host.createApiKey()
    const token = await directToken(host, key)
    const application = await host.createApplication()
    const { refresh_token, id_token } = await connect(host, application, { parameters: { scope: 'openid' } })
    const [head, , signature] = token.split('.')
    const forged = `${head}.${Buffer.from('{"sub":"somebody"}').toString('base64url')}.${signature}`
    const foreign = await startHost({})
    const theirs = await mintToken(
      foreign.gatehouse,
      { accountId: 'alice', scopes: ['invoices:read'] },
      { allowPersistentStore: true },
    )
    await foreign.close()
    for (const bad of [forged, theirs, refresh_token, id_token, 'nonsense', '', undefined, 7]) {
      const failure = await host.gatehouse.tokens.revoke(bad as string).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'ERR_INVALID_ARGUMENT', status: 400 })
      if (typeof bad === 'string' && bad !== '') expect(String(failure)).not.toContain(bad)
      expect(String(failure)).not.toContain('somebody')
    }
    expect(events).toEqual([])
    await expectGood(host, token)
  })

  it('all tokens of a client are revoked, while it goes on working', async () => {
    const changes: object[] = []
    const hear = (event: object) => void changes.push(event)
    host.gatehouse.on('client.changed', hear)
    const key = await host.createApiKey()
    const application = await host.createApplication()
    const old = [await directToken(host, key), await directToken(host, key)]
    const { access_token, refresh_token } = await connect(host, application)
    const { tokens } = host.gatehouse
    await tokens.revokeAll({ clientId: key.client_id }, { actor: 'ann' })
    await expectDead(host, ...old)
    await expectGood(host, access_token, await directToken(host, key))
    expect(await tokens.revokeAll({ clientId: application.client_id })).toEqual({ clients: 1, grants: 0 })
    await expectDead(host, access_token)
    const refreshed = await host.token({ ...application, grant_type: 'refresh_token', refresh_token })
    await expectGood(host, refreshed.body['access_token'])
    expect(events).toEqual([
      { of: 'client', id: key.client_id, actor: 'ann' },
      { of: 'client', id: application.client_id },
    ])
    expect(changes).toMatchObject([
      { kind: 'apiKey', accountId: 'acme', change: 'tokens.revoked', actor: 'ann' },
      { kind: 'application', accountId: 'acme', change: 'tokens.revoked' },
    ])
    host.gatehouse.off('client.changed', hear)
  })

  it('all tokens of an account are revoked: of all its clients, and those that act on it', async () => {
    const { apiKeys, tokens } = host.gatehouse
    // More than are read at once.
    for (let index = 0; index < 55; index += 1) {
      await apiKeys.create({ accountId: 'mallory', name: 'Key', products: ['invoices'] })
    }
    const last = await apiKeys.create({ accountId: 'mallory', name: 'Key', products: ['invoices'] })
    const key = { client_id: last.apiKey.clientId, client_secret: last.clientSecret }
    const owned = await host.createApplication({ accountId: 'mallory' })
    const foreign = await host.createApplication()
    const [keyToken, ownedTokens] = [
      await directToken(host, key),
      await connect(host, owned, { user: 'alice' }),
    ]
    const onIt = await connect(host, foreign, { user: 'mallory' })
    const onAlice = await connect(host, foreign, { user: 'alice' })

    const answer = await tokens.revokeAll({ accountId: 'mallory' }, { actor: 'ann' })
    expect(answer).toEqual({ clients: 57, grants: 1 })
    await expectDead(host, keyToken, ownedTokens.access_token, onIt.access_token)
    await expectGood(host, onAlice.access_token, await directToken(host, key))
    const refresh = (client: object, refresh_token: string) =>
      host.token({ ...client, grant_type: 'refresh_token', refresh_token })
    // What others have authorized its application to do is theirs; what it has authorized is over.
    await expectGood(host, (await refresh(owned, ownedTokens.refresh_token)).body['access_token'])
    const rejected = await refresh(foreign, onIt.refresh_token)
    expect([rejected.status, rejected.body['error']]).toEqual([400, 'invalid_grant'])
  })

  it('what cannot be meant is rejected, and takes nothing back', async () => {
    const { tokens } = host.gatehouse
    const bad = { code: 'ERR_INVALID_ARGUMENT' }
    for (const owner of [
      {},
      { clientId: 'a', accountId: 'b' },
      null,
      'acme',
      { accountId: '' },
      { accountId: 7 },
    ]) {
      await expect(tokens.revokeAll(owner as never)).rejects.toMatchObject(bad)
    }
    const both = { actor: 'ann', author: 'ben' }
    await expect(tokens.revokeAll({ accountId: 'acme' }, both as never)).rejects.toMatchObject(bad)
    await expect(tokens.revoke('x', { actor: '' })).rejects.toMatchObject(bad)
    await expect(tokens.revokeAll({ clientId: 'nobody' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    expect(await tokens.revokeAll({ accountId: 'nobody' })).toEqual({ clients: 0, grants: 0 })
    expect(events).toEqual([])
  })

  it('ids of accounts are of any alphabet, as those are that sign in', async () => {
    // Escaped, nearly as long as a subject may be.
    const accountId = 'Äß '.repeat(16).trim()
    host.accounts.set(accountId, { id: accountId })
    const application = await host.createApplication()
    const { access_token } = await connect(host, application, { user: accountId })
    await expectGood(host, access_token)
    const { tokens, accounts } = host.gatehouse
    expect(await accounts.changed(accountId)).toEqual({ clients: 0, grants: 0 })
    expect(await tokens.revokeAll({ accountId })).toEqual({ clients: 0, grants: 1 })
    await expectDead(host, access_token)
  })
})

describeEachStore('Clients in tables of the host', (makeStore) => {
  let host: Host
  let pausing: PausingStore
  let rows: Map<string, HostClient>
  /** What the host's look-up waits for after it has read the row. */
  let beforeAnswer: () => Promise<void>
  const key = { client_id: 'nightly', client_secret: 'the secret of the key' }
  const app = { client_id: 'ledger', client_secret: 'the secret of the app' }

  beforeEach(async () => {
    const common = { accountId: 'acme', products: ['invoices', 'payments'] }
    rows = new Map<string, HostClient>([
      ['nightly', { ...common, kind: 'apiKey', clientId: 'nightly', name: 'Nightly export' }],
      [
        'ledger',
        { ...common, kind: 'application', clientId: 'ledger', name: 'Ledger', redirectUris: [CALLBACK] },
      ],
    ])
    beforeAnswer = async () => {}
    const registry: Registry = {
      async find(clientId) {
        const row = rows.get(clientId)
        await beforeAnswer()
        return row
      },
      verifySecret: (_row, secret) => secret === key.client_secret || secret === app.client_secret,
      async *list({ accountId }) {
        for (const row of rows.values()) if (row.accountId === accountId) yield row
      },
    }
    pausing = pausingStore(makeStore())
    host = await startHost({ store: pausing.store, gatehouse: { registry, storeTimeoutMs: 20_000 } })
    await host.gatehouse.ready()
  })
  afterEach(() => host.close())

  const lose = (clientId: string) => rows.set(clientId, { ...rows.get(clientId)!, products: ['invoices'] })

  it('one that has lost something: its tokens die when the host says so, and new ones are good', async () => {
    const { tokens } = host.gatehouse
    const before = [await directToken(host, key), (await connect(host, app)).access_token]
    for (const clientId of ['nightly', 'ledger']) {
      lose(clientId)
      await tokens.revokeAll({ clientId })
    }
    await expectDead(host, ...before)
    await expectGood(host, await directToken(host, key), (await connect(host, app)).access_token)
    // And again, on top of the first time.
    const second = await directToken(host, key)
    await tokens.revokeAll({ clientId: 'nightly' })
    await expectDead(host, second)
    await expectGood(host, await directToken(host, key))
  })

  it.each(['right before', 'right after'])(
    '…while a token request is under way, %s it reads the row',
    async (when) => {
      const { tokens } = host.gatehouse
      const { refresh_token } = await connect(host, app)
      for (const parameters of [
        { ...key, ...direct },
        { ...app, grant_type: 'refresh_token', refresh_token },
      ]) {
        const clientId = parameters.client_id
        let answer: Promise<Awaited<ReturnType<Host['token']>>>
        if (when === 'right before') {
          const pause = pausing.pauseAfter(`get client-epoch:${clientId}`)
          answer = host.token(parameters)
          expect(await pause.reached).toBe(true)
          lose(clientId)
          await tokens.revokeAll({ clientId })
          pause.end()
        } else {
          let release = () => {}
          const released = new Promise<void>((resolve) => (release = resolve))
          const reached = new Promise<void>((resolve) => {
            beforeAnswer = () => {
              beforeAnswer = async () => {}
              resolve()
              return released
            }
          })
          answer = host.token(parameters)
          await reached
          lose(clientId)
          await tokens.revokeAll({ clientId })
          release()
        }
        const { status, body } = await answer
        expect(status).toBe(200)
        await expectDead(host, body['access_token'])
      }
      await expectGood(host, await directToken(host, key))
    },
  )

  it('one that was deleted or disabled', async () => {
    const { tokens } = host.gatehouse
    const [direct, delegated] = [await directToken(host, key), (await connect(host, app)).access_token]
    rows.delete('nightly')
    rows.set('ledger', { ...rows.get('ledger')!, disabled: true })
    await tokens.revokeAll({ clientId: 'nightly' })
    await tokens.revokeAll({ clientId: 'ledger' })
    await expectDead(host, direct, delegated)
    rows.set('ledger', { ...rows.get('ledger')!, disabled: false })
    await expectGood(host, (await connect(host, app)).access_token)
    await expectDead(host, delegated)
  })

  it('all of an account, as the host lists them', async () => {
    const before = [await directToken(host, key), (await connect(host, app)).access_token]
    expect(await host.gatehouse.tokens.revokeAll({ accountId: 'acme' })).toEqual({ clients: 2, grants: 0 })
    await expectDead(host, ...before)
    await expectGood(host, await directToken(host, key))
  })

  it('all of an account cannot be found without registry.list, and nothing is done by halves', async () => {
    const registry: Registry = { find: (clientId) => rows.get(clientId), verifySecret: () => true }
    const other = await startHost({ store: makeStore(), gatehouse: { registry } })
    try {
      const delegated = (await connect(other, app, { user: 'acme' })).access_token
      const { tokens, accounts } = other.gatehouse
      const failure = {
        code: 'ERR_HOST_CALLBACK',
        message: expect.stringContaining('implement list({ accountId })'),
      }
      await expect(tokens.revokeAll({ accountId: 'acme' })).rejects.toMatchObject(failure)
      await expect(accounts.changed('acme')).rejects.toMatchObject(failure)
      await expectGood(other, delegated)
    } finally {
      await other.close()
    }
  })
})
