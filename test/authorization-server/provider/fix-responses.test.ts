import { afterEach, describe, expect, it } from 'vitest'
import type { Account } from 'koa-gatehouse'
import { asksFor, authorizationUrl, connect, startHost, type Host } from '../../support/host.ts'

let host: Host
afterEach(() => host.close())

describe('a scope that an API key may not request', () => {
  it('the error names the missing product, and does not repeat a scope of 10,000 characters', async () => {
    host = await startHost()
    const key = await host.createApiKey(['invoices'])
    const ask = (scope: string) => host.token({ ...key, grant_type: 'client_credentials', scope })
    const { status, body } = await ask('payments:list')
    expect(status).toBe(400)
    expect(body).toEqual({
      error: 'invalid_scope',
      error_description:
        'the operation payments:list is in no product of this API key; add the product payments',
      scope: 'payments:list',
    })
    const long = await ask('x.'.repeat(5000))
    expect(long.body['error_description']).toMatch(/^the operation (x\.){50}\.\.\. does not exist$/)
    expect(long.body).not.toHaveProperty('scope')
  })
})

describe('user info', () => {
  async function ask(init?: RequestInit) {
    const response = await fetch(`${host.issuer}/oauth2/userinfo`, init)
    const challenge = response.headers.get('www-authenticate') ?? ''
    return { status: response.status, challenge, body: (await response.json()) as Record<string, unknown> }
  }

  it('user info answers a request without a token with 401 and no error code (RFC 6750 3.1; fixed bug: the error code was invalid_token)', async () => {
    host = await startHost()
    const description = 'send an access token in the header Authorization: Bearer <ACCESS_TOKEN>'
    for (const init of [{}, { method: 'POST' }]) {
      const { status, challenge, body } = await ask(init)
      expect({ status, body }).toEqual({ status: 401, body: { error_description: description } })
      expect(challenge).toMatch(/^Bearer realm=/)
      expect(challenge).not.toContain('error')
    }
    const { status, challenge, body } = await ask({ headers: { authorization: 'Bearer nonsense' } })
    expect([status, body['error']]).toEqual([401, 'invalid_token'])
    expect(challenge).toContain('error="invalid_token"')
  })
})

describe('the sign-in and consent pages', () => {
  it('the consent page does not show the e-mail address of the developer, and looks up each account once', async () => {
    const lookups: string[] = []
    class Accounts extends Map<string, Account> {
      override get(accountId: string): Account | undefined {
        lookups.push(accountId)
        return super.get(accountId)
      }
    }
    const accounts = new Accounts([
      ['alice', { id: 'alice', claims: { email: 'alice@example.com' } }],
      ['acme', { id: 'acme', kycLevel: 'verified', claims: { email: 'jane.private@example.com' } }],
    ])
    host = await startHost({ accounts })
    const { client_id } = await host.createApplication()
    const browser = host.browser()
    const signIn = await browser.open(authorizationUrl(host, client_id))
    const consent = await browser.submit(signIn, {
      action: /sign-in/,
      change: { identifier: 'alice', password: 'correct' },
    })
    expect(asksFor(consent)).toBe('consent')
    for (const { body } of [signIn, consent]) expect(body).not.toContain('jane.private')
    // The page shows alice her own address.
    expect(consent.body).toContain('alice@example.com')

    lookups.splice(0)
    await browser.open(consent.url)
    expect(lookups.toSorted()).toEqual(['acme', 'alice'])
  })
})

it('a callback of the host that throws something other than an Error is reported as ERR_HOST_CALLBACK', async () => {
  host = await startHost({
    gatehouse: {
      accounts: {
        find: () => {
          // oxlint-disable-next-line typescript/only-throw-error
          throw 'a text'
        },
      },
    },
  })
  const errors: unknown[] = []
  host.gatehouse.on('error', ({ error }) => errors.push(error))
  const key = await host.createApiKey()
  const { status, body } = await host.token({ ...key, grant_type: 'client_credentials' })
  expect([status, body['error']]).toEqual([500, 'server_error'])
  expect(errors).toMatchObject([{ code: 'ERR_HOST_CALLBACK' }])
})

it('an invalid_grant error explains the reason, and reveals nothing about tokens of other clients', async () => {
  host = await startHost()
  const client = await host.createApplication()
  const { refresh_token: first } = await connect(host, client)
  const refresh = (token: string, by = client) =>
    host.token({ ...by, grant_type: 'refresh_token', refresh_token: token })
  const reasons = [
    [await refresh('x.0.y'), 'refresh token not found'],
    // The error is the same for a valid token of another client as for an unknown token.
    [await refresh(first, await host.createApplication()), 'refresh token not found'],
    [(await refresh(first)) && (await refresh(first)), 'refresh token already used'],
    [
      await host.token({ ...client, grant_type: 'authorization_code', code: 'x' }),
      'authorization code not found',
    ],
  ] as const
  for (const [{ status, body, text }, reason] of reasons) {
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: 'invalid_grant', error_description: reason },
    })
    expect(text).not.toContain(first)
  }
})

it('if a failure of the host is answered with 500, the failure is also emitted as an error of the Koa app', async () => {
  const failure = new Error('the database is gone')
  let fails = false
  const accounts = {
    find: (accountId: string) => {
      if (fails) throw failure
      return { id: accountId }
    },
  }
  host = await startHost({ gatehouse: { accounts } })
  const key = await host.createApiKey()
  fails = true
  expect((await host.token({ ...key, grant_type: 'client_credentials' })).status).toBe(500)
  expect(host.errors).toEqual([failure])
})

it('an authorization error that cannot be redirected explains what the developer can do', async () => {
  host = await startHost()
  const { client_id: application } = await host.createApplication()
  const { client_id: withoutUri } = await host.createApplication({ redirectUris: [] })
  const { client_id: apiKey } = await host.createApiKey()
  const ask = async (clientId: string, parameters = {}) => {
    const response = await fetch(authorizationUrl(host, clientId, parameters), { redirect: 'manual' })
    const { error_description: description } = (await response.json()) as { error_description: string }
    return [response.status, description]
  }
  expect(await ask('unknown')).toEqual([
    400,
    'no enabled application has this client_id; check the client_id, or enable the application. An API key cannot be ' +
      'used here, because it acts on the account of its owner only',
  ])
  expect(await ask(apiKey)).toEqual(await ask('unknown'))
  expect(await ask(withoutUri)).toEqual([400, expect.stringContaining('no redirect URI is registered')])
  expect(await ask(application, { redirect_uri: 'http://localhost:9/other' })).toEqual([
    400,
    expect.stringContaining('character by character'),
  ])
  // Without a response_type, the redirect URI is known, so the error is redirected.
  const redirected = authorizationUrl(host, application, { response_type: '' })
  const { headers } = await fetch(redirected, { redirect: 'manual' })
  const { searchParams } = new URL(headers.get('location') ?? '')
  expect(searchParams.get('error')).toBe('invalid_request')
  expect(searchParams.get('error_description')).toContain('response_type')
})
