import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect } from 'vitest'
import { connect, type Host } from '../../support/host.ts'

/** The address to which users return after signing out. No server listens at this address. */
const SIGNED_OUT = 'http://localhost:9/signed-out'

/**
 * Runs through the whole interface as a client sees it: discovery, direct access, delegated access with
 * sign-in, consent, refresh, user info, sign-out, and revocation. Each address on the way must start with the
 * issuer.
 */
export async function journey(host: Host): Promise<void> {
  // The first start generates keys, which takes some time on a busy machine.
  await host.gatehouse.ready()
  await discovery(host)
  await directAccess(host)
  await delegatedScopes(host)
}

/** Checks the discovery documents at their three well-known addresses. */
async function discovery({ issuer, audience, origin, fetch }: Host): Promise<void> {
  const path = (address: string) => new URL(address).pathname.replace(/\/$/, '')
  const openid = await json(fetch, `${issuer}/.well-known/openid-configuration`)
  expect(openid).toMatchObject({
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize`,
    token_endpoint: `${issuer}/oauth2/token`,
    userinfo_endpoint: `${issuer}/oauth2/userinfo`,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    introspection_endpoint: `${issuer}/oauth2/introspect`,
    jwks_uri: `${issuer}/oauth2/jwks`,
    end_session_endpoint: `${issuer}/oauth2/logout`,
  })
  expect(await json(fetch, `${origin}/.well-known/oauth-authorization-server${path(issuer)}`)).toEqual(openid)
  expect(await json(fetch, `${origin}/.well-known/oauth-protected-resource${path(audience)}`)).toMatchObject({
    resource: audience,
    authorization_servers: [issuer],
  })
  const { keys } = (await json(fetch, `${issuer}/oauth2/jwks`)) as { keys: { alg: string }[] }
  // The current key and the next key of each algorithm are published.
  expect(keys.map(({ alg }) => alg).toSorted()).toEqual(['ES256', 'ES256', 'RS256', 'RS256'])
  // The documents name only addresses of the issuer and the API, even if the request has another Host header.
  const addresses = JSON.stringify(openid).match(/https?:\/\/[^"]+/g) ?? []
  expect(addresses.length).toBeGreaterThan(5)
  expect(addresses.filter((address) => address !== issuer && !address.startsWith(`${issuer}/`))).toEqual([])
}

/**
 * Gets a token for an API key, calls the API with and without the token, and introspects and revokes the
 * token.
 */
async function directAccess(host: Host): Promise<void> {
  const key = await host.createApiKey(['invoices'])
  const { status, body } = await host.requestDirectToken(key)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    token_type: 'Bearer',
    expires_in: 864_000,
    scope: 'invoices:read invoices:create',
  })
  const token = String(body['access_token'])
  expect(decodeProtectedHeader(token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' })
  expect(decodeJwt(token)).toMatchObject({ iss: host.issuer, aud: host.audience, account_id: 'acme' })

  const { length } = host.reached
  expect(await host.call('GET /payments/list', token)).toMatchObject({
    status: 403,
    body: { error: 'insufficient_scope' },
  })
  expect(await host.call('GET /invoices/list')).toMatchObject({ status: 401 })
  expect(await host.call('GET /unknown', token)).toMatchObject({ status: 404 })
  expect(host.reached).toHaveLength(length)
  expect(await host.call('GET /invoices/list', token)).toMatchObject({
    status: 200,
    body: { auth: { accountId: 'acme', mode: 'direct' } },
  })
  expect(host.reached).toHaveLength(length + 1)

  const presented = { ...key, token }
  expect((await host.post('/oauth2/introspect', presented)).body).toMatchObject({ active: true })
  expect(await host.post('/oauth2/revoke', presented)).toMatchObject({ status: 200, text: '{}' })
  expect((await host.post('/oauth2/introspect', presented)).body).toEqual({ active: false })
  expect(await host.call('GET /invoices/list', token)).toMatchObject({ status: 401 })
  expect(host.reached).toHaveLength(length + 1)
}

/**
 * Signs a user in, unticks one operation and approves the other operations. The application then refreshes
 * its token, reads user info, and signs the user out.
 */
async function delegatedScopes(host: Host): Promise<void> {
  const application = await host.createApplication({ postLogoutRedirectUris: [SIGNED_OUT] })
  const browser = host.browser()
  const tokens = await connect(host, application, {
    browser,
    parameters: { scope: 'openid profile invoices:read invoices:create' },
    untick: ['invoices:create'],
  })
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
  expect(tokens.scope.split(' ').toSorted()).toEqual(['invoices:read', 'openid', 'profile'])
  expect(await host.call('GET /invoices/list', tokens.access_token)).toMatchObject({
    status: 200,
    body: { auth: { accountId: 'alice', mode: 'delegated' } },
  })
  expect(await host.call('POST /invoices/create', tokens.access_token)).toMatchObject({ status: 403 })

  const refreshed = await host.refresh(application, tokens.refresh_token)
  expect(refreshed).toMatchObject({ status: 200, body: { scope: tokens.scope } })
  expect(refreshed.body['refresh_token']).not.toBe(tokens.refresh_token)
  const authorization = `Bearer ${String(refreshed.body['access_token'])}`
  expect(await json(host.fetch, `${host.issuer}/oauth2/userinfo`, { authorization })).toEqual({
    sub: 'alice',
    account_id: 'alice',
    name: 'Alice',
  })

  await signOut(host, browser, tokens.id_token ?? '')
}

async function signOut(host: Host, browser: ReturnType<Host['browser']>, idToken: string): Promise<void> {
  const address = new URL(`${host.issuer}/oauth2/logout`)
  address.searchParams.set('id_token_hint', idToken)
  address.searchParams.set('post_logout_redirect_uri', SIGNED_OUT)
  const page = await browser.open(address)
  expect(page.status).toBe(200)
  const end = await browser.submit(page, { button: ['logout', 'yes'] })
  expect(end.url.href).toBe(SIGNED_OUT)
}

async function json(fetch: Host['fetch'], address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { headers })
  const body = await response.text()
  expect(response.status, `${address}: ${body}`).toBe(200)
  return JSON.parse(body) as Record<string, unknown>
}
