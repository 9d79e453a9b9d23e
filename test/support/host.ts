import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa, { type Context, type Middleware } from 'koa'
import {
  createGatehouse,
  type Account,
  type Gatehouse,
  type GatehouseOptions,
  type Store,
} from 'koa-gatehouse'
import { deployStore } from './deployments.ts'
import { kycLevels, products } from '../fixtures/products.ts'
import { guardProviderRequests } from './guard-provider-request.ts'
import { seedKeyRing } from './ready-keys.ts'
import { withoutFastPath } from './direct-access/without-fast-path.ts'
import { createBrowser, formsOf, type Browser, type Page } from './browser.ts'
import { hostRequests, type Client } from './host-requests.ts'
import { plainFetch } from './plain-fetch.ts'
import { storesOfRun, type Deployment } from './stores-of-run.ts'

/** The redirect URI of applications. No process listens at this address. */
export const CALLBACK = 'http://localhost:9/callback'

export interface HostOptions {
  /**
   * @default an empty store: in memory if TEST_STORES names `memory`, otherwise on the first deployment of TEST_STORES
   */
  readonly store?: Store | undefined
  /** The accounts of the host. @default alice, bob and acme (a developer with KYC level `verified`) */
  readonly accounts?: Map<string, Account> | undefined
  /** Options of the gatehouse that replace the defaults of the test host. */
  readonly gatehouse?: Partial<GatehouseOptions> | undefined
  /** Middleware that runs before gatehouse. */
  readonly above?: readonly Middleware[] | undefined
  /** Mounts gatehouse in the app. @default app.use(gatehouse.middleware()) and the gateway */
  readonly mount?: ((app: Koa, gatehouse: Gatehouse) => void) | undefined
  readonly issuerPath?: string | undefined
  readonly secret?: string | undefined
  /** The port to listen on, such as the port of a closed host. @default a free port */
  readonly port?: number | undefined
  /** The public origin of a host behind a proxy. @default the origin at which the host listens */
  readonly origin?: string | undefined
  /** {base_url} below the origin. @default '/api' */
  readonly audiencePath?: string | undefined
  /** The server's request listener. @default the app's callback */
  readonly serve?: ((app: Koa, gatehouse: Gatehouse) => ReturnType<Koa['callback']>) | undefined
  /** The function that makes requests. @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export const SECRET = 'a secret for tests, long enough to be one'

guardProviderRequests()

/** Starts the app of a host on a free port. The app contains gatehouse. */
export async function startHost(options: HostOptions = {}) {
  const server = await listen(options.port ?? 0)
  const { port } = server.address() as AddressInfo
  const origin = options.origin ?? `http://localhost:${port}`
  const { fetch = globalThis.fetch } = options
  const ask = options.fetch ?? plainFetch
  const issuer = `${origin}${options.issuerPath ?? '/auth'}`
  const audience = `${origin}${options.audiencePath ?? '/api'}`
  const accounts =
    options.accounts ??
    new Map<string, Account>([
      ['alice', { id: 'alice', kycLevel: 'basic', claims: { name: 'Alice', email: 'alice@example.com' } }],
      ['bob', { id: 'bob', kycLevel: 'none', claims: { name: 'Bob', email: 'bob@example.com' } }],
      ['acme', { id: 'acme', kycLevel: 'verified', claims: { name: 'Acme Ltd' } }],
    ])

  const own = options.store ?? options.gatehouse?.store
  const deployed = own
    ? { store: own, disconnect() {} }
    : deployStore(defaultDeployment(), `${randomUUID()}:`)
  const { store } = deployed
  const secret = options.secret ?? SECRET
  if (!options.gatehouse?.secret && !options.gatehouse?.store) await seedKeyRing(store, secret, 100)
  const gatehouse: Gatehouse = createGatehouse({
    issuer,
    audience,
    secret,
    store,
    kycLevels,
    products,
    accounts: {
      find: (accountId: string) => accounts.get(accountId),
      authenticate: ({ identifier, password }: { identifier: string; password: string }) =>
        password === 'correct' && accounts.has(identifier) ? { accountId: identifier } : undefined,
    },
    // Tests of one-time tokens send hundreds of requests at once, from one address.
    maxTokenRequests: 100_000,
    // Tests make many changes at once, and on a busy machine a server of PostgreSQL shares the cores with the tests.
    ...(storesOfRun().includes('postgres') && { storeTimeoutMs: 20_000 }),
    ...options.gatehouse,
  })

  const app = new Koa()
  const reached: string[] = []
  if (process.env['TEST_DIRECT_ACCESS_FAST_PATH'] === 'false') app.use(withoutFastPath)
  for (const middleware of options.above ?? []) app.use(middleware)
  if (options.mount) options.mount(app, gatehouse)
  else {
    app.use(gatehouse.middleware())
    app.use(gatehouse.gateway.middleware())
  }
  app.use((ctx: Context) => {
    reached.push(`${ctx.method} ${ctx.path}`)
    ctx.body = { reached: ctx.path, auth: ctx.state['auth'] ?? null }
  })
  const errors: unknown[] = []
  app.on('error', (error) => errors.push(error))
  server.on('request', options.serve?.(app, gatehouse) ?? app.callback())

  return {
    app,
    server,
    gatehouse,
    origin,
    port,
    fetch,
    issuer,
    audience,
    accounts,
    /** The requests that reached the host's own handler, through the gateway or past the gateway. */
    reached,
    /** The errors that Koa's `error` event reported. */
    errors,
    ...hostRequests({ fetch: ask, issuer, audience }),
    browser: (): Browser => createBrowser({ follow: [origin], fetch: ask }),
    ...clientsOf(gatehouse),
    async close() {
      await gatehouse.close()
      deployed.disconnect()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      // Wait until the clients have noticed the end of their connections. Otherwise a client could use an
      // ended connection for another host on this port.
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

/** Functions that create clients of the account `acme`, at a host. */
function clientsOf(gatehouse: Gatehouse) {
  // `createApiKey()` and `createApplication()` call `ready()` first. On a busy machine, gatehouse may need more than
  // `startTimeoutMs` to make its signing keys, and a request would get 503.
  // Listing the audit trail waits until the new client is written in full.
  return {
    async createApiKey(productIds: string[] = ['invoices', 'payments']) {
      await gatehouse.ready()
      const { apiKey, clientSecret } = await gatehouse.apiKeys.create({
        accountId: 'acme',
        name: 'Nightly export',
        products: productIds,
      })
      await gatehouse.audit.list({ limit: 1 })
      return { client_id: apiKey.clientId, client_secret: clientSecret }
    },
    async createApplication(overrides: object = {}) {
      await gatehouse.ready()
      const { application, clientSecret } = await gatehouse.applications.create({
        accountId: 'acme',
        name: 'Ledger',
        products: ['invoices', 'payments'],
        redirectUris: [CALLBACK],
        ...overrides,
      })
      await gatehouse.audit.list({ limit: 1 })
      return { client_id: application.clientId, client_secret: clientSecret }
    },
  }
}

export type Host = Awaited<ReturnType<typeof startHost>>

/** The address of an authorization request. */
export function authorizationUrl(host: Host, clientId: string, parameters: Record<string, string> = {}): URL {
  const url = new URL(`${host.issuer}/oauth2/authorize`)
  const all = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: CALLBACK,
    state: 'xyz',
    ...parameters,
  }
  for (const [name, value] of Object.entries(all)) if (value !== '') url.searchParams.set(name, value)
  return url
}

/** Returns the step that a page of gatehouse asks the user for. */
export function asksFor(page: Page): 'sign-in' | 'consent' | undefined {
  const actions = formsOf(page).map(({ action }) => action)
  return (['sign-in', 'consent'] as const).find((step) => actions.some((it) => it.endsWith(`/${step}`)))
}

/** Sends the built-in sign-in form of a page. */
export function signInAs(browser: Browser, page: Page, user: string, password = 'correct'): Promise<Page> {
  return browser.submit(page, { action: /sign-in/, change: { identifier: user, password } })
}

/** Signs in and consents, if the pages ask for it. Resolves with the redirect that the application gets. */
export async function authorize(
  host: Host,
  clientId: string,
  options: {
    parameters?: Record<string, string> | undefined
    browser?: Browser | undefined
    user?: string | undefined
    /** Operations to untick. */
    untick?: readonly string[] | undefined
    deny?: boolean | undefined
  } = {},
): Promise<{ callback: URL; code: string; pages: Page[]; browser: Browser }> {
  const browser = options.browser ?? host.browser()
  const pages: Page[] = []
  let page = await browser.open(authorizationUrl(host, clientId, options.parameters))
  pages.push(page)
  if (page.status === 200 && asksFor(page) === 'sign-in') {
    page = await signInAs(browser, page, options.user ?? 'alice')
    pages.push(page)
  }
  if (page.status === 200 && asksFor(page) === 'consent') {
    const ticked = [
      ...page.body.matchAll(/name="scope"[^>]*value="([^"]+)"|value="([^"]+)"[^>]*name="scope"/g),
    ]
      .map(([, one, other]) => one ?? other ?? '')
      .filter((scope) => !options.untick?.includes(scope))
    page = await browser.submit(page, {
      action: /consent/,
      change: { scope: ticked },
      button: ['action', options.deny ? 'deny' : 'approve'],
    })
    pages.push(page)
  }
  return { callback: page.url, code: page.url.searchParams.get('code') ?? '', pages, browser }
}

/** Runs the delegated flow from the authorization request to the tokens. */
export async function connect(host: Host, client: Client, options: Parameters<typeof authorize>[2] = {}) {
  const { code, pages, callback } = await authorize(host, client.client_id, options)
  if (code === '') throw new Error(`no code, but ${callback.href}\n${pages.at(-1)?.body}`)
  const { body, status } = await host.exchangeCode(client, code)
  if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`)
  return body as unknown as Tokens
}

export interface Tokens {
  access_token: string
  refresh_token: string
  id_token?: string
  expires_in: number
  scope: string
  token_type: string
}

function defaultDeployment(): Deployment {
  const [first = 'memory', ...others] = storesOfRun()
  return others.includes('memory') ? 'memory' : first
}

function listen(port: number): Promise<Server> {
  // A host must not close an idle connection while a request arrives. With this timeout, clients close idle
  // connections before the host does.
  const server = createServer({ keepAliveTimeout: 60_000 })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, () => resolve(server))
  })
}
