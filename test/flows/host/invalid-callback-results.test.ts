import { afterEach, expect, it } from 'vitest'
import type { Browser, Page } from '../../support/browser.ts'
import { asksFor, authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore("What the host's callbacks answer", (makeStore) => {
  let host: Host
  afterEach(() => host.close())

  /** A host whose callbacks answer what no type allows; whoever signs in is alice. */
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

  const signInAt = (browser: Browser, page: Page) =>
    browser.submit(page, { action: /sign-in/, change: { identifier: 'alice', password: 'correct' } })

  it('bug: null for an account that is gone sent the browser in a circle', async () => {
    let isThere = true
    const { application, failures } = await start({
      find: (id: string) => (id === 'acme' || isThere ? { id } : null),
      current: () => ({ accountId: 'alice' }),
      signInUrl: (returnTo: URL) => returnTo.href,
      authenticate: undefined,
    })
    isThere = false
    const { callback } = await authorize(host, application.client_id)
    expect(callback.searchParams.get('error')).toBe('login_required')
    expect(callback.searchParams.get('code')).toBeNull()
    expect(failures).toEqual([])
  })

  it('bug: null for an account that is gone was somebody at the built-in sign-in page', async () => {
    const { application } = await start({ authenticate: () => ({ accountId: 'nobody' }) })
    const browser = host.browser()
    const page = await signInAt(browser, await browser.open(authorizationUrl(host, application.client_id)))
    expect([page.status, asksFor(page)]).toEqual([401, 'sign-in'])
  })

  it('bug: userId null gave tokens that the gateway rejected', async () => {
    const { application } = await start({ authenticate: () => ({ accountId: 'alice', userId: null }) })
    const { access_token, refresh_token } = await connect(host, application)
    expect((await host.call('GET /invoices/list', access_token)).status).toBe(200)
    const refreshed = await host.token({ ...application, grant_type: 'refresh_token', refresh_token })
    expect((await host.call('GET /invoices/list', String(refreshed.body['access_token']))).status).toBe(200)
  })

  it.each([
    ['accounts.authenticate', { authenticate: () => ({ accountId: 42 }) }, 'accountId: must be a text'],
    ['accounts.find', { find: (id: string) => ({ id: id === 'acme' ? id : 42 }) }, 'id: must be a text'],
    ['accounts.find', { find: (id: string) => ({ id: id.toUpperCase() }) }, 'must be exactly the account id'],
  ])(
    '%s answering what cannot be is a page for the person and a reason for the host',
    async (name, accounts, why) => {
      const { application, failures } = await start(accounts)
      const browser = host.browser()
      let page = await browser.open(authorizationUrl(host, application.client_id))
      if (asksFor(page) === 'sign-in') page = await signInAt(browser, page)
      expect(page.status).toBe(500)
      expect(page.headers.get('content-type')).toMatch(/^text\/html/)
      expect(page.body).not.toContain(name)
      expect(failures[0]).toMatchObject({ code: 'ERR_HOST_CALLBACK' })
      expect(failures[0]?.message).toContain(`${name} returned an invalid result`)
      expect(failures[0]?.message).toContain(why)
    },
  )

  it('what is thrown that is no Error is the same, and names the callback', async () => {
    const { application, failures } = await start({
      current() {
        // oxlint-disable-next-line typescript/only-throw-error -- what hosts do all the same
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
