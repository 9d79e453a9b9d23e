import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Page } from '../../support/browser.ts'
import { asksFor, authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

type Client = { client_id: string; client_secret: string }

describeEachStore('Something is taken away in the middle of a flow', (makeStore) => {
  let host: Host
  let application: Client
  const approved: unknown[] = []
  const issued: unknown[] = []
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    await host.gatehouse.ready()
    host.gatehouse.on('consent.approved', (event) => approved.push(event))
    host.gatehouse.on('token.issued', (event) => issued.push(event))
  })
  beforeEach(async () => {
    for (const id of ['alice', 'acme']) {
      host.accounts.set(id, { id, kycLevel: 'verified', claims: { name: id } })
    }
    application = await host.createApplication()
    for (const list of [approved, issued]) list.splice(0)
  })
  afterAll(() => host.close())

  const takeAway: Record<string, () => unknown> = {
    'the application is disabled': () => host.gatehouse.applications.disable(application.client_id),
    'the application is deleted': () => host.gatehouse.applications.delete(application.client_id),
    "the user's account is deleted": () => host.accounts.delete('alice'),
    "the developer's account is deleted": () => host.accounts.delete('acme'),
  }
  const names = Object.keys(takeAway)

  function expectNoCode(page: Page): void {
    expect(page.url.searchParams.get('code')).toBeNull()
    if (page.status !== 0) expect(page.status).toBeLessThan(500)
    expect(page.body).not.toContain('code=')
  }

  it.each(names)('%s before signing in', async (name) => {
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, application.client_id))
    await takeAway[name]!()
    const change = { identifier: 'alice', password: 'correct' }
    const next = await browser.submit(page, { action: /sign-in/, change })
    expectNoCode(next)
    expect(asksFor(next)).not.toBe('consent')
    expectNoCode(await browser.open(page.url))
  })

  it.each(names)('%s before consent', async (name) => {
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, application.client_id))
    const change = { identifier: 'alice', password: 'correct' }
    const consent = await browser.submit(page, { action: /sign-in/, change })
    expect(asksFor(consent)).toBe('consent')
    await takeAway[name]!()
    const next = await browser.submit(consent, {
      action: /consent/,
      change: { scope: 'invoices:read' },
      button: ['action', 'approve'],
    })
    expectNoCode(next)
    expect(approved).toEqual([])
    expectNoCode(await browser.open(consent.url))
  })

  it.each(names)('%s before the browser asks again, though consent is remembered', async (name) => {
    const { browser } = await authorize(host, application.client_id)
    const before = await browser.open(authorizationUrl(host, application.client_id))
    expect(before.url.searchParams.get('code')).not.toBeNull()
    await takeAway[name]!()
    expectNoCode(await browser.open(authorizationUrl(host, application.client_id)))
    expectNoCode(await browser.open(authorizationUrl(host, application.client_id, { prompt: 'none' })))
  })

  const errorResponses: Record<string, [status: number, error: string]> = {
    'the application is disabled': [401, 'invalid_client'],
    'the application is deleted': [401, 'invalid_client'],
    "the user's account is deleted": [400, 'invalid_grant'],
    "the developer's account is deleted": [400, 'unauthorized_client'],
  }

  it.each(names)('%s before the code exchange', async (name) => {
    const { code } = await authorize(host, application.client_id)
    await takeAway[name]!()
    const { status, body } = await host.token({ ...application, grant_type: 'authorization_code', code })
    expect([status, body['error']]).toEqual(errorResponses[name])
    expect(body).not.toHaveProperty('access_token')
    expect(issued).toEqual([])
  })

  it.each(names)('%s before a refresh', async (name) => {
    const { refresh_token } = await connect(host, application)
    issued.splice(0)
    await takeAway[name]!()
    const { status, body } = await host.token({ ...application, grant_type: 'refresh_token', refresh_token })
    expect([status, body['error']]).toEqual(errorResponses[name])
    expect(body).not.toHaveProperty('access_token')
    expect(issued).toEqual([])
  })

  it.each(names)('%s before user info', async (name) => {
    const { access_token } = await connect(host, application, {
      parameters: { scope: 'openid profile invoices:read' },
    })
    await takeAway[name]!()
    const response = await fetch(`${host.issuer}/oauth2/userinfo`, {
      headers: { authorization: `Bearer ${access_token}` },
    })
    // A developer who is gone changes nothing about the user.
    if (name === "the developer's account is deleted") expect(response.status).toBe(200)
    else
      expect([response.status, await response.json()]).toEqual([
        401,
        expect.objectContaining({ error: 'invalid_token' }),
      ])
  })

  it('the application comes back: what it was rejected with works again', async () => {
    const { code } = await authorize(host, application.client_id)
    await host.gatehouse.applications.disable(application.client_id)
    expect((await host.token({ ...application, grant_type: 'authorization_code', code })).status).toBe(401)
    await host.gatehouse.applications.enable(application.client_id)
    expect((await host.token({ ...application, grant_type: 'authorization_code', code })).status).toBe(200)
  })
})
