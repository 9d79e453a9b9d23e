import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { asksFor, authorizationUrl, authorize, connect, signInAs } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { startUsersHost, type UsersHost } from '../../support/users-host.ts'

const parameters = { scope: 'openid profile email invoices:read' }

describeEachStore('the users of an account', (makeStore) => {
  let host: UsersHost
  let application: { client_id: string; client_secret: string }
  beforeAll(async () => {
    host = await startUsersHost({ store: makeStore() })
    application = await host.createApplication()
  })
  afterEach(() => {
    host.users.set('firm/intern', { name: 'Ian Intern', email: 'intern@firm.example' })
    expect(host.errors).toEqual([])
  })
  afterAll(() => host.close())

  const connectAs = (user: string) => connect(host, application, { user, parameters })
  const refresh = (token: string) => host.refresh(application, token)
  const introspect = async (token: string) =>
    (await host.post('/oauth2/introspect', { ...application, token })).body

  it('user info has the claims of the user who signed in, not the claims of the account', async () => {
    const { access_token } = await connectAs('firm/intern')
    const { status, body } = await host.userInfo(access_token)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        sub: 'firm!intern',
        account_id: 'firm',
        user_id: 'intern',
        name: 'Ian Intern',
        email: 'intern@firm.example',
      },
    })
  })

  it('user info of an account without users has the account id as sub and account_id, and no user_id', async () => {
    const { access_token, id_token } = await connectAs('alice')
    const who = { sub: 'alice', account_id: 'alice' }
    expect((await host.userInfo(access_token)).body).toEqual({
      ...who,
      name: 'Alice',
      email: 'alice@example.com',
    })
    expect(decodeJwt(String(id_token))).toMatchObject(who)
    expect(decodeJwt(String(id_token))).not.toHaveProperty('user_id')
    expect(decodeJwt(access_token)).toMatchObject(who)
  })

  it('user info rejects the token of a user whom the host has removed', async () => {
    const { access_token } = await connectAs('firm/intern')
    host.users.delete('firm/intern')
    expect((await host.userInfo(access_token)).status).toBe(401)
    expect((await introspect(access_token))['active']).toBe(false)
  })

  it('a code exchange and a refresh for a removed user are answered with invalid_grant', async () => {
    const { refresh_token } = await connectAs('firm/intern')
    const { code } = await authorize(host, application.client_id, { user: 'firm/intern', parameters })
    host.users.delete('firm/intern')
    const exchanged = await host.exchangeCode(application, code)
    expect([exchanged.status, exchanged.body['error']]).toEqual([400, 'invalid_grant'])
    const refreshed = await refresh(refresh_token)
    expect([refreshed.status, refreshed.body['error']]).toEqual([400, 'invalid_grant'])
  })

  it('tokens of two users of an account have different subjects, and name the account and the user', async () => {
    for (const user of ['owner', 'intern']) {
      const tokens = await connectAs(`firm/${user}`)
      const who = { sub: `firm!${user}`, account_id: 'firm', user_id: user }
      const refreshed = (await refresh(tokens.refresh_token)).body
      for (const { access_token, id_token } of [tokens, refreshed as unknown as typeof tokens]) {
        expect(decodeJwt(access_token)).toMatchObject(who)
        expect(decodeJwt(String(id_token))).toMatchObject(who)
        // Profile claims are in user info, and not in ID tokens.
        expect(decodeJwt(String(id_token))).not.toHaveProperty('email')
        expect(await introspect(access_token)).toMatchObject({ active: true, ...who })
      }
      expect((await introspect(String(refreshed['refresh_token'])))['sub']).toBe(who.sub)
    }
  })

  it('another user of the account signs in at the same browser without a page that needs scripts, and the code is for this user', async () => {
    const { browser } = await authorize(host, application.client_id, { user: 'firm/intern', parameters })
    const client = await host.createApplication()
    const page = await browser.open(
      authorizationUrl(host, client.client_id, { ...parameters, prompt: 'login' }),
    )
    expect(asksFor(page)).toBe('sign-in')
    const next = await signInAs(browser, page, 'firm/owner')
    expect(next.body).not.toContain('<script')
    expect([next.status, asksFor(next)]).toEqual([200, 'consent'])
    expect(next.body).toContain('Olga Owner')
    const button: [string, string] = ['action', 'approve']
    const back = await browser.submit(next, { action: /consent$/, change: { scope: ['openid'] }, button })
    const { body } = await host.exchangeCode(client, back.url.searchParams.get('code') ?? '')
    expect(decodeJwt(String(body['id_token'])).sub).toBe('firm!owner')
  })

  it('a direct token has its client as the subject', async () => {
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
      accountId: 'firm',
      userId: 'owner',
      name: 'Key',
      products: ['invoices'],
    })
    const { body } = await host.token({
      client_id: apiKey.clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
    })
    const claims = { sub: apiKey.clientId, account_id: 'firm', user_id: 'owner' }
    expect(decodeJwt(String(body['access_token']))).toMatchObject(claims)
    const asked = { client_id: apiKey.clientId, client_secret: clientSecret }
    const answer = await host.post('/oauth2/introspect', { ...asked, token: String(body['access_token']) })
    expect(answer.body).toMatchObject({ active: true, ...claims })
  })

  it('lists, events and the principal name the account and the user, and no list, event, principal or page contains the subject', async () => {
    const seen: object[] = []
    const names = ['token.issued', 'consent.approved', 'refresh_token.reused', 'grant.revoked'] as const
    for (const name of names) {
      host.gatehouse.on(name, ({ accountId, userId }) => void seen.push({ name, accountId, userId }))
    }
    const client = await host.createApplication()
    const { code, pages } = await authorize(host, client.client_id, { user: 'firm/intern', parameters })
    const { body } = await host.exchangeCode(client, code)
    const first = String(body['refresh_token'])
    const refreshWith = (token: string) => host.refresh(client, token)
    const second = (await refreshWith(first)).body
    const call = await host.call('GET /invoices/list', String(second['access_token']))
    const [grant] = (await host.gatehouse.grants.list({ accountId: 'firm' })).items.filter(
      ({ clientId }) => clientId === client.client_id,
    )
    const found = await host.gatehouse.grants.find(grant?.grantId ?? '')
    await refreshWith(String(second['refresh_token']))
    expect((await refreshWith(first)).status).toBe(400)
    const next = await connect(host, client, { user: 'firm/intern', parameters })
    const [last] = (await host.gatehouse.grants.list({ accountId: 'firm' })).items.filter(
      ({ clientId }) => clientId === client.client_id,
    )
    await host.gatehouse.grants.revoke(last?.grantId ?? '')

    const who = { accountId: 'firm', userId: 'intern' }
    expect(call.body['auth']).toMatchObject(who)
    expect([grant, found, last]).toMatchObject([who, who, who])
    expect(new Set(seen.map((event) => (event as { name: string }).name))).toEqual(new Set(names))
    for (const event of seen) expect(event).toMatchObject(who)
    expect(JSON.stringify([grant, found, last, seen, pages])).not.toContain('firm!intern')
    expect(next.scope).toContain('invoices:read')
  })

  it('the subject contains the escaped account id and user id, and tokens and user info contain the original ids', async () => {
    const client = await host.createApplication()
    const accountId = 'Fir mä'
    const userId = '100% !'
    host.accounts.set(accountId, { id: accountId })
    host.users.set(`${accountId}/${userId}`, {})
    const tokens = await connect(host, client, { user: `${accountId}/${userId}`, parameters })
    const who = { sub: 'Fir%20m%C3%A4!100%25%20%21', account_id: accountId, user_id: userId }
    expect((await host.userInfo(tokens.access_token)).body).toEqual(who)
    expect(decodeJwt(tokens.access_token)).toMatchObject(who)
  })
})

