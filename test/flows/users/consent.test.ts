import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Browser } from '../../support/browser.ts'
import { authorizationUrl, authorize, connect, type Tokens } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { startUsersHost, type UsersHost } from '../../support/users-host.ts'

const parameters = { scope: 'openid invoices:read' }
const CALL = 'GET /invoices/list'

describeEachStore('What one user of an account authorized', (makeStore) => {
  let host: UsersHost
  let application: { client_id: string; client_secret: string }
  const browsers = new Map<string, Browser>()
  beforeEach(async () => {
    host = await startUsersHost({ store: makeStore() })
    application = await host.createApplication()
    browsers.clear()
  })
  afterEach(async () => {
    expect(host.errors).toEqual([])
    await host.close()
  })

  /** Each user has a browser of their own. */
  function browserOf(user: string): Browser {
    const browser = browsers.get(user) ?? host.browser()
    browsers.set(user, browser)
    return browser
  }
  const connectAs = (user: string, client = application) =>
    connect(host, client, { user, browser: browserOf(user), parameters })
  const codeOf = async (user: string, client = application) =>
    (await authorize(host, client.client_id, { user, browser: browserOf(user), parameters })).code
  const exchange = async (code: string, client = application) =>
    (await host.token({ ...client, grant_type: 'authorization_code', code })).status
  /** What an authorization request without a page ends in. */
  async function silently(user: string, client = application): Promise<string> {
    const url = authorizationUrl(host, client.client_id, { ...parameters, prompt: 'none' })
    const { searchParams } = (await browserOf(user).open(url)).url
    return searchParams.get('error') ?? (searchParams.has('code') ? 'code' : '')
  }
  async function isAlive({ access_token, refresh_token }: Tokens, client = application) {
    const refreshed = await host.token({ ...client, grant_type: 'refresh_token', refresh_token })
    const called = await host.call(CALL, access_token)
    expect([200, 401]).toContain(called.status)
    expect(called.status === 200).toBe(refreshed.status === 200)
    return called.status === 200
  }

  test('is not authorized by another one: they see the page themselves', async () => {
    await connectAs('firm/intern')
    const other = await host.createApplication()
    await connectAs('firm/owner', other)
    expect(await silently('firm/intern')).toBe('code')
    expect(await silently('firm/owner')).toBe('consent_required')
    expect(await silently('firm/owner', other)).toBe('code')
    expect(await silently('firm/intern', other)).toBe('consent_required')
  })

  test('and rejected does not keep another one from it', async () => {
    await connectAs('firm/owner')
    await authorize(host, application.client_id, {
      user: 'firm/intern',
      browser: browserOf('firm/intern'),
      parameters: { scope: 'invoices:read payments:list' },
      untick: ['invoices:read'],
    })
    expect(await silently('firm/intern')).toBe('consent_required')
    expect(await silently('firm/owner')).toBe('code')
  })

  test('ends with revokeAll({ accountId, userId }), codes under way included, and nothing of another user', async () => {
    const other = await host.createApplication()
    const tokens = {
      intern: await connectAs('firm/intern'),
      internAtOther: await connectAs('firm/intern', other),
      owner: await connectAs('firm/owner'),
      alice: await connectAs('alice'),
    }
    const codes = { intern: await codeOf('firm/intern'), owner: await codeOf('firm/owner') }
    const holder = { accountId: 'firm', userId: 'intern' }
    expect(await host.gatehouse.grants.revokeAll(holder, { actor: 'support' })).toBe(2)

    expect(await isAlive(tokens.intern)).toBe(false)
    expect(await isAlive(tokens.internAtOther, other)).toBe(false)
    expect(await exchange(codes.intern)).toBe(400)
    expect(await silently('firm/intern')).toBe('consent_required')
    expect(await isAlive(tokens.owner)).toBe(true)
    expect(await isAlive(tokens.alice)).toBe(true)
    expect(await exchange(codes.owner)).toBe(200)
    expect(await silently('firm/owner')).toBe('code')
    expect(await silently('alice')).toBe('code')

    // What they authorize from now on counts.
    expect(await isAlive(await connectAs('firm/intern'))).toBe(true)
    expect(await silently('firm/intern')).toBe('code')
  })

  test('ends with revokeAll({ accountId, userId, clientId }) for that application alone', async () => {
    const other = await host.createApplication()
    const here = await connectAs('firm/intern')
    const there = await connectAs('firm/intern', other)
    const owner = await connectAs('firm/owner')
    const code = await codeOf('firm/intern')
    const codeThere = await codeOf('firm/intern', other)
    const { client_id: clientId } = application
    expect(await host.gatehouse.grants.revokeAll({ accountId: 'firm', userId: 'intern', clientId })).toBe(1)
    expect(await isAlive(here)).toBe(false)
    expect(await exchange(code)).toBe(400)
    expect(await silently('firm/intern')).toBe('consent_required')
    expect(await isAlive(there, other)).toBe(true)
    expect(await exchange(codeThere, other)).toBe(200)
    expect(await isAlive(owner)).toBe(true)
  })

  test('ends with all of the account by revokeAll({ accountId })', async () => {
    const tokens = [await connectAs('firm/intern'), await connectAs('firm/owner')]
    const code = await codeOf('firm/owner')
    expect(await host.gatehouse.grants.revokeAll({ accountId: 'firm' })).toBe(2)
    for (const each of tokens) expect(await isAlive(each)).toBe(false)
    expect(await exchange(code)).toBe(400)
    expect(await silently('firm/owner')).toBe('consent_required')
  })

  test('is asked for again after its grant is revoked, and what another user authorized is not', async () => {
    await connectAs('firm/intern')
    await connectAs('firm/owner')
    const { items } = await host.gatehouse.grants.ofAccount('firm')
    const grant = items.find(({ userId }) => userId === 'intern')
    await host.gatehouse.grants.revoke(grant?.grantId ?? '')
    expect(await silently('firm/intern')).toBe('consent_required')
    expect(await silently('firm/owner')).toBe('code')
  })

  test.each([{ userId: undefined }, { userId: '' }, { userId: 7 }, { user: 'intern' }])(
    'does not end by mistake: revokeAll rejects %o',
    async (wrong) => {
      const tokens = await connectAs('firm/intern')
      const holder = { accountId: 'firm', ...(wrong as object) }
      await expect(host.gatehouse.grants.revokeAll(holder)).rejects.toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
      })
      expect(await isAlive(tokens)).toBe(true)
    },
  )

  describe('accounts.changed', () => {
    async function keyOf(userId?: string) {
      const owner = { accountId: 'firm', ...(userId !== undefined && { userId }) }
      const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
        ...owner,
        name: 'Key',
        products: ['invoices'],
      })
      const credentials = { client_id: apiKey.clientId, client_secret: clientSecret }
      const { body } = await host.token({ ...credentials, grant_type: 'client_credentials' })
      return String(body['access_token'])
    }
    const statusOf = async (token: string) => (await host.call(CALL, token)).status

    test('with userId revokes what this user authorized and owns, if the host has removed them', async () => {
      const keys = { intern: await keyOf('intern'), owner: await keyOf('owner'), firm: await keyOf() }
      const tokens = { intern: await connectAs('firm/intern'), owner: await connectAs('firm/owner') }
      const code = await codeOf('firm/intern')
      const user = { userId: 'intern' }
      expect(await host.gatehouse.accounts.changed('firm', user)).toEqual({ clients: 0, grants: 0 })
      expect(await isAlive(tokens.intern)).toBe(true)

      host.users.delete('firm/intern')
      host.asked.splice(0)
      expect(await host.gatehouse.accounts.changed('firm', { ...user, actor: 'hr' })).toEqual({
        clients: 1,
        grants: 1,
      })
      expect(host.asked).toEqual(['firm/intern'])
      host.users.set('firm/intern', {})
      expect(await isAlive(tokens.intern)).toBe(false)
      expect(await exchange(code)).toBe(400)
      expect(await silently('firm/intern')).toBe('consent_required')
      expect(await isAlive(tokens.owner)).toBe(true)
      expect([await statusOf(keys.intern), await statusOf(keys.owner), await statusOf(keys.firm)]).toEqual([
        401, 200, 200,
      ])
    })

    test('without userId asks for each user of grants in use once, a few at a time, and revokes what removed users authorized', async () => {
      const names = Array.from({ length: 12 }, (_, at) => `user-${at}`)
      const tokens = new Map<string, Tokens>()
      for (const name of names) {
        host.users.set(`firm/${name}`, {})
        await connectAs(`firm/${name}`)
        tokens.set(name, await connectAs(`firm/${name}`))
      }
      for (const name of ['user-3', 'user-11']) host.users.delete(`firm/${name}`)
      host.asked.splice(0)
      host.atOnce.most = 0
      expect(await host.gatehouse.accounts.changed('firm')).toEqual({ clients: 0, grants: 4 })
      expect(host.asked.toSorted()).toEqual(['firm', ...names.map((name) => `firm/${name}`)].toSorted())
      expect(host.atOnce.most).toBeGreaterThan(1)
      expect(host.atOnce.most).toBeLessThanOrEqual(5)
      for (const name of ['user-3', 'user-11']) host.users.set(`firm/${name}`, {})
      for (const [name, each] of tokens) {
        expect([name, await isAlive(each)]).toEqual([name, name !== 'user-3' && name !== 'user-11'])
      }
      expect(await host.gatehouse.accounts.changed('firm')).toEqual({ clients: 0, grants: 0 })
    })

    test('rejects what is no user id', async () => {
      for (const userId of ['', 7, {}]) {
        const options = { userId: userId as string }
        await expect(host.gatehouse.accounts.changed('firm', options)).rejects.toMatchObject({
          code: 'ERR_INVALID_ARGUMENT',
        })
      }
    })
  })
})
