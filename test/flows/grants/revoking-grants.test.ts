// Also runs on: Redis
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Grant, GatehouseEvents } from 'koa-gatehouse'
import type { Browser } from '../../support/browser.ts'
import type { Client } from '../../support/host-requests.ts'
import { asksFor, authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('the grants of an account', (makeStore) => {
  let host: Host
  let client: Client
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
  const refresh = (token: unknown, credentials = client) => host.refresh(credentials, token)
  const exchange = (code: string, credentials = client) => host.exchangeCode(credentials, code)
  const userInfo = async (token: string) => (await host.userInfo(token)).status
  const silently = (browser: Browser, clientId = client.client_id) =>
    browser.open(authorizationUrl(host, clientId, { prompt: 'none', scope: 'openid invoices:read' }))
  const grantsOf = async (accountId: string) => (await host.gatehouse.grants.list({ accountId })).items
  const onlyGrantOf = async (accountId: string): Promise<Grant> => {
    const items = await grantsOf(accountId)
    expect(items).toHaveLength(1)
    return items[0] as Grant
  }

  it('a grant is listed with the approved scopes only', async () => {
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
      resource: host.audience,
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

  it('a grant is listed after its code is exchanged, and a refresh adds no second entry', async () => {
    const { code } = await authorize(host, client.client_id)
    expect(await grantsOf('alice')).toEqual([])
    const { body } = await exchange(code)
    const grant = await onlyGrantOf('alice')
    await refresh(String(body['refresh_token']))
    expect(await onlyGrantOf('alice')).toEqual(grant)
  })

  it('the tokens of a revoked grant are rejected by the gateway, user info and refresh, and an event reports the revocation', async () => {
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

  it('revoking one grant keeps all other grants valid', async () => {
    const other = await host.createApplication()
    const others = [
      { credentials: client, tokens: await connect(host, client) },
      { credentials: other, tokens: await connect(host, other) },
      { credentials: client, tokens: await connect(host, client, { user: 'bob' }) },
    ]
    const known = new Set((await grantsOf('alice')).map(({ grantId }) => grantId))
    const { access_token: token } = await connect(host, client)
    const fresh = (await grantsOf('alice')).find(({ grantId }) => !known.has(grantId))
    await host.gatehouse.grants.revoke(String(fresh?.grantId))
    expect((await host.call('GET /invoices/list', token)).status).toBe(401)
    for (const { credentials, tokens } of others) {
      expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
      expect((await refresh(tokens.refresh_token, credentials)).status).toBe(200)
    }
  })

  it.each([
    ['revoke one grant', async (grant: Grant) => host.gatehouse.grants.revoke(grant.grantId)],
    [
      'revoke all grants of the account',
      async ({ accountId }: Grant) => void (await host.gatehouse.grants.revokeAll({ accountId })),
    ],
    [
      'revoke all grants of the account for the application',
      async ({ accountId, clientId }: Grant) =>
        void (await host.gatehouse.grants.revokeAll({ accountId, clientId })),
    ],
  ])(
    'after a revocation the application gets new tokens only if the user approves again (%s)',
    async (_name, revoke) => {
      const parameters = { scope: 'openid invoices:read' }
      const { code, browser } = await authorize(host, client.client_id, { parameters })
      await exchange(code)
      expect((await silently(browser)).url.searchParams.get('code')).toMatch(/./)
      await revoke(await onlyGrantOf('alice'))

      expect((await silently(browser)).url.searchParams.get('error')).toBe('consent_required')
      const page = await browser.open(authorizationUrl(host, client.client_id, parameters))
      expect(asksFor(page)).toBe('consent')
      const again = await connect(host, client, { browser, parameters })
      expect((await host.call('GET /invoices/list', again.access_token)).status).toBe(200)
      expect((await refresh(again.refresh_token)).status).toBe(200)
      expect((await silently(browser)).url.searchParams.get('code')).toMatch(/./)
    },
  )

  it('revoking all grants of an account also revokes codes that are not exchanged, and keeps the grants of other accounts', async () => {
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

  it('revoking all grants of an account for one application keeps the grants for other applications', async () => {
    const other = await host.createApplication()
    const revokedTokens = [await connect(host, client), await connect(host, client)]
    const kept = await connect(host, other)
    const { code } = await authorize(host, client.client_id)
    const { code: keptCode } = await authorize(host, other.client_id)

    const holder = { accountId: 'alice', clientId: client.client_id }
    expect(await host.gatehouse.grants.revokeAll(holder, { actor: 'alice' })).toBe(2)
    expect(revoked.map(({ clientId, actor }) => ({ clientId, actor }))).toEqual([
      { clientId: client.client_id, actor: 'alice' },
      { clientId: client.client_id, actor: 'alice' },
    ])
    for (const { access_token: token, refresh_token: refreshToken } of revokedTokens) {
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

  it('after a revocation a first-party application gets a new grant without consent, but its earlier code is rejected', async () => {
    const own = await host.createApplication({ firstParty: true })
    const { code, browser } = await authorize(host, own.client_id)
    await host.gatehouse.grants.revokeAll({ accountId: 'alice' })
    expect((await exchange(code, own)).body['error']).toBe('invalid_grant')
    const tokens = await connect(host, own, { browser })
    expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
  })

  describe('invalid arguments', () => {
    it.each(['', 'unknown', 'grant:of', '../x', 'x'.repeat(100), 7, null, undefined])(
      'grants.find() returns undefined and grants.revoke() throws ERR_NOT_FOUND for the unknown grant %j',
      async (id) => {
        const grantId = id as string
        expect(await host.gatehouse.grants.find(grantId)).toBeUndefined()
        await expect(host.gatehouse.grants.revoke(grantId)).rejects.toMatchObject({
          code: 'ERR_NOT_FOUND',
          status: 404,
        })
      },
    )

    it('revoking a grant twice throws ERR_NOT_FOUND', async () => {
      await connect(host, client)
      const { grantId } = await onlyGrantOf('alice')
      await host.gatehouse.grants.revoke(grantId)
      await expect(host.gatehouse.grants.revoke(grantId)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    })

    it.each([
      ['a list with an empty account id', () => host.gatehouse.grants.list({ accountId: '' })],
      ['a list with a limit of 0', () => host.gatehouse.grants.list({ accountId: 'alice', limit: 0 })],
      [
        'a list with a limit that is too high',
        () => host.gatehouse.grants.list({ accountId: 'alice', limit: 501 }),
      ],
      [
        'a list with an unknown cursor',
        () => host.gatehouse.grants.list({ accountId: 'alice', cursor: 'x' }),
      ],
      ['a revocation with an empty account id', () => host.gatehouse.grants.revokeAll({ accountId: '' })],
      [
        'a revocation with an empty client id',
        () => host.gatehouse.grants.revokeAll({ accountId: 'alice', clientId: '' }),
      ],
      [
        'a misspelt clientId',
        () => host.gatehouse.grants.revokeAll({ accountId: 'alice', clientID: 'x' } as { accountId: string }),
      ],
      [
        'an undefined clientId',
        () => {
          const holder = { accountId: 'alice', clientId: undefined }
          return host.gatehouse.grants.revokeAll(holder as unknown as { accountId: string })
        },
      ],
      ['a revocation with an empty actor', () => host.gatehouse.grants.revoke('x', { actor: '' })],
    ])('%s is rejected with ERR_INVALID_ARGUMENT', async (_name, ask) => {
      await expect(ask()).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT', status: 400 })
    })
  })
})

it('a grant can be revoked as long as an access token of the grant is valid (fixed bug: the grant expired with its refresh token)', async () => {
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
