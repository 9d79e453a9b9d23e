import { addressOf, createTargets, csrfTokenOf, fieldsOf, PAGES } from '../../flows/console/attack-setup.ts'
import { startConsole, type ConsoleHost } from '../../flows/console/setup.ts'
import { prepareEndpoints } from '../../flows/bad-input/endpoints.ts'
import { reporterKey } from '../../flows/leak-reports/reporter.ts'
import type { HostOptions } from '../host.ts'
import { basic } from '../host-requests.ts'
import { startHost, type Host } from '../host.ts'
import { readSession } from '../session-cookie.ts'
import type { Store } from 'koa-gatehouse'
import type { Target } from './changes.ts'
import { createConsole } from '../../../src/console.ts'
import { createLeakReports } from '../../../src/leak-reports.ts'
import { createLimits } from '../../../src/limits.ts'
import { createManagementApi } from '../../../src/management.ts'
import { createUsage } from '../../../src/usage.ts'

/** The targets of two hosts: one with the built-in sign-in page, one with a session, the console and the management API. */
export interface Targets {
  readonly targets: readonly Target[]
  close(): Promise<void>
}

/** Starts two hosts that serve every endpoint, page and route, and lists a valid request for each of these. */
export async function startTargets(
  makeStore: () => Store,
  options: Pick<HostOptions, 'above'> = {},
): Promise<Targets> {
  const host = await startHost({
    store: makeStore(),
    above: options.above,
    gatehouse: { maxSignInAttempts: 100, maxPendingInteractions: 100_000 },
    mount(app, gatehouse) {
      app.use(createUsage(gatehouse, { intervalSeconds: 3600 }).middleware())
      app.use(createLeakReports(gatehouse, { keys: [SCANNER] }))
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware())
    },
  })
  const session = await startConsole({
    store: makeStore(),
    mount(app, gatehouse) {
      const usage = createUsage(gatehouse, { intervalSeconds: 3600 })
      const limits = createLimits(gatehouse)
      app
        .use(createConsole(gatehouse, { usage, limits }))
        .use(createManagementApi(gatehouse, { usage, limits }))
    },
    accounts: {
      // The header says that a token identifies the caller, so the management API needs no CSRF token.
      current: (ctx) => {
        const person = readSession(ctx)
        return person && { ...person, ...(ctx.get('test-token') !== '' && { via: 'token' as const }) }
      },
    },
  })
  const targets = [
    ...[...(await endpointsOf(host)), ...(await apiCallsOf(host)), ...OTHERS].map(
      onHost(host, await kidOf(host)),
    ),
    ...[...(await pagesOf(session)), ...(await routesOf(session))].map(onHost(session, await kidOf(session))),
  ]
  return {
    targets,
    async close() {
      await Promise.all([host.close(), session.close()])
    },
  }
}

type OnAnyHost = Omit<Target, 'port' | 'kid'>

const EMPTY = { query: {}, headers: {}, form: {} }

async function kidOf({ gatehouse }: Pick<Host, 'gatehouse'>): Promise<string> {
  const keys = await gatehouse.signingKeys.list()
  return keys.find(({ state, alg }) => state === 'current' && alg === 'ES256')?.kid ?? ''
}

const onHost =
  ({ port }: { readonly port: number }, kid: string) =>
  (target: OnAnyHost): Target => ({ ...target, port, kid })

/** The endpoints and pages of the authorization service. */
async function endpointsOf(host: Host): Promise<OnAnyHost[]> {
  const { issuer } = host
  const { endpoints, key } = await prepareEndpoints(host)
  const base = new URL(issuer).pathname
  const targets: OnAnyHost[] = [
    {
      ...EMPTY,
      name: 'POST usage',
      method: 'POST',
      path: `${base}/oauth2/usage`,
      headers: basic(key),
      reads: 'JSON',
      members: [
        ['[{"source":"', '"}]'],
        ['[{"clientId":"', '"}]'],
        ['[{"day":"', '"}]'],
        ['[{"hours":{"0":{"', '":{}}}}]'],
      ],
    },
  ]
  for (const { name, path, methods, parameters, headers = {} } of endpoints) {
    for (const method of methods.filter((each) => each !== 'HEAD')) {
      const fields =
        parameters['csrf'] === undefined ? parameters : await withCsrf(host, path, headers, parameters)
      const sent =
        method === 'POST' ? { query: {}, form: fields, reads: 'form' as const } : { query: fields, form: {} }
      targets.push({ name: `${method} ${name}`, method, path: base + path, headers, ...sent })
    }
  }
  const documents = ['oauth-authorization-server/auth', 'oauth-protected-resource/api']
  for (const name of documents) {
    targets.push({ ...EMPTY, name: `GET ${name}`, method: 'GET', path: `/.well-known/${name}` })
  }
  return targets
}

/** The fields of a form of an interaction, with the token of the page, and a button that ends no interaction. */
async function withCsrf(host: Host, path: string, headers: Readonly<Record<string, string>>, fields: object) {
  const page = await fetch(host.issuer + path.replace(/\/[\w-]+$/, ''), { headers })
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  return { ...fields, csrf, ...(path.endsWith('consent') && { select: 'all:invoices' }) }
}

