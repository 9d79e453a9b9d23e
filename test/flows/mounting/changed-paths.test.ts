import Koa from 'koa'
import mount from 'koa-mount'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Accounts } from 'koa-gatehouse'
import { createConsole } from '../../../src/console.ts'
import { createManagementApi } from '../../../src/management.ts'
import { unescapeHtml, type Page } from '../../support/browser.ts'
import { freePort } from '../../support/free-port.ts'
import { connect, startHost, type Tokens } from '../../support/host.ts'
import { nginx, startNginx } from '../../support/nginx.ts'
import { readSession } from '../../support/session-cookie.ts'
import { visitorsOf } from '../console/setup.ts'

/** Where everything of the host is. */
interface Place {
  /** The prefix of all addresses, as browsers see it. */
  readonly seen: string
  /** The prefix with which requests reach the app. */
  readonly received: string
  /** The path at which koa-mount mounts the app, if it does. */
  readonly mounted?: string
  /** Whether the proxy changes an encoded slash to a slash. @default false */
  readonly losesSlashes?: boolean
  /** The `location` block of nginx for an app on a port. @default the app's listener changes the path itself */
  readonly nginx?: (port: number) => string
}

const HEADERS = `
  proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;`

/** nginx passes the path on as it was sent. */
const STRIPPED = (port: number) => `location /tools/ {
  ${HEADERS}
  if ($request_uri ~ ^/tools(/.*)) { proxy_pass http://127.0.0.1:${port}$1; }
}`

/** nginx decodes the path, and encodes it again without the slashes of ids. */
const DECODED = (port: number) => `location /tools/ { proxy_pass http://127.0.0.1:${port}/; ${HEADERS} }`

const IN_NODE: Record<string, Place> = {
  'mounted by koa-mount, behind a proxy that strips another prefix': {
    seen: '/tools/platform',
    received: '/platform',
    mounted: '/platform',
  },
}

const IN_NGINX: Record<string, Place> = {
  'behind nginx that strips the prefix': { seen: '/tools', received: '', nginx: STRIPPED },
  'behind nginx that strips the prefix by the path of proxy_pass': {
    seen: '/tools',
    received: '',
    nginx: DECODED,
    losesSlashes: true,
  },
}

async function start(place: Place) {
  const { seen, received } = place
  const port = place.nginx && (await freePort())
  const at = (path: string) => ({ path: seen + path, mountPath: received + path })
  const host = await startHost({
    ...(port && { origin: `http://127.0.0.1:${port}` }),
    issuerPath: `${seen}/auth`,
    audiencePath: `${seen}/api`,
    gatehouse: {
      mountPath: `${received}/auth`,
      accounts: accountsBelow(seen),
    },
    mount(app, gatehouse) {
      const inner = new Koa()
      inner.use(createManagementApi(gatehouse, at('/account/api')))
      const pages = createConsole(gatehouse, at('/console'))
      inner.use(pages)
      inner.use(pages.apiKeys(at('/settings/keys')))
      inner.use(gatehouse.middleware())
      inner.use(gatehouse.gateway.middleware({ mountPath: `${received}/api` }))
      for (const each of inner.middleware) if (!place.mounted) app.use(each)
      if (place.mounted) app.use(mount(place.mounted, inner))
    },
    serve: (app) => (place.nginx ? app.callback() : changing(app, seen, received)),
  })
  await host.gatehouse.ready()
  const listening = host.server.address() as { port: number }
  const proxy = port && place.nginx && (await startNginx(port, place.nginx(listening.port)))
  return {
    ...host,
    visit: visitorsOf(host),
    async close() {
      if (proxy) await proxy.stop()
      await host.close()
    },
  }
}

function accountsBelow(prefix: string): Accounts {
  return {
    find: (id) => ({ id, kycLevel: 'verified' }),
    current: readSession,
    signInUrl: ({ pathname, search }) => `${prefix}/login?next=${encodeURIComponent(pathname + search)}`,
    isOperator: (ctx) => readSession(ctx)?.accountId === 'root',
  }
}

/** An app behind a proxy that changes the prefix `seen` to `received`. */
function changing(app: Koa, seen: string, received: string): ReturnType<Koa['callback']> {
  const handler = app.callback()
  return (request, response) => {
    const { url = '' } = request
    if (`${url}/`.startsWith(`${seen}/`)) request.url = received + url.slice(seen.length) || '/'
    return handler(request, response)
  }
}

/** The addresses on the host that a page names: links, forms, stylesheets, scripts and frames. */
function addressesOf({ body, url }: Page): string[] {
  const found = [...body.matchAll(/\s(?:href|src|action|data-path)="([^"]*)"/g)]
  return found
    .map(([, address = '']) => new URL(unescapeHtml(address), url))
    .filter(({ origin }) => origin === url.origin)
    .map(({ pathname, search }) => pathname + search)
}

/** Follows every address from a page on. @returns the answers by their addresses */
async function crawl(visit: Visit, person: string, from: string): Promise<Map<string, Page>> {
  const visited = new Map<string, Page>()
  const waiting = [from]
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    if (visited.has(address)) continue
    const page = await visit(person).open(address)
    visited.set(address, page)
    if (page.headers.get('content-type')?.startsWith('text/html')) waiting.push(...addressesOf(page))
  }
  return visited
}

type Started = Awaited<ReturnType<typeof start>>
type Visit = Started['visit']

