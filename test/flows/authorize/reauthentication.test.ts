import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { isAt, type Browser, type Page } from '../../support/browser.ts'
import { authorizationUrl, CALLBACK } from '../../support/host.ts'
import { startSessionHost, type SessionHost } from '../../support/session-host.ts'

describe('re-authentication at the host', () => {
  let host: SessionHost
  let application: Awaited<ReturnType<SessionHost['createApplication']>>
  let browser: Browser
  beforeAll(async () => {
    host = await startSessionHost({ store: memoryStore() })
  })
  beforeEach(async () => {
    application = await host.createApplication()
    browser = host.browser()
    host.signIns.splice(0)
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  const open = (parameters?: Record<string, string>) =>
    browser.open(authorizationUrl(host, application.client_id, parameters))
  const approve = (page: Page) => browser.submit(page, { action: /consent$/, button: ['action', 'approve'] })
  const isHostSignIn = (page: Page) => isAt(page, `${host.origin}/login`)
  const now = () => Math.floor(Date.now() / 1000)

  it('prompt=login asks the host to re-authenticate, and auth_time is the time of the new sign-in', async () => {
    host.signInAt(browser, { accountId: 'alice', signedInAt: now() - 100 })
    expect(isHostSignIn(await open({ prompt: 'login', scope: 'openid', max_age: '1000' }))).toBe(true)
    expect(host.signIns[0]).toMatchObject({ reauthenticate: true })
    vi.setSystemTime(Date.now() + 5000)
    host.signInAt(browser, { accountId: 'alice', signedInAt: now() })
    const page = await approve(await browser.open(host.signIns[0]!.returnTo))
    expect(await authTimeOf(page)).toBe(now())
  })

  it('prompt=login is answered with login_required if the user returns without a new sign-in', async () => {
    host.signInAt(browser, { accountId: 'alice', signedInAt: now() - 100 })
    await open({ prompt: 'login' })
    const page = await browser.open(host.signIns[0]!.returnTo)
    expect(Object.fromEntries(page.url.searchParams)).toMatchObject({
      error: 'login_required',
      state: 'xyz',
      iss: host.issuer,
    })
  })

  it('prompt=login is answered with login_required if the host does not report the time of the sign-in', async () => {
    host.signInAt(browser, { accountId: 'alice' })
    await open({ prompt: 'login' })
    const page = await browser.open(host.signIns[0]!.returnTo)
    expect(page.url.searchParams.get('error')).toBe('login_required')
  })

  it('max_age accepts a sign-in that is recent enough, and auth_time is the time of that sign-in', async () => {
    host.signInAt(browser, { accountId: 'alice', signedInAt: now() - 30 })
    const page = await approve(await open({ max_age: '60', scope: 'openid' }))
    expect(await authTimeOf(page)).toBe(now() - 30)
    expect(host.signIns).toEqual([])
  })

  it('max_age asks the host to re-authenticate after an older sign-in', async () => {
    host.signInAt(browser, { accountId: 'alice', signedInAt: now() - 90 })
    expect(isHostSignIn(await open({ max_age: '60', scope: 'openid' }))).toBe(true)
    expect(host.signIns[0]).toMatchObject({ reauthenticate: true })
  })

  it('max_age is answered with login_required if the host does not report the time of the sign-in', async () => {
    host.signInAt(browser, { accountId: 'alice' })
    expect(isHostSignIn(await open({ max_age: '60', scope: 'openid' }))).toBe(true)
    const page = await browser.open(host.signIns[0]!.returnTo)
    expect(page.url.searchParams.get('error')).toBe('login_required')
  })

  it('a later sign-in at the host updates auth_time', async () => {
    host.signInAt(browser, { accountId: 'alice', signedInAt: now() - 90 })
    await approve(await open({ scope: 'openid' }))
    host.signInAt(browser, { accountId: 'alice', signedInAt: now() - 10 })
    expect(await authTimeOf(await open({ max_age: '60', scope: 'openid' }))).toBe(now() - 10)
  })

  async function authTimeOf(page: Page) {
    expect(isAt(page, CALLBACK), `${page.url.href} ${page.status}`).toBe(true)
    const code = page.url.searchParams.get('code')!
    const { body } = await host.exchangeCode(application, code)
    return decodeJwt(String(body['id_token']))['auth_time']
  }
})
