import { afterEach, expect, it } from 'vitest'
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

describeEachStore("unusual results of the host's callbacks", (makeStore) => {
  let host: Host
  afterEach(() => host.close())

  /**
   * Starts a host whose callbacks may return values that their types do not allow. By default every sign-in
   * signs in alice.
   */
  async function start(accounts: object) {
    const complete = {
      find: (id: string) => (['alice', 'acme'].includes(id) ? { id } : null),
      authenticate: () => ({ accountId: 'alice' }),
      ...accounts,
    }
    host = await startHost({ store: makeStore(), gatehouse: { accounts: complete } })
    const failures: Error[] = []
    host.gatehouse.on('error', ({ error }) => failures.push(error))
    return { application: await host.createApplication(), failures }
  }

  it('if accounts.find returns null for a deleted account, the application gets login_required (fixed bug: a redirect loop)', async () => {
    let exists = true
    const { application, failures } = await start({
      find: (id: string) => (id === 'acme' || exists ? { id } : null),
      current: () => ({ accountId: 'alice' }),
      signInUrl: (returnTo: URL) => returnTo.href,
      authenticate: undefined,
    })
    exists = false
    const { callback } = await authorize(host, application.client_id)
    expect(callback.searchParams.get('error')).toBe('login_required')
    expect(callback.searchParams.get('code')).toBeNull()
    expect(failures).toEqual([])
  })

  it('if accounts.find returns null, the sign-in on the built-in page fails (fixed bug: the page signed in an unknown user)', async () => {
    const { application } = await start({ authenticate: () => ({ accountId: 'unknown' }) })
    const browser = host.browser()
    const page = await signInAs(
      browser,
      await browser.open(authorizationUrl(host, application.client_id)),
      'alice',
    )
    expect([page.status, asksFor(page)]).toEqual([401, 'sign-in'])
  })

  it('if accounts.authenticate returns the userId null, the tokens are valid (fixed bug: the gateway rejected the tokens)', async () => {
    const { application } = await start({ authenticate: () => ({ accountId: 'alice', userId: null }) })
    const { access_token, refresh_token } = await connect(host, application)
    expect((await host.call('GET /invoices/list', access_token)).status).toBe(200)
    const refreshed = await host.refresh(application, refresh_token)
    expect((await host.call('GET /invoices/list', String(refreshed.body['access_token']))).status).toBe(200)
  })

  it.each([
    ['accounts.authenticate', { authenticate: () => ({ accountId: 42 }) }, 'accountId: must be a text'],
    ['accounts.find', { find: (id: string) => ({ id: id === 'acme' ? id : 42 }) }, 'id: must be a text'],
    ['accounts.find', { find: (id: string) => ({ id: id.toUpperCase() }) }, 'must be exactly the account id'],
  ])(
    'an invalid result of %s shows the user an error page and reports the reason to the host',
    async (name, accounts, why) => {
      const { application, failures } = await start(accounts)
      const browser = host.browser()
      let page = await browser.open(authorizationUrl(host, application.client_id))
      if (asksFor(page) === 'sign-in') page = await signInAs(browser, page, 'alice')
      expect(page.status).toBe(500)
      expect(page.headers.get('content-type')).toMatch(/^text\/html/)
      expect(page.body).not.toContain(name)
      expect(failures[0]).toMatchObject({ code: 'ERR_HOST_CALLBACK' })
      expect(failures[0]?.message).toContain(`${name} returned an invalid result`)
      expect(failures[0]?.message).toContain(why)
    },
  )

  it('if a callback throws a string, the user gets an error page, and the host gets an error that names the callback', async () => {
    const { application, failures } = await start({
      current() {
        // oxlint-disable-next-line typescript/only-throw-error -- some hosts throw strings
        throw 'no session'
      },
      signInUrl: () => '/login',
      authenticate: undefined,
    })
    const page = await host.browser().open(authorizationUrl(host, application.client_id))
    expect(page.status).toBe(500)
    expect(page.body).not.toContain('no session')
    expect(failures[0]).toMatchObject({
      code: 'ERR_HOST_CALLBACK',
      message: expect.stringContaining('accounts.current threw'),
    })
  })
})
