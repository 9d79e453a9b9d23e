import type Koa from 'koa'
import type { Account, Accounts, Gatehouse, GatehouseOptions, SignedIn, Store } from 'koa-gatehouse'
import type { ConsoleOptions } from 'koa-gatehouse/console'
import { formsOf, unescapeHtml, type Page } from '../../support/browser.ts'
import type { Client } from '../../support/host-requests.ts'
import { startHost, type Host } from '../../support/host.ts'
import { readSession, sessionIn } from '../../support/session-cookie.ts'
import { createConsole } from '../../../src/console.ts'
import { createLimits } from '../../../src/limits.ts'
import { createUsage, type Usage } from '../../../src/usage.ts'

/** The names of users, by user id. Other users have no name. */
const NAMES = new Map([['anna', 'Anna Ash']])

/**
 * Starts a host that serves the console at `/console`. A cookie says who is signed in. The account `root` is an operator.
 */
export async function startConsole(options: {
  store: Store
  console?: ConsoleOptions | undefined
  gatehouse?: Partial<GatehouseOptions> | undefined
  accounts?: Partial<Accounts> | undefined
  /** Mounts what the test needs before the service. @default the console at `/console` */
  mount?: ((app: Koa, gatehouse: Gatehouse) => void) | undefined
}) {
  const accounts = new Map<string, Account>([
    ['alice', { id: 'alice', kycLevel: 'basic', claims: { name: 'Alice' } }],
    ['bob', { id: 'bob', kycLevel: 'none', claims: { name: 'Bob' } }],
    ['acme', { id: 'acme', kycLevel: 'verified', claims: { name: 'Acme Ltd' } }],
    ['root', { id: 'root', claims: { name: 'Root' } }],
  ])
  let usage: Usage | undefined
  const host = await startHost({
    store: options.store,
    accounts,
    gatehouse: {
      accounts: {
        find: (accountId, userId) => {
          const account = accounts.get(accountId)
          return userId === undefined
            ? account
            : account && { ...account, claims: { name: NAMES.get(userId) } }
        },
        current: readSession,
        signInUrl: (returnTo) => `/login?next=${encodeURIComponent(returnTo.pathname + returnTo.search)}`,
        isOperator: (ctx) => readSession(ctx)?.accountId === 'root',
        ...options.accounts,
      },
      ...options.gatehouse,
    },
    mount(app, gatehouse) {
      if (options.mount) options.mount(app, gatehouse)
      else {
        usage = createUsage(gatehouse, { intervalSeconds: 3600 })
        const limits = createLimits(gatehouse)
        app.use(createConsole(gatehouse, { usage, limits, ...options.console }))
      }
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware())
    },
  })
  await host.gatehouse.ready()
  return {
    ...host,
    visit: visitorsOf(host),
    /** Calls the API as a client, and shows the calls on the pages about usage. */
    async callAs(client: Client, ...targets: readonly string[]): Promise<void> {
      const { body } = await host.requestDirectToken(client)
      for (const target of targets) await host.call(target, String(body['access_token']))
      await usage?.flush()
    },
  }
}

/** Browsers of the people who visit a host. */
export function visitorsOf(host: Pick<Host, 'origin' | 'browser'>) {
  const { signInAt } = sessionIn(host.origin)
  const browsers = new Map<string, ReturnType<typeof host.browser>>()

  /**
   * A browser without scripts in which a person is signed in: an account, or `account/user`. Each person always uses the
   * same browser.
   */
  return function visit(person?: string) {
    const browser = browsers.get(person ?? '') ?? host.browser()
    if (person !== undefined) browsers.set(person, browser)
    const [accountId = '', userId] = person?.split('/') ?? []
    const signedIn: SignedIn = { accountId, ...(userId !== undefined && { userId }) }
    if (person !== undefined) signInAt(browser, signedIn)
    return {
      browser,
      /** Opens a path of the host, and follows redirects. */
      open: (path: string) => browser.open(host.origin + path),
      /** Opens a path of the host without following redirects. */
      get: (path: string, headers: Record<string, string> = {}) =>
        browser.request(new URL(host.origin + path), { headers }),
      /**
       * Sends the form of a page whose field `action` has this value, and follows redirects. If another part of the page of a
       * client has the form, the tab of this part is followed. If the page has a link to a page that asks before the action, this
       * link is followed first, and an answer without the form is returned.
       */
      async submit(
        opened: Page,
        action: string,
        change: Record<string, string | string[] | null> = {},
        headers: Record<string, string> = {},
      ) {
        let page = opened
        for (const tab of tabsOf(opened)) {
          if (offers(page, action)) break
          const part = await browser.request(new URL(tab, opened.url), { headers })
          if (offers(part, action)) page = part
        }
        const link = confirmLinkOf(page, action, change)
        const asked = link === undefined ? page : await browser.open(new URL(link, page.url))
        return asked.status === 200 || asked === page
          ? browser.submit(onlyForm(asked, action), { change, headers })
          : asked
      },
    }
  }
}

/** The addresses of the parts of a client. */
function tabsOf({ body }: Page): string[] {
  const tabs = /<nav class="choice-links tabs"[^]*?<\/nav>/.exec(body)?.[0] ?? ''
  return [...tabs.matchAll(/href="([^"?]*)"/g)].map(([, href = '']) => unescapeHtml(href))
}

const offers = ({ body }: Page, action: string): boolean =>
  body.includes(`?confirm=${action}`) || new RegExp(`name="action"\\s+value="${action}"`).test(body)

export type ConsoleHost = Awaited<ReturnType<typeof startConsole>>

/** The page with only the form of one action, because all forms of a page have the same address. */
function onlyForm(page: Page, action: string): Page {
  const forms = page.body.match(/<form\b[^]*?<\/form>/g) ?? []
  const wanted = forms.find((each) =>
    formsOf({ ...page, body: each })[0]?.fields.some(
      ([name, value]) => name === 'action' && value === action,
    ),
  )
  if (wanted === undefined) throw new Error(`there is no form “${action}” on ${page.url.href}:\n${page.body}`)
  return { ...page, body: wanted }
}

/** The address of the page that asks before an action with these fields. */
function confirmLinkOf(
  { body }: Page,
  action: string,
  change: Record<string, string | string[] | null>,
): string | undefined {
  const links = [...body.matchAll(/href="([^"]*\?confirm=[^"]*)"/g)].map(([, link = '']) =>
    unescapeHtml(link),
  )
  const values = Object.values(change).filter((value) => typeof value === 'string')
  const valuesIn = (link: string) => [...new URLSearchParams(link.split('?')[1]).values()]
  const own = links.filter((link) => valuesIn(link)[0] === action)
  return own.find((link) => values.some((value) => valuesIn(link).includes(value))) ?? own[0]
}
