import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subjectOf } from '../../../src/host/subject.ts'
import { authorizationUrl, connect, startHost, type Host } from '../../support/host.ts'

/** Names of properties that every object has, and names with a meaning in databases, URLs or templates. */
const NAMES = [
  '__proto__',
  'constructor',
  'a:b',
  'a|b c',
  '../../etc',
  '%2e%2e',
  '*',
  '💩',
  "'; drop--",
  '{"a":1}',
]
const INHERITED = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__']

describe('names with a special meaning', () => {
  let host: Host
  beforeAll(async () => {
    host = await startHost()
    await host.gatehouse.ready()
    for (const name of NAMES) host.accounts.set(name, { id: name, kycLevel: 'verified', claims: { name } })
  })
  afterAll(() => host.close())

  it.each(NAMES)(
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

  it('gatehouse rejects the names of properties of every object as a client id and as a scope', async () => {
    const key = await host.createApiKey()
    const application = await host.createApplication()
    for (const name of INHERITED) {
      const client = { accountId: 'acme', name: 'Key', products: ['invoices'], clientId: name }
      await expect(host.gatehouse.apiKeys.create(client), name).rejects.toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
      })
      expect(await host.gatehouse.apiKeys.find(name), name).toBeUndefined()
      expect(await host.gatehouse.applications.find(name), name).toBeUndefined()
      const asClient = await host.requestDirectToken({ client_id: name, client_secret: 'x' })
      const asScope = await host.requestDirectToken(key, { scope: name })
      const { url } = await host
        .browser()
        .open(authorizationUrl(host, application.client_id, { scope: name }))
      expect(
        [asClient, asScope].map(({ status, body }) => [status, body['error']]),
        name,
      ).toEqual([
        [401, 'invalid_client'],
        [400, 'invalid_scope'],
      ])
      expect(url.searchParams.get('error'), name).toBe('invalid_scope')
    }
  })
})
