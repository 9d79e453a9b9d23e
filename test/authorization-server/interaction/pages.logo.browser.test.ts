import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithChromium, startChromium } from '../../support/chromium.ts'
import { required } from '../../support/required.ts'
import { pendingConsent } from './fake-port.ts'
import { hostApp } from './host-app.ts'

/** A picture of one transparent pixel. */
const TRANSPARENT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)

describeWithChromium('the logo of an application in a browser', () => {
  let browser: Browser
  let page: Page
  const servers: Server[] = []
  beforeAll(async () => {
    browser = await startChromium()
    page = await browser.newPage({ javaScriptEnabled: false })
    await page.route(/^https:/, (route) =>
      route.request().url().endsWith('/good.png')
        ? route.fulfill({ contentType: 'image/png', body: TRANSPARENT })
        : route.fulfill({ status: 404, contentType: 'text/plain', body: 'not here' }),
    )
  })
  afterAll(async () => {
    await browser?.close()
    for (const server of servers) server.close()
  })

  /** Takes a picture of the inside of the tile on the consent page of an application. */
  async function tileOf(name: string, logoUri?: string, colorScheme: 'light' | 'dark' = 'light') {
    const application = { clientId: 'app-1', name, logoUri }
    const server = createServer()
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    const { callback } = hostApp({ pending: { ...pendingConsent, application }, issuer: `${origin}/auth` })
    server.on('request', (request, response) => void callback(request, response))

    await page.emulateMedia({ colorScheme })
    await page.goto(`${origin}/auth/interaction/uid-1`)
    const { x, y, width, height } = required((await page.locator('.mark').boundingBox()) ?? undefined)
    // Without the edge: on a busy machine, Chromium draws round corners with other shades.
    const clip = { x: Math.ceil(x) + 8, y: Math.ceil(y) + 8, width: width - 16, height: height - 16 }
    const picture = await page.screenshot({ animations: 'disabled', clip })
    return picture.toString('base64')
  }

  it.each([
    ['a logo that gets 404', 'https://cdn.ledgerly.example/missing.png'],
    // The Content-Security-Policy of the page cannot contain this host name.
    ['a logo that the Content-Security-Policy blocks', 'https://cdn,ledgerly.example/good.png'],
  ])('%s leaves the first letter visible, in light and dark mode', async (_what, logoUri) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const letter = await tileOf('Ledgerly', undefined, colorScheme)
      // Chromium may draw the page before it knows that the logo fails.
      await expect.poll(() => tileOf('Ledgerly', logoUri, colorScheme)).toBe(letter)
    }
  })

  it('a transparent logo covers the letter, and has a white background in dark mode too', async () => {
    const logo = 'https://cdn.ledgerly.example/good.png'
    const light = await tileOf('Ledgerly', logo)
    expect(light).not.toBe(await tileOf('Ledgerly'))
    expect(light).toBe(await tileOf('Workbook', logo))
    const dark = await tileOf('Ledgerly', logo, 'dark')
    expect(dark).not.toBe(await tileOf('Ledgerly', undefined, 'dark'))
    expect(dark).toBe(await tileOf('Workbook', logo, 'dark'))
  })
})
