import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** A page of Chromium, and everything that the page complained about. */
export interface OpenedPage {
  readonly page: Page
  /** Errors in the console of the browser, such as violations of the policy, and requests to other origins. */
  readonly complaints: string[]
}

/** Opens a page in which a person is signed in at a test host. */
export async function openPage(
  browser: Browser,
  origin: string,
  person: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const [accountId = '', userId] = person.split('/')
  const session = { accountId, ...(userId !== undefined && { userId }) }
  const value = Buffer.from(JSON.stringify(session)).toString('base64url')
  await context.addCookies([{ name: 'host_session', value, url: origin }])
  const page = await context.newPage()
  page.setDefaultTimeout(5000)
  const complaints: string[] = []
  page.on('console', (message) => {
    // Chromium asks every host for this picture.
    const isIcon = message.location().url.endsWith('/favicon.ico')
    if (message.type() === 'error' && !isIcon) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`request to ${request.url()}`)
  })
  return { page, complaints }
}
