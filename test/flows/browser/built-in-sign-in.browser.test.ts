import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { findViolations } from '../../support/accessibility.ts'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { authorizationUrl, startHost, type Host, type Tokens } from '../../support/host.ts'

describeWithChromium('the built-in sign-in page with an application on another site', () => {
  let host: Host
  let browser: Browser
  let page: Page
  let callback: string
  let end: string
  const servers: Server[] = []
  const consoleMessages: string[] = []

  /**
   * Starts a server on 127.0.0.1. For a browser, 127.0.0.1 is a different site from localhost, the host of
   * gatehouse.
   */
  async function serve(listener: Parameters<typeof createServer>[1]): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  beforeAll(async () => {
    ;[host, browser] = await Promise.all([startHost(), startChromium()])
    await host.gatehouse.ready()
    end = await serve((_request, response) => response.end('connected'))
    // The callback of an application redirects the user, sometimes to another site.
    callback = await serve((request, response) =>
      response.writeHead(302, { location: `${end}${request.url?.replace('/callback', '/done')}` }).end(),
    )
  })
  afterAll(async () => {
    await browser?.close()
    for (const server of servers) server.close()
    await host.close()
  })
  beforeEach(async () => {
    consoleMessages.length = 0
    page = await (await browser.newContext()).newPage()
    page.setDefaultTimeout(5000)
    page.on('console', (message) => consoleMessages.push(message.text()))
  })

  const click = (name: string) => page.getByRole('button', { name }).click()

  async function expectNoViolations(): Promise<void> {
    expect(await findViolations(page)).toEqual([])
  }

  it('a user signs in after a wrong password and approves, and the application gets a code that works', async () => {
    const application = await host.createApplication({ redirectUris: [`${callback}/callback`] })
    const parameters = { redirect_uri: `${callback}/callback`, scope: 'openid invoices:read payments:list' }
    await page.goto(authorizationUrl(host, application.client_id, parameters).href)
    await expectNoViolations()
    await page.getByLabel('Email or user name').fill('alice')
    await page.getByLabel('Password').fill('wrong')
    await click('Sign in')
    expect(await page.getByRole('alert').count()).toBe(1)
    await expectNoViolations()
    expect(await page.getByLabel('Email or user name').inputValue()).toBe('alice')
    expect(await page.getByLabel('Password').inputValue()).toBe('')
    await page.getByLabel('Password').fill('correct')
    await click('Sign in')

    await page.getByRole('checkbox', { name: 'Read your payments' }).uncheck()
    await expectNoViolations()
    await click('Allow')
    await page.waitForURL(/\/done\?/)
    expect(await page.textContent('body')).toBe('connected')
    const answer = new URL(page.url()).searchParams
    expect(answer.get('state')).toBe('xyz')
    expect(answer.get('iss')).toBe(host.issuer)

    const { body } = await host.exchangeCode(application, answer.get('code') ?? '')
    const tokens = body as unknown as Tokens
    expect(tokens.expires_in).toBe(3600)
    expect(await host.call('GET /invoices/list', tokens.access_token)).toMatchObject({ status: 200 })
    expect(await host.call('GET /payments/list', tokens.access_token)).toMatchObject({ status: 403 })
    // Chromium logs the 401 for the wrong password. Any other line could be a violation of the CSP.
    expect(consoleMessages.filter((text) => !text.includes('status of 401'))).toEqual([])
  })

  it('denying consent and signing out both redirect to the other site', async () => {
    const application = await host.createApplication({
      redirectUris: [`${callback}/callback`],
      postLogoutRedirectUris: [`${end}/bye`],
    })
    const parameters = { redirect_uri: `${callback}/callback`, scope: 'openid invoices:read' }
    await page.goto(authorizationUrl(host, application.client_id, parameters).href)
    await page.getByLabel('Email or user name').fill('bob')
    await page.getByLabel('Password').fill('correct')
    await click('Sign in')
    await click('Deny')
    await page.waitForURL(/\/done\?/)
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')

    const logout = new URL(`${host.issuer}/oauth2/logout`)
    logout.searchParams.set('client_id', application.client_id)
    logout.searchParams.set('post_logout_redirect_uri', `${end}/bye`)
    await page.goto(logout.href)
    await expectNoViolations()
    await click('Sign out')
    await page.waitForURL(`${end}/bye`)
    expect(consoleMessages).toEqual([])

    await page.goto(authorizationUrl(host, application.client_id, parameters).href)
    expect(await page.getByLabel('Password').count()).toBe(1)
  })
})
