import { afterAll, beforeAll, expect, it } from 'vitest'
import { asksFor, authorizationUrl, authorize, startHost, type Host } from '../../support/host.ts'
import { authorizePublic, createPkce, createPublicApplication } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

const WEB = 'https://app.example.com/callback'
const PROGRAM = 'http://127.0.0.1:51004/callback'
const APP = 'com.example.app:/callback'

describeEachStore('consent for public applications', (makeStore) => {
  let host: Host
  let client_id: string
  beforeAll(async () => {
    host = await startHost({ store: makeStore(), gatehouse: { publicApplications: true } })
    client_id = await createPublicApplication(host, { redirectUris: [WEB, 'http://127.0.0.1/callback', APP] })
  })
  afterAll(() => host.close())

  const steps = ({ pages }: Awaited<ReturnType<typeof authorize>>) =>
    pages.flatMap((page) => asksFor(page) ?? [])

  it('is remembered for an https redirect, and asked for each time on the computer of the person', async () => {
    const browser = host.browser()
    const first = await authorizePublic(host, client_id, { browser, redirect_uri: PROGRAM })
    expect(steps(first)).toEqual(['sign-in', 'consent'])
    for (const redirect_uri of [PROGRAM, APP]) {
      const again = await authorizePublic(host, client_id, { browser, redirect_uri })
      expect(steps(again)).toEqual(['consent'])
      expect(again.code).not.toBe('')
    }
    const onWeb = await authorizePublic(host, client_id, { browser, redirect_uri: WEB })
    expect(steps(onWeb)).toEqual([])
    expect(onWeb.code).not.toBe('')
  })

  it('a local program that asks silently (prompt=none) gets an error, and a website gets a code', async () => {
    const browser = host.browser()
    await authorizePublic(host, client_id, { browser, redirect_uri: PROGRAM })
    const silent = { prompt: 'none' }
    for (const redirect_uri of [PROGRAM, APP]) {
      const { callback } = await authorizePublic(host, client_id, {
        browser,
        redirect_uri,
        parameters: silent,
      })
      expect(callback.href.startsWith(redirect_uri)).toBe(true)
      expect(callback.searchParams.get('code')).toBeNull()
      expect(callback.searchParams.get('error')).toMatch(/^(consent|interaction)_required$/)
    }
    const onWeb = await authorizePublic(host, client_id, { browser, redirect_uri: WEB, parameters: silent })
    expect(onWeb.code).not.toBe('')
  })

  it('the page says that a program on this computer, or an app on this device, gets access', async () => {
    const parameters = { ...createPkce().challenge }
    const pageFor = async (redirect_uri: string) => {
      const { pages } = await authorize(host, client_id, {
        user: 'bob',
        deny: true,
        parameters: { ...parameters, redirect_uri },
      })
      return pages.find((page) => asksFor(page) === 'consent')?.body ?? ''
    }
    expect(await pageFor(PROGRAM)).toContain('A program on this computer gets access (')
    expect(await pageFor(PROGRAM)).toContain('http://127.0.0.1:51004')
    expect(await pageFor(APP)).toContain('The app on this device that opens')
    expect(await pageFor(APP)).toContain('com.example.app:')
    expect(await pageFor(WEB)).toContain('You will be sent back to')
  })

  it('a first-party application goes without consent only if all its redirect URIs are https', async () => {
    const create = (redirectUris: string[]) =>
      createPublicApplication(host, { firstParty: true, redirectUris })
    for (const uri of ['http://127.0.0.1/callback', APP]) {
      await expect(create([WEB, uri])).rejects.toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
        problems: [{ path: 'firstParty', code: 'first-party' }],
      })
    }
    const own = await create([WEB])
    const { update, setFirstParty } = host.gatehouse.applications
    await expect(update(own, { redirectUris: [WEB, APP] })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    await expect(setFirstParty(client_id, true)).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    const authorized = await authorizePublic(host, own, { redirect_uri: WEB })
    expect(steps(authorized)).toEqual(['sign-in'])
    expect((await host.token(authorized.exchange)).status).toBe(200)
  })

  it('a website may have a private-use scheme for sign-out alone', async () => {
    const id = await createPublicApplication(host, { redirectUris: [WEB], postLogoutRedirectUris: [APP] })
    const { exchange } = await authorizePublic(host, id, { redirect_uri: WEB })
    expect((await host.token(exchange)).status).toBe(200)
  })

  it('after sign-out, an app gets the browser back at its registered address', async () => {
    const id = await createPublicApplication(host, { redirectUris: [APP], postLogoutRedirectUris: [APP] })
    const browser = host.browser()
    await authorizePublic(host, id, { browser, redirect_uri: APP })
    const url = new URL(`${host.issuer}/oauth2/logout`)
    url.search = String(new URLSearchParams({ client_id: id, post_logout_redirect_uri: APP, state: 's' }))
    const page = await browser.open(url)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' com.example.app:")
    const done = await browser.submit(page, { action: /logout/, button: ['logout', 'yes'] })
    expect(done.url.href).toBe(`${APP}?state=s`)
  })

  it('an authorization URL with the registered scheme of another application is rejected', async () => {
    const other = await createPublicApplication(host, { redirectUris: ['org.other.app:/cb'] })
    const url = authorizationUrl(host, other, { redirect_uri: APP, ...createPkce().challenge })
    expect((await host.browser().open(url)).status).toBe(400)
  })
})
