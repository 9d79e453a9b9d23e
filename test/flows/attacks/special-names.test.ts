import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { subjectOf } from '../../../src/host/subject.ts'
import { authorizationUrl, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

/** Names of properties that every object has, and names with a meaning in databases, URLs or templates. */
const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'a:b',
  'a|b c',
  '../../etc',
  '%2e%2e',
  '*',
  '💩',
  "'; drop table--",
  '{"a":1}',
  'session:x',
  ' ',
]
const INHERITED = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__']

describeEachStore('names with a special meaning', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    await host.gatehouse.ready()
    for (const name of NAMES) host.accounts.set(name, { id: name, kycLevel: 'verified', claims: { name } })
  })
  afterAll(() => host.close())

  it.each(NAMES.filter((name) => name.trim() !== ''))(
    'the tokens of the account %j name this account, and its list of applications names no other account',
    async (accountId) => {
      const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
        accountId,
        name: 'Key',
        products: ['invoices'],
      })
      const key = { client_id: apiKey.clientId, client_secret: clientSecret }
      const direct = await host.requestDirectToken(key)
      expect(decodeJwt(String(direct.body['access_token']))['account_id']).toBe(accountId)

      const application = await host.createApplication({ accountId })
      const parameters = { scope: 'openid profile invoices:read' }
      const tokens = await connect(host, application, { user: accountId, parameters })
      const sub = subjectOf({ accountId })
      expect(decodeJwt(tokens.access_token)).toMatchObject({
        sub,
        account_id: accountId,
        access_mode: 'delegated',
      })
      const userInfo = await host.userInfo(tokens.access_token)
      expect(userInfo.body).toEqual({ sub, account_id: accountId, name: accountId })
      expect((await host.refresh(application, tokens.refresh_token)).status).toBe(200)

      const { items } = await host.gatehouse.applications.listByOwner(accountId)
      expect(items.map((item) => item.accountId)).toEqual([accountId])
      // A browser without a session gets the sign-in page, although the account has a grant.
      const other = host.browser()
      const page = await other.open(authorizationUrl(host, application.client_id))
      expect(page.body).toContain('type="password"')
    },
  )

  it.each(INHERITED)('gatehouse rejects %s as a client id', async (clientId) => {
    const client = { accountId: 'acme', name: 'Key', products: ['invoices'], clientId }
    await expect(host.gatehouse.apiKeys.create(client)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    expect(await host.gatehouse.apiKeys.find(clientId)).toBeUndefined()
    expect(await host.gatehouse.applications.find(clientId)).toBeUndefined()
    const { status, body } = await host.requestDirectToken({ client_id: clientId, client_secret: 'x' })
    expect([status, body['error']]).toEqual([401, 'invalid_client'])
  })

  it.each(INHERITED)('gatehouse answers a request for the scope %s with invalid_scope', async (scope) => {
    const { status, body } = await host.requestDirectToken(await host.createApiKey(), { scope })
    expect([status, body['error']]).toEqual([400, 'invalid_scope'])
    const { client_id } = await host.createApplication()
    const { url } = await host.browser().open(authorizationUrl(host, client_id, { scope }))
    expect(url.searchParams.get('error')).toBe('invalid_scope')
  })
})
