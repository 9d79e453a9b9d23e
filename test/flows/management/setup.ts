import type { Context, Middleware } from 'koa'
import type { Account, Accounts, GatehouseOptions, SignedIn, Store } from 'koa-gatehouse'
import { createBrowser } from '../../support/browser.ts'
import { startHost, type Host } from '../../support/host.ts'
import { documentOf, expectDescribed } from './described.ts'
import { createManagementApi } from '../../../src/management.ts'
import { createLimits } from '../../../src/limits.ts'
import { createUsage, type Usage } from '../../../src/usage.ts'

/** The headers that say to the test host who calls: a session, or a token of a script. */
function signedInBy(ctx: Context): SignedIn | undefined {
  for (const via of ['session', 'token'] as const) {
    const person = ctx.get(`test-${via}`)
    if (person === '') continue
    const [accountId = '', userId] = person.split('/')
    return { accountId, ...(userId !== undefined && { userId }), via }
  }
  return undefined
}

/**
 * Starts a host that serves the management API at `/account/api`. The account `root` is an operator.
 */
export async function startManagement(options: {
  store: Store
  gatehouse?: Partial<GatehouseOptions> | undefined
  accounts?: Partial<Accounts> | undefined
  above?: readonly Middleware[] | undefined
}) {
  const accounts = new Map<string, Account>([
    ['alice', { id: 'alice', kycLevel: 'basic' }],
    ['bob', { id: 'bob', kycLevel: 'none' }],
    ['acme', { id: 'acme', kycLevel: 'verified' }],
  ])
  let usage: Usage | undefined
  const host = await startHost({
    store: options.store,
    accounts,
    above: options.above,
    gatehouse: {
      accounts: {
        find: (accountId) => accounts.get(accountId),
        current: signedInBy,
        signInUrl: () => '/login',
        isOperator: (ctx) => signedInBy(ctx)?.accountId === 'root',
        ...options.accounts,
      },
      ...options.gatehouse,
    },
    mount(app, gatehouse) {
      usage = createUsage(gatehouse, { intervalSeconds: 3600 })
      app.use(createManagementApi(gatehouse, { usage, limits: createLimits(gatehouse) }))
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware())
    },
  })
  await host.gatehouse.ready()
  if (!usage) throw new Error('not mounted')
  return { ...host, usage, api: (person: string) => apiOf(host, person) }
}

export type ManagementHost = Awaited<ReturnType<typeof startManagement>>

/** A browser in which a person is signed in at the host. */
export function browserOf({ origin }: Pick<Host, 'origin'>, person: string) {
  return createBrowser({
    follow: [origin],
    fetch: (url, init) =>
      fetch(url, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init?.headers)), 'test-session': person },
      }),
  })
}

/** The answer to a request. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of an answer
  readonly body: any
}

/** Calls the management API as a script of a person: an account, or `account/user`. */
function apiOf(host: Pick<Host, 'origin'>, person: string) {
  async function call(target: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const [method = 'GET', path = '/'] = target.split(' ')
    return request(host, method, path, {
      headers: {
        ...(person !== '' && { 'test-token': person }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  }
  return { call }
}

/** Sends a request to the management API, and checks that `openapi.json` describes the answer. */
export async function request(
  { origin }: Pick<Host, 'origin'>,
  method: string,
  path: string,
  init: { headers?: Record<string, string>; body?: string | ReadableStream | undefined } = {},
): Promise<Answer> {
  const { body, headers } = init
  const response = await fetch(`${origin}/account/api${path}`, {
    method,
    redirect: 'manual',
    ...(headers && { headers }),
    ...(body !== undefined && { body, duplex: 'half' as const }),
  })
  const text = await response.text()
  const { status, headers: received } = response
  const answer = { status, headers: received, body: text === '' ? undefined : JSON.parse(text) }
  const type = received.get('content-type')?.split(';', 1)[0] ?? ''
  expectDescribed(await documentOf(origin), { method, path }, { ...answer, type })
  return answer
}
