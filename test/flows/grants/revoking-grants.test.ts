import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Grant, GatehouseEvents } from 'koa-gatehouse'
import type { Browser } from '../../support/browser.ts'
import { asksFor, authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

type Credentials = { client_id: string; client_secret: string }

describeEachStore('grants of an account', (makeStore) => {
  let host: Host
  let client: Credentials
  const revoked: GatehouseEvents['grant.revoked'][] = []

  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    client = await host.createApplication()
    host.gatehouse.on('grant.revoked', (event) => revoked.push(event))
  })
  afterEach(async () => {
    for (const accountId of ['alice', 'bob']) await host.gatehouse.grants.revokeAll({ accountId })
    revoked.splice(0)
  })
  afterAll(() => host.close())

  const { floor } = Math
  const refresh = (token: string, credentials = client) =>
    host.token({ ...credentials, grant_type: 'refresh_token', refresh_token: token })
  const exchange = (code: string, credentials = client) =>
    host.token({ ...credentials, grant_type: 'authorization_code', code })
  const userInfo = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await host.fetch(`${host.issuer}/oauth2/userinfo`, { headers })).status
  }
  const silently = (browser: Browser, clientId = client.client_id) =>
    browser.open(authorizationUrl(host, clientId, { prompt: 'none', scope: 'openid invoices:read' }))
  const grantsOf = async (accountId: string) => (await host.gatehouse.grants.list({ accountId })).items
  const onlyGrantOf = async (accountId: string): Promise<Grant> => {
    const items = await grantsOf(accountId)
    expect(items).toHaveLength(1)
    return items[0] as Grant
  }

  test('a grant is listed with what was authorized, and without what was rejected', async () => {
    const before = floor(Date.now() / 1000)
    await connect(host, client, {
      parameters: { scope: 'openid invoices:read invoices:create' },
      untick: ['invoices:create'],
    })
    const grant = await onlyGrantOf('alice')
    expect(grant).toEqual({
      grantId: expect.stringMatching(/^[\w-]{20,}$/) as string,
      clientId: client.client_id,
      accountId: 'alice',
      scopes: ['openid', 'invoices:read'],
      authorizedAt: expect.any(Number) as number,
      lastUsedAt: expect.any(Number) as number,
      expiresAt: expect.any(Number) as number,
    })
    for (const time of [grant.authorizedAt, grant.lastUsedAt]) {
      expect(time).toBeGreaterThanOrEqual(before)
      expect(time).toBeLessThanOrEqual(Date.now() / 1000)
    }
    expect(grant.expiresAt - before).toBeGreaterThanOrEqual(31 * 86_400)
    expect(await host.gatehouse.grants.find(grant.grantId)).toEqual(grant)
    expect(await grantsOf('bob')).toEqual([])
  })

  test('one is not listed before its code is exchanged, and is not listed twice after refreshing', async () => {
    const { code } = await authorize(host, client.client_id)
    expect(await grantsOf('alice')).toEqual([])
    const { body } = await exchange(code)
    const grant = await onlyGrantOf('alice')
    await refresh(String(body['refresh_token']))
    expect(await onlyGrantOf('alice')).toEqual(grant)
  })

  test('what is revoked is dead at the gateway, at user info and for refreshing; an event tells', async () => {
    const tokens = await connect(host, client, { parameters: { scope: 'openid invoices:read' } })
    const { grantId } = await onlyGrantOf('alice')
    expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
    expect(await userInfo(tokens.access_token)).toBe(200)

    await host.gatehouse.grants.revoke(grantId, { actor: 'alice herself' })

    const reachedBefore = host.reached.length
    const call = await host.call('GET /invoices/list', tokens.access_token)
    expect(call.status).toBe(401)
    expect(call.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(host.reached).toHaveLength(reachedBefore)
    expect(await userInfo(tokens.access_token)).toBe(401)
    const { status, body } = await refresh(tokens.refresh_token)
    expect({ status, error: body['error'] }).toEqual({ status: 400, error: 'invalid_grant' })
    expect(await grantsOf('alice')).toEqual([])
    expect(await host.gatehouse.grants.find(grantId)).toBeUndefined()
    expect(revoked).toEqual([
      { grantId, clientId: client.client_id, accountId: 'alice', actor: 'alice herself' },
    ])
  })

  test('one grant is revoked alone: others of the account, and of others, live', async () => {
    const other = await host.createApplication()
    const theirs = [
      { credentials: client, tokens: await connect(host, client) },
      { credentials: other, tokens: await connect(host, other) },
      { credentials: client, tokens: await connect(host, client, { user: 'bob' }) },
    ]
    const known = new Set((await grantsOf('alice')).map(({ grantId }) => grantId))
    const { access_token: token } = await connect(host, client)
    const fresh = (await grantsOf('alice')).find(({ grantId }) => !known.has(grantId))
    await host.gatehouse.grants.revoke(String(fresh?.grantId))
    expect((await host.call('GET /invoices/list', token)).status).toBe(401)
    for (const { credentials, tokens } of theirs) {
      expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
      expect((await refresh(tokens.refresh_token, credentials)).status).toBe(200)
    }
  })

  test.each([
    ['revoke', async (grant: Grant) => host.gatehouse.grants.revoke(grant.grantId)],
    [
      'revokeAll the account',
      async ({ accountId }: Grant) => void (await host.gatehouse.grants.revokeAll({ accountId })),
    ],
    [
      'revokeAll account and application',
      async ({ accountId, clientId }: Grant) =>
        void (await host.gatehouse.grants.revokeAll({ accountId, clientId })),
    ],
  ])('%s: nothing comes back without the person, and all comes back with them', async (_name, takeBack) => {
    const parameters = { scope: 'openid invoices:read' }
    const { code, browser } = await authorize(host, client.client_id, { parameters })
    await exchange(code)
    expect((await silently(browser)).url.searchParams.get('code')).toMatch(/./)
    await takeBack(await onlyGrantOf('alice'))

    expect((await silently(browser)).url.searchParams.get('error')).toBe('consent_required')
    const page = await browser.open(authorizationUrl(host, client.client_id, parameters))
    expect(asksFor(page)).toBe('consent')
    const again = await connect(host, client, { browser, parameters })
    expect((await host.call('GET /invoices/list', again.access_token)).status).toBe(200)
    expect((await refresh(again.refresh_token)).status).toBe(200)
    expect((await silently(browser)).url.searchParams.get('code')).toMatch(/./)
  })

  test('all of an account, and nothing of another: also codes that are not exchanged yet', async () => {
    const other = await host.createApplication()
    const tokens = [await connect(host, client), await connect(host, other)]
    const ofBob = await connect(host, client, { user: 'bob' })
    const { code } = await authorize(host, client.client_id)
    const { code: codeOfBob } = await authorize(host, client.client_id, { user: 'bob' })

    expect(await host.gatehouse.grants.revokeAll({ accountId: 'alice' })).toBe(2)

    for (const { access_token: token } of tokens) {
      expect((await host.call('GET /invoices/list', token)).status).toBe(401)
    }
    const { status, body } = await exchange(code)
    expect({ status, error: body['error'] }).toEqual({ status: 400, error: 'invalid_grant' })
    expect(await grantsOf('alice')).toEqual([])
    expect((await exchange(codeOfBob)).status).toBe(200)
    expect((await host.call('GET /invoices/list', ofBob.access_token)).status).toBe(200)
    expect(await grantsOf('bob')).toHaveLength(2)
  })

  test('"withdraw this application": all of the account and it, and no other application', async () => {
    const other = await host.createApplication()
    const withdrawn = [await connect(host, client), await connect(host, client)]
    const kept = await connect(host, other)
    const { code } = await authorize(host, client.client_id)
    const { code: keptCode } = await authorize(host, other.client_id)

    const holder = { accountId: 'alice', clientId: client.client_id }
    expect(await host.gatehouse.grants.revokeAll(holder, { actor: 'alice' })).toBe(2)
    expect(revoked.map(({ clientId, actor }) => ({ clientId, actor }))).toEqual([
      { clientId: client.client_id, actor: 'alice' },
      { clientId: client.client_id, actor: 'alice' },
    ])
    for (const { access_token: token, refresh_token: refreshToken } of withdrawn) {
      expect((await host.call('GET /invoices/list', token)).status).toBe(401)
      expect((await refresh(refreshToken)).body['error']).toBe('invalid_grant')
    }
    expect((await exchange(code)).body['error']).toBe('invalid_grant')
    expect((await exchange(keptCode, other)).status).toBe(200)
    expect((await host.call('GET /invoices/list', kept.access_token)).status).toBe(200)
    expect((await grantsOf('alice')).map(({ clientId }) => clientId)).toEqual([
      other.client_id,
      other.client_id,
    ])
  })

  test('an application of the host itself comes back unasked, but with what was revoked it does not', async () => {
    const own = await host.createApplication({ firstParty: true })
    const { code, browser } = await authorize(host, own.client_id)
    await host.gatehouse.grants.revokeAll({ accountId: 'alice' })
    expect((await exchange(code, own)).body['error']).toBe('invalid_grant')
    const tokens = await connect(host, own, { browser })
    expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
  })

  describe('what is asked wrongly', () => {
    test.each(['', 'unknown', 'grant:of', '../x', 'x'.repeat(100), 7, null, undefined])(
      'there is no grant %j',
      async (id) => {
        const grantId = id as string
        expect(await host.gatehouse.grants.find(grantId)).toBeUndefined()
        await expect(host.gatehouse.grants.revoke(grantId)).rejects.toMatchObject({
          code: 'ERR_NOT_FOUND',
          status: 404,
        })
      },
    )

    test('one that was revoked is not there any more', async () => {
      await connect(host, client)
      const { grantId } = await onlyGrantOf('alice')
      await host.gatehouse.grants.revoke(grantId)
      await expect(host.gatehouse.grants.revoke(grantId)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    })

    test.each([
      ['no account', () => host.gatehouse.grants.list({ accountId: '' })],
      ['a limit of none', () => host.gatehouse.grants.list({ accountId: 'alice', limit: 0 })],
      ['a limit too high', () => host.gatehouse.grants.list({ accountId: 'alice', limit: 501 })],
      ['a cursor of nobody', () => host.gatehouse.grants.list({ accountId: 'alice', cursor: 'x' })],
      ['nobody to withdraw of', () => host.gatehouse.grants.revokeAll({ accountId: '' })],
      ['no application', () => host.gatehouse.grants.revokeAll({ accountId: 'alice', clientId: '' })],
      [
        'a misspelt application',
        () => host.gatehouse.grants.revokeAll({ accountId: 'alice', clientID: 'x' } as { accountId: string }),
      ],
      [
        'an application that was looked up and not found',
        () => {
          const holder = { accountId: 'alice', clientId: undefined }
          return host.gatehouse.grants.revokeAll(holder as unknown as { accountId: string })
        },
      ],
      ['an actor that is none', () => host.gatehouse.grants.revoke('x', { actor: '' })],
    ])('%s', async (_name, ask) => {
      await expect(ask()).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT', status: 400 })
    })
  })
})

// It was over with the refresh token, and then nobody could take the access tokens back any more.
test('a grant can be withdrawn while it has access tokens, also where they outlive its refresh token', async () => {
  const lifetimes = { delegatedAccessToken: 10 * 86_400, refreshToken: 3600 }
  const host = await startHost({ gatehouse: { lifetimes } })
  try {
    const client = await host.createApplication()
    const { access_token: token } = await connect(host, client, {
      parameters: { scope: 'openid invoices:read' },
    })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 9 * 86_400_000 })
    expect((await host.call('GET /invoices/list', token)).status).toBe(200)
    expect((await host.post('/oauth2/introspect', { ...client, token })).body['active']).toBe(true)
    expect(await host.gatehouse.grants.revokeAll({ accountId: 'alice' })).toBe(1)
    expect((await host.call('GET /invoices/list', token)).status).toBe(401)
    expect(host.reached).toHaveLength(1)
  } finally {
    vi.useRealTimers()
    await host.close()
  }
})