describeEachStore('users of a host whose subject would be too long', (makeStore) => {
  it.each([false, true])(
    'a sign-in whose subject would be too long fails with ERR_HOST_CALLBACK (the host has its own session: %s)',
    async (session) => {
      const host = await startUsersHost({ store: makeStore(), session })
      const { client_id } = await host.createApplication()
      const browser = host.browser()
      const tryAs = async (who: { accountId: string; userId: string }) => {
        host.accounts.set(who.accountId, { id: who.accountId })
        host.users.set(`${who.accountId}/${who.userId}`, {})
        if (session) {
          host.signInAt(browser, who)
          return browser.open(authorizationUrl(host, client_id))
        }
        const page = await browser.open(authorizationUrl(host, client_id))
        const change = { identifier: `${who.accountId}/${who.userId}`, password: 'correct' }
        return browser.submit(page, { action: /sign-in/, change })
      }
      const tooLong = await tryAs({ accountId: 'x'.repeat(127), userId: 'ä'.repeat(22) })
      expect(tooLong.status).toBe(500)
      expect(host.errors).toEqual([expect.objectContaining({ code: 'ERR_HOST_CALLBACK' })])
      expect(String(host.errors[0])).toContain('255')
      const longest = await tryAs({ accountId: 'x'.repeat(127), userId: 'y'.repeat(127) })
      expect([longest.status, asksFor(longest)]).toEqual([200, 'consent'])
      await host.close()
    },
  )
})