function expectAllBelow(path: string, visited: Map<string, Page>): void {
  expect([...visited].filter(([, { status }]) => status !== 200).map(([address]) => address)).toEqual([])
  expect([...visited.keys()].filter((address) => !`${address}/`.startsWith(`${path}/`))).toEqual([])
}

function itGivesRightAddresses(place: Place): void {
  const { seen } = place
  let host: Started
  let apiKey: string
  let tokens: Tokens
  beforeAll(async () => {
    host = await start(place)
    apiKey = (await host.createApiKey()).client_id
    const { browser } = host.visit('north/nina')
    tokens = await connect(host, await host.createApplication(), { browser })
  })
  afterAll(() => host.close())

  it('the token of an approved application is accepted', async () => {
    const called = await host.fetch(`${host.audience}/invoices/list`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(called.status).toBe(200)
  })

  it.each(['acme', 'root'])('no address on the pages of %s is dead', async (person) => {
    const visited = await crawl(host.visit, person, `${seen}/console`)
    expectAllBelow(`${seen}/console`, visited)
    expect(visited.size).toBeGreaterThanOrEqual(20)
    const types = new Set([...visited.values()].map(({ headers }) => headers.get('content-type')))
    expect([...types].map((type) => type?.split(';', 1)[0])).toEqual(
      expect.arrayContaining(['text/css', 'text/html', 'text/javascript']),
    )
  })

  it('a part that is mounted alone has its own addresses', async () => {
    const visited = await crawl(host.visit, 'acme', `${seen}/settings/keys`)
    expectAllBelow(`${seen}/settings/keys`, visited)
    expect(visited.has(`${seen}/settings/keys/${apiKey}`)).toBe(true)
  })

  it(`an account whose id has a slash has ${place.losesSlashes ? 'no' : 'a'} page`, async () => {
    const page = await host.visit('root').open(`${seen}/console/operator/accounts/c_north%2Fwest`)
    if (place.losesSlashes) {
      expect(page.status).toBe(404)
      return
    }
    expect(page.status).toBe(200)
    expect(page.body).toContain('c_north/west')
    expect(addressesOf(page)).toContain(`${seen}/console/operator/accounts/c_north%2Fwest/revoke`)
  })

  it('a form is accepted, and continues at the page of the key', async () => {
    const { browser, open, submit } = host.visit('acme')
    const path = `${seen}/console/api-keys/${apiKey}/settings`
    const changed = await submit(await open(path), 'save', { name: 'Renamed' })
    expect(changed).toMatchObject({ status: 200, url: { pathname: path } })
    expect(changed.url.searchParams.get('done')).not.toBe(null)
    expect(changed.body).toContain('Renamed')
    expect([...browser.cookies.keys()].some((key) => key.endsWith(`|${seen}/console`))).toBe(true)
  })

  it('a person who is not signed in comes back to the same page', async () => {
    const address = `${seen}/console/api-keys/${apiKey}?tab=a%26b`
    const { status, headers } = await host.visit().get(address)
    expect([status, headers.get('location')]).toEqual([
      303,
      `${host.origin}${seen}/login?next=${encodeURIComponent(address)}`,
    ])
    const start = await host.visit().get(`${seen}/console`)
    expect(start.headers.get('location')).toBe(
      `${host.origin}${seen}/login?next=${encodeURIComponent(`${seen}/console`)}`,
    )
  })

  it('the links of an error page lead to the console', async () => {
    const page = await host.visit('acme').open(`${seen}/console/nothing`)
    expect(page.status).toBe(404)
    expect(addressesOf(page)).toContain(`${seen}/console`)
  })

  it('calls through the servers of openapi.json work, and Location names what they made', async () => {
    const { browser } = host.visit('acme')
    const at = new URL(`${host.origin}${seen}/account/api/openapi.json`)
    const { servers } = JSON.parse((await browser.request(at)).body) as { servers: { url: string }[] }
    const base = new URL(servers[0]?.url ?? '', at).href
    expect(base).toBe(`${host.origin}${seen}/account/api`)

    const session = await browser.request(new URL(`${base}/session`))
    expect(session.headers.getSetCookie()[0]).toContain(`; Path=${seen}/account/api;`)
    const { csrfToken } = JSON.parse(session.body) as { csrfToken: string }
    const created = await browser.request(new URL(`${base}/api-keys`), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': csrfToken, origin: host.origin },
      body: '{"name":"From the API"}',
    })
    expect(created.status).toBe(201)
    const location = new URL(created.headers.get('location') ?? '', created.url)
    expect(location.pathname).toMatch(`${seen}/account/api/api-keys/key_`)
    expect((await browser.request(location)).body).toContain('From the API')
  })
}

describe.each(Object.entries(IN_NODE))('console and management API %s', (_, place) => {
  itGivesRightAddresses(place)
})

describe.skipIf(nginx === undefined).each(Object.entries(IN_NGINX))(
  'console and management API %s',
  (_, place) => itGivesRightAddresses(place),
)

it('the console may be everything that the app sees', async () => {
  const host = await startHost({
    gatehouse: { accounts: accountsBelow('') },
    mount: (app, gatehouse) => app.use(createConsole(gatehouse, { path: '/developers', mountPath: '' })),
    serve: (app) => changing(app, '/developers', ''),
  })
  await host.gatehouse.ready()
  await host.createApiKey()
  const visited = await crawl(visitorsOf(host), 'acme', '/developers')
  await host.close()
  expectAllBelow('/developers', visited)
  expect(visited.size).toBeGreaterThanOrEqual(10)
})