const { id, key } = reporterKey('first')
const SCANNER = { id, key }

/** Requests that neither the service nor the gateway answers. */
const OTHERS: readonly OnAnyHost[] = [
  { ...EMPTY, name: 'GET path of the host', method: 'GET', path: '/pages/about' },
  { ...EMPTY, name: 'POST path of the host', method: 'POST', path: '/pages/about', reads: 'form' },
  {
    ...EMPTY,
    name: 'POST leak report',
    method: 'POST',
    path: '/leak-reports',
    headers: { 'github-public-key-identifier': 'first', 'github-public-key-signature': 'AAAA' },
    reads: 'JSON',
    members: [['[{"token":"', '"}]']],
  },
]

/** Calls through the gateway. */
async function apiCallsOf(host: Host): Promise<OnAnyHost[]> {
  const { body } = await host.requestDirectToken(await host.createApiKey())
  const headers = { authorization: `Bearer ${String(body['access_token'])}` }
  const call = { ...EMPTY, headers }
  return [
    { ...call, name: 'GET API call', method: 'GET', path: '/api/invoices/list' },
    { ...call, name: 'POST API call', method: 'POST', path: '/api/invoices/create' },
    { ...call, name: 'GET API call that no operation claims', method: 'GET', path: '/api/nothing' },
  ]
}

const sessionOf = (accountId: string) => ({
  cookie: `host_session=${Buffer.from(JSON.stringify({ accountId })).toString('base64url')}`,
})

/** The forms that leave the client, the grant and the keys as they are. */
const HARMLESS = ['create', 'save', 'inspect', 'addProduct', 'restoreOperation']

/** Every page of the console, and its harmless forms. */
async function pagesOf(host: ConsoleHost): Promise<OnAnyHost[]> {
  const ids = await createTargets(host)
  const people = { acme: await visitorOf(host, 'acme'), root: await visitorOf(host, 'root') }
  return PAGES.flatMap(({ path, isForOperators, actions }) => {
    const { cookie, csrf } = people[isForOperators ? 'root' : 'acme']
    const page = { ...EMPTY, path: addressOf(path, ids), headers: { cookie } }
    const forms = actions.filter((action) => HARMLESS.includes(action))
    return [
      { ...page, name: `GET console${path}`, method: 'GET' },
      ...forms.map((action) => ({
        ...page,
        name: `POST console${path} ${action}`,
        method: 'POST',
        reads: 'form' as const,
        // The console accepts forms of its own pages only.
        headers: { cookie, origin: host.origin },
        form: { csrf, action, ...fieldsOf(action, ids) },
      })),
    ]
  })
}

/** The token of the forms of a person, and the cookies that belong to it. */
async function visitorOf(host: ConsoleHost, person: string) {
  const csrf = await csrfTokenOf(host, person)
  const cookies = [...host.visit(person).browser.cookies]
  return { csrf, cookie: cookies.map(([key, { value }]) => `${key.split('|')[0]}=${value}`).join('; ') }
}

/** Every route of the management API. Routes that change something get unknown ids, but for the creation and the update of clients. */
async function routesOf(host: ConsoleHost): Promise<OnAnyHost[]> {
  const { origin } = host
  const ids = await createTargets(host, { isConnected: false })
  const { paths, components } = (await (
    await fetch(`${origin}/account/api/openapi.json`)
  ).json()) as OpenApiDocument
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => {
      const isKnown = ['get', 'patch'].includes(method)
      const clientId = path.includes('api-keys') ? ids.apiKey : ids.application
      const known: Readonly<Record<string, string>> = {
        clientId,
        product: 'invoices',
        scope: 'invoices:read',
      }
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (isKnown && known[name]) || 'unknown')
      // A rotation makes keys, which takes long.
      const person = path.includes('/operator/') && !path.endsWith('/rotate') ? 'root' : 'acme'
      return {
        ...EMPTY,
        name: `${method.toUpperCase()} management${path.replace('/account/api', '')}`,
        method: method.toUpperCase(),
        ...(method !== 'get' && { reads: 'JSON' as const }),
        members: membersOf(requestBody?.content['application/json'].schema, components.schemas),
        path: new URL(filled.startsWith('/account') ? filled : `/account/api${filled}`, origin).pathname,
        headers: { ...sessionOf(person), 'test-token': 'yes' },
      }
    }),
  )
}

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

interface OpenApiDocument {
  readonly paths: Record<
    string,
    Record<
      string,
      { readonly requestBody?: { readonly content: Record<'application/json', { schema: Schema }> } }
    >
  >
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** The JSON before and after each text that a body may have, and after each text in a list or in an object of the body. */
function membersOf(
  schema: Schema | undefined,
  schemas: Readonly<Record<string, Schema>>,
): [string, string][] {
  const { type, properties } = schemas[schema?.$ref?.split('/').at(-1) ?? ''] ?? schema ?? {}
  if (type === 'array') return [['["', '"]']]
  if (properties === undefined) return schema ? [['"', '"']] : []
  return Object.entries(properties).flatMap(([name, each]) =>
    membersOf(each, schemas).map(([before, after]): [string, string] => [
      `{"${name}":${before}`,
      `${after}}`,
    ]),
  )
}
