import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Browser } from '../../support/browser.ts'
import { authorizationUrl, authorize, connect, type Tokens } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { startUsersHost, type UsersHost } from '../../support/users-host.ts'

const parameters = { scope: 'openid invoices:read' }
const CALL = 'GET /invoices/list'

describeEachStore('the grants of one user of an account', (makeStore) => {
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

  /** Returns the browser of a user. Each user has a separate browser. */
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
    (await host.exchangeCode(client, code)).status
  /** The result of an authorization request with `prompt=none`: `code`, or the error. */
  async function resultWithoutPage(user: string, client = application): Promise<string> {
    const url = authorizationUrl(host, client.client_id, { ...parameters, prompt: 'none' })
    const { searchParams } = (await browserOf(user).open(url)).url
    return searchParams.get('error') ?? (searchParams.has('code') ? 'code' : '')
  }
  async function isValid({ access_token, refresh_token }: Tokens, client = application) {
    const refreshed = await host.refresh(client, refresh_token)
    const called = await host.call(CALL, access_token)
    expect([200, 401]).toContain(called.status)
    expect(called.status === 200).toBe(refreshed.status === 200)
    return called.status === 200
  }

  it('a grant of one user does not authorize another user of the account', async () => {
    await connectAs('firm/intern')
    const other = await host.createApplication()
    await connectAs('firm/owner', other)
    expect(await resultWithoutPage('firm/intern')).toBe('code')
    expect(await resultWithoutPage('firm/owner')).toBe('consent_required')
    expect(await resultWithoutPage('firm/owner', other)).toBe('code')
    expect(await resultWithoutPage('firm/intern', other)).toBe('consent_required')
  })

  it('if a user unticks an operation, the consent of another user of the account does not change', async () => {
    await connectAs('firm/owner')
    await authorize(host, application.client_id, {
      user: 'firm/intern',
      browser: browserOf('firm/intern'),
      parameters: { scope: 'invoices:read payments:list' },
      untick: ['invoices:read'],
    })
    expect(await resultWithoutPage('firm/intern')).toBe('consent_required')
    expect(await resultWithoutPage('firm/owner')).toBe('code')
  })

  it('revokeAll({ accountId, userId }) revokes only the grants and pending codes of that user', async () => {
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

    expect(await isValid(tokens.intern)).toBe(false)
    expect(await isValid(tokens.internAtOther, other)).toBe(false)
    expect(await exchange(codes.intern)).toBe(400)
    expect(await resultWithoutPage('firm/intern')).toBe('consent_required')
    expect(await isValid(tokens.owner)).toBe(true)
    expect(await isValid(tokens.alice)).toBe(true)
    expect(await exchange(codes.owner)).toBe(200)
    expect(await resultWithoutPage('firm/owner')).toBe('code')
    expect(await resultWithoutPage('alice')).toBe('code')

    // A grant that is made after the revocation is valid.
    expect(await isValid(await connectAs('firm/intern'))).toBe(true)
    expect(await resultWithoutPage('firm/intern')).toBe('code')
  })

  it('revokeAll({ accountId, userId, clientId }) revokes only the grant for that application', async () => {
    const other = await host.createApplication()
    const tokens = await connectAs('firm/intern')
    const otherTokens = await connectAs('firm/intern', other)
    const owner = await connectAs('firm/owner')
    const code = await codeOf('firm/intern')
    const otherCode = await codeOf('firm/intern', other)
    const { client_id: clientId } = application
    expect(await host.gatehouse.grants.revokeAll({ accountId: 'firm', userId: 'intern', clientId })).toBe(1)
    expect(await isValid(tokens)).toBe(false)
    expect(await exchange(code)).toBe(400)
    expect(await resultWithoutPage('firm/intern')).toBe('consent_required')
    expect(await isValid(otherTokens, other)).toBe(true)
    expect(await exchange(otherCode, other)).toBe(200)
    expect(await isValid(owner)).toBe(true)
  })

  it('after a grant is revoked, only the user of that grant is asked for consent again', async () => {
    await connectAs('firm/intern')
    await connectAs('firm/owner')
    const { items } = await host.gatehouse.grants.list({ accountId: 'firm' })
    const grant = items.find(({ userId }) => userId === 'intern')
    await host.gatehouse.grants.revoke(grant?.grantId ?? '')
    expect(await resultWithoutPage('firm/intern')).toBe('consent_required')
    expect(await resultWithoutPage('firm/owner')).toBe('code')
  })

  it('revokeAll() and accounts.changed() reject an invalid user, and revoke nothing', async () => {
    const tokens = await connectAs('firm/intern')
    const invalid = { code: 'ERR_INVALID_ARGUMENT' }
    const { grants, accounts } = host.gatehouse
    for (const wrong of [{ userId: undefined }, { userId: '' }, { userId: 7 }, { user: 'intern' }]) {
      const holder = { accountId: 'firm', ...(wrong as object) }
      await expect(grants.revokeAll(holder)).rejects.toMatchObject(invalid)
    }
    for (const userId of ['', 7, {}] as string[])
      await expect(accounts.changed('firm', { userId })).rejects.toMatchObject(invalid)
    expect(await isValid(tokens)).toBe(true)
  })

  describe('accounts.changed()', () => {
    async function keyOf(userId?: string) {
      const owner = { accountId: 'firm', ...(userId !== undefined && { userId }) }
      const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
        ...owner,
        name: 'Key',
        products: ['invoices'],
      })
      const credentials = { client_id: apiKey.clientId, client_secret: clientSecret }
      const { body } = await host.requestDirectToken(credentials)
      return String(body['access_token'])
    }
    const statusOf = async (token: string) => (await host.call(CALL, token)).status

    it('after the host has removed a user, accounts.changed() with userId revokes the tokens of the clients of this user, and the grants of this user', async () => {
      const keys = { intern: await keyOf('intern'), owner: await keyOf('owner'), firm: await keyOf() }
      const tokens = { intern: await connectAs('firm/intern'), owner: await connectAs('firm/owner') }
      const code = await codeOf('firm/intern')
      const user = { userId: 'intern' }
      expect(await host.gatehouse.accounts.changed('firm', user)).toMatchObject({ clients: 0, grants: 0 })
      expect(await isValid(tokens.intern)).toBe(true)

      host.users.delete('firm/intern')
      host.asked.splice(0)
      expect(await host.gatehouse.accounts.changed('firm', { ...user, actor: 'hr' })).toMatchObject({
        clients: 1,
        grants: 1,
      })
      expect(host.asked).toEqual(['firm/intern'])
      host.users.set('firm/intern', {})
      expect(await isValid(tokens.intern)).toBe(false)
      expect(await exchange(code)).toBe(400)
      expect(await resultWithoutPage('firm/intern')).toBe('consent_required')
      expect(await isValid(tokens.owner)).toBe(true)
      expect([await statusOf(keys.intern), await statusOf(keys.owner), await statusOf(keys.firm)]).toEqual([
        401, 200, 200,
      ])
    })

    it('accounts.changed() without userId looks up each user with a grant once, at most five at a time, and revokes the grants of removed users', async () => {
      const names = Array.from({ length: 7 }, (_, index) => `user-${index}`)
      const tokens = new Map<string, Tokens>()
      for (const name of names) {
        host.users.set(`firm/${name}`, {})
        await connectAs(`firm/${name}`)
        tokens.set(name, await connectAs(`firm/${name}`))
      }
      for (const name of ['user-3', 'user-6']) host.users.delete(`firm/${name}`)
      host.asked.splice(0)
      host.atOnce.most = 0
      expect(await host.gatehouse.accounts.changed('firm')).toMatchObject({ clients: 0, grants: 4 })
      expect(host.asked.toSorted()).toEqual(['firm', ...names.map((name) => `firm/${name}`)].toSorted())
      expect(host.atOnce.most).toBeGreaterThan(1)
      expect(host.atOnce.most).toBeLessThanOrEqual(5)
      for (const name of ['user-3', 'user-6']) host.users.set(`firm/${name}`, {})
      for (const [name, each] of tokens) {
        expect([name, await isValid(each)]).toEqual([name, name !== 'user-3' && name !== 'user-6'])
      }
      expect(await host.gatehouse.accounts.changed('firm')).toMatchObject({ clients: 0, grants: 0 })
    })
  })
})
