// Also runs on: Redis
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Page } from '../../support/browser.ts'
import type { Client } from '../../support/host-requests.ts'
import {
  asksFor,
  authorizationUrl,
  authorize,
  connect,
  signInAs,
  startHost,
  type Host,
} from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('an application, user or developer that disappears during a flow', (makeStore) => {
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

  const changes: Record<string, () => unknown> = {
    'the application is disabled': () => host.gatehouse.applications.disable(application.client_id),
    'the application is deleted': () => host.gatehouse.applications.delete(application.client_id),
    "the user's account is deleted": () => host.accounts.delete('alice'),
    "the developer's account is deleted": () => host.accounts.delete('acme'),
  }
  const names = Object.keys(changes)

  function expectNoCode(page: Page): void {
    expect(page.url.searchParams.get('code')).toBeNull()
    if (page.status !== 0) expect(page.status).toBeLessThan(500)
    expect(page.body).not.toContain('code=')
  }

  it.each(names)('no code is issued if %s before the user signs in', async (name) => {
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, application.client_id))
    await changes[name]!()
    const next = await signInAs(browser, page, 'alice')
    expectNoCode(next)
    expect(asksFor(next)).not.toBe('consent')
    expectNoCode(await browser.open(page.url))
  })

  it.each(names)('no code is issued if %s before consent', async (name) => {
    const browser = host.browser()
    const page = await browser.open(authorizationUrl(host, application.client_id))
    const consent = await signInAs(browser, page, 'alice')
    expect(asksFor(consent)).toBe('consent')
    await changes[name]!()
    const next = await browser.submit(consent, {
      action: /consent/,
      change: { scope: 'invoices:read' },
      button: ['action', 'approve'],
    })
    expectNoCode(next)
    expect(approved).toEqual([])
    expectNoCode(await browser.open(consent.url))
  })

  it.each(names)(
    'no code is issued if %s before the next authorization request, although the user approved an earlier request',
    async (name) => {
      const { browser } = await authorize(host, application.client_id)
      const before = await browser.open(authorizationUrl(host, application.client_id))
      expect(before.url.searchParams.get('code')).not.toBeNull()
      await changes[name]!()
      expectNoCode(await browser.open(authorizationUrl(host, application.client_id)))
      expectNoCode(await browser.open(authorizationUrl(host, application.client_id, { prompt: 'none' })))
    },
  )

  const errorResponses: Record<string, [status: number, error: string]> = {
    'the application is disabled': [401, 'invalid_client'],
    'the application is deleted': [401, 'invalid_client'],
    "the user's account is deleted": [400, 'invalid_grant'],
    "the developer's account is deleted": [400, 'unauthorized_client'],
  }

  it.each(names)('no token is issued if %s before the code exchange', async (name) => {
    const { code } = await authorize(host, application.client_id)
    await changes[name]!()
    const { status, body } = await host.exchangeCode(application, code)
    expect([status, body['error']]).toEqual(errorResponses[name])
    expect(body).not.toHaveProperty('access_token')
    expect(issued).toEqual([])
  })

  it.each(names)('no token is issued if %s before a refresh', async (name) => {
    const { refresh_token } = await connect(host, application)
    issued.splice(0)
    await changes[name]!()
    const { status, body } = await host.refresh(application, refresh_token)
    expect([status, body['error']]).toEqual(errorResponses[name])
    expect(body).not.toHaveProperty('access_token')
    expect(issued).toEqual([])
  })

  it.each(names)(
    'if %s, user info rejects the token, except in the case of the developer, whom user info does not check',
    async (name) => {
      const { access_token } = await connect(host, application, {
        parameters: { scope: 'openid profile invoices:read' },
      })
      await changes[name]!()
      const { status, body } = await host.userInfo(access_token)
      // User info does not check the developer's account.
      if (name === "the developer's account is deleted") expect(status).toBe(200)
      else expect([status, body]).toEqual([401, expect.objectContaining({ error: 'invalid_token' })])
    },
  )

  it('a code that a disabled application could not exchange works after the application is enabled', async () => {
    const { code } = await authorize(host, application.client_id)
    await host.gatehouse.applications.disable(application.client_id)
    expect((await host.exchangeCode(application, code)).status).toBe(401)
    await host.gatehouse.applications.enable(application.client_id)
    expect((await host.exchangeCode(application, code)).status).toBe(200)
  })
})
