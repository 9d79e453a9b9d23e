import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { consolePages } from '../../../src/parts/console/pages.ts'
import type { ConsoleServices } from '../../../src/parts/console/services.ts'
import { createBrowser } from '../../support/browser.ts'
import { connect } from '../../support/host.ts'
import { sessionIn } from '../../support/session-cookie.ts'
import type { ConsoleHost } from './setup.ts'

/** A page of the console with the names of its actions. */
interface KnownPage {
  readonly path: string
  readonly isForOperators: boolean
  readonly actions: readonly string[]
}

// The pages read their services only when they are shown. With the service `usage`, there are pages about usage.
// The page of client metadata documents has tests of its own, with a host that has the option.
const unused = new Proxy(
  {},
  {
    get: (_, name) => ({ usage: {}, settings: { clientDocuments: [] } })[String(name)],
  },
) as ConsoleServices

/** Every page of the console. */
export const PAGES: readonly KnownPage[] = consolePages(unused).map(({ path, access, actions = {} }) => ({
  path,
  isForOperators: access === 'operator',
  actions: Object.keys(actions),
}))

/** Every action of every page. */
export const ACTIONS: readonly (KnownPage & { readonly action: string })[] = PAGES.flatMap((page) =>
  page.actions.map((action) => ({ ...page, action })),
)

/** The values of the parameters of the paths. */
export interface Targets {
  readonly apiKey: string
  readonly application: string
  /** A signing key. */
  readonly kid: string
}

/** The address of a page, with its parameters filled in. */
export function addressOf(path: string, { apiKey, application, kid }: Targets): string {
  const values: Readonly<Record<string, string>> = {
    clientId: path.startsWith('/api-keys') ? apiKey : application,
    accountId: 'acme',
    userId: 'nora',
    kid,
  }
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? 'unknown'),
  )
  return `/console${filled === '/' ? '' : filled}`
}

/** A public key with which clients may authenticate. */
export const PUBLIC_KEY = {
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid: 'march',
}

/** The fields with which each action makes its change. */
export function fieldsOf(action: string, { apiKey, application }: Targets): Record<string, string> {
  const fields: Readonly<Record<string, Record<string, string>>> = {
    create: { name: 'New', product: 'invoices', operation: 'invoices invoices:read', request: randomUUID() },
    rotateSecret: { overlap: 'now', request: randomUUID() },
    revokeSecret: { which: 'old' },
    addKey: { key: JSON.stringify(PUBLIC_KEY) },
    removeKey: { kid: PUBLIC_KEY.kid },
    addProduct: { product: 'payments' },
    limits: { perMinute: '7' },
    removeOperations: { clientId: apiKey, scope: 'invoices:read' },
    removeProduct: { product: 'invoices' },
    removeOperation: { operation: 'invoices:read' },
    restoreOperation: { operation: 'invoices:create' },
    restrict: { allowedAddresses: '203.0.113.0/24', expiresAt: '2099-12-31' },
    save: { name: 'Renamed' },
    delete: { name: 'Ledger' },
    disconnect: { application },
    fix: { clientId: apiKey, finding: 'expires-soon', fix: 'expire' },
    inspect: { token: 'eyJhbGciOiJub25lIn0.e30.' },
  }
  return { ...fields[action] }
}

/**
 * Creates an API key and an application of `acme`.
 *
 * @param options.isConnected whether `acme` has connected the application
 */
export async function createTargets(host: ConsoleHost, { isConnected = true } = {}): Promise<Targets> {
  const { gatehouse } = host
  const common = { accountId: 'acme', name: 'Ledger', products: ['invoices'] }
  const { apiKey } = await gatehouse.apiKeys.create(common)
  const client = await host.createApplication({ ...common, homepageUri: 'https://ledger.example/' })
  for (const [service, id] of [
    [gatehouse.apiKeys, apiKey.clientId],
    [gatehouse.applications, client.client_id],
  ] as const) {
    await service.removeOperation(id, 'invoices:create')
  }
  if (isConnected) {
    const browser = createBrowser({ follow: [host.origin] })
    sessionIn(host.origin).signInAt(browser, { accountId: 'acme' })
    await connect(host, client, { browser, parameters: { scope: 'openid invoices:read' } })
  }
  await gatehouse.audit.list({ limit: 1 })
  const keys = await gatehouse.signingKeys.list()
  const { kid = '' } = keys.find(({ state }) => state === 'current') ?? {}
  return { apiKey: apiKey.clientId, application: client.client_id, kid }
}

/**
 * Everything that a form can change, as callers of the services see it. Each change adds an entry to the audit trail. The
 * times of the last use are left out: they are stored some time after the use.
 */
export async function stateOf({ gatehouse }: ConsoleHost, { apiKey, application }: Targets): Promise<string> {
  const state = await Promise.all([
    gatehouse.audit.list({ limit: 5 }),
    gatehouse.apiKeys.find(apiKey),
    gatehouse.apiKeys.listSecrets(apiKey).catch(() => []),
    gatehouse.applications.find(application),
    gatehouse.applications.listSecrets(application).catch(() => []),
    gatehouse.grants.list({ accountId: 'acme', limit: 100 }),
    gatehouse.signingKeys.list(),
  ])
  return JSON.stringify(state, (name, value: unknown) => (name === 'lastUsedAt' ? undefined : value))
}

/** The CSRF token of the forms of a person. */
export async function csrfTokenOf(host: ConsoleHost, person: string): Promise<string> {
  const { body } = await host.visit(person).get('/console/token-inspector')
  const token = /name="csrf" value="([^"]+)"/.exec(body)?.[1]
  if (token === undefined) throw new Error(`there is no form for ${person}:\n${body}`)
  return token
}
