import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subjectOf } from '../../../src/host/subject.ts'
import { authorizationUrl, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

/** What every object has, and what databases, URLs and templates give a meaning to. */
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

describeEachStore('Names that mean something elsewhere', (makeStore) => {
  let host: Host
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    await host.gatehouse.ready()
    for (const name of NAMES) host.accounts.set(name, { id: name, kycLevel: 'verified', claims: { name } })
  })
  afterAll(() => host.close())

  it.each(NAMES.filter((name) => name.trim() !== ''))(
    'an account %j gets its own tokens and nobody else',
    async (accountId) => {
      const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
        accountId,
        name: 'Key',
        products: ['invoices'],
      })
      const direct = await host.token({
        client_id: apiKey.clientId,
        client_secret: clientSecret,
        grant_type: 'client_credentials',
      })
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
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      const userInfo = await fetch(`${host.issuer}/oauth2/userinfo`, { headers })
      expect(await userInfo.json()).toEqual({ sub, account_id: accountId, name: accountId })
      const again = await host.token({
        ...application,
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
      })
      expect(again.status).toBe(200)

      const { items } = await host.gatehouse.applications.listByOwner(accountId)
      expect(items.map((item) => item.accountId)).toEqual([accountId])
      // What this account granted is nobody else's.
      const other = host.browser()
      const page = await other.open(authorizationUrl(host, application.client_id))
      expect(page.body).toContain('type="password"')
      expect(({} as Record<string, unknown>)['granted']).toBeUndefined()
    },
  )

  it.each(INHERITED)('no client can be called %s, nor is there one', async (clientId) => {
    const client = { accountId: 'acme', name: 'Key', products: ['invoices'], clientId }
    await expect(host.gatehouse.apiKeys.create(client)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    expect(await host.gatehouse.apiKeys.find(clientId)).toBeUndefined()
    expect(await host.gatehouse.applications.find(clientId)).toBeUndefined()
    const { status, body } = await host.token({
      client_id: clientId,
      client_secret: 'x',
      grant_type: 'client_credentials',
    })
    expect([status, body['error']]).toEqual([401, 'invalid_client'])
  })

  it.each(INHERITED)('a scope %s is an unknown one', async (scope) => {
    const { status, body } = await host.token({
      ...(await host.createApiKey()),
      grant_type: 'client_credentials',
      scope,
    })
    expect([status, body['error']]).toEqual([400, 'invalid_scope'])
    const { client_id } = await host.createApplication()
    const { url } = await host.browser().open(authorizationUrl(host, client_id, { scope }))
    expect(url.searchParams.get('error')).toBe('invalid_scope')
  })
})

describe("A registry of the host's", () => {
  it.each([...INHERITED, 'a\0b', 'a\nb', '\ud800', 'x'.repeat(257), 'ü'])(
    'is not asked for a client %j',
    async (clientId) => {
      const asked: string[] = []
      const registry = {
        find(id: string) {
          asked.push(id)
          return undefined
        },
        verifySecret: () => true,
      }
      const host = await startHost({ gatehouse: { registry } })
      try {
        await host.gatehouse.ready()
        const { status } = await host.token({
          client_id: clientId,
          client_secret: 'x',
          grant_type: 'client_credentials',
        })
        expect(status).toBe(401)
        const page = await host.browser().open(authorizationUrl(host, clientId))
        expect(page.status).toBe(400)
        expect(asked).toEqual([])
        await host.token({ client_id: 'a-client', client_secret: 'x', grant_type: 'client_credentials' })
        expect(asked).toEqual(['a-client'])
      } finally {
        await host.close()
      }
    },
  )
})
