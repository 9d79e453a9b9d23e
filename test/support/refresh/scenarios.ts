import fc from 'fast-check'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { Account, GatehouseEvents, Store } from 'koa-gatehouse'
import { basic } from '../host-requests.ts'
import { connect, type Host, type Tokens } from '../host.ts'
import { connectPublic, createPublicApplication } from '../public-application.ts'

const STATES = [
  'usual',
  'user gone',
  'user limited',
  'developer gone',
  'developer lowered',
  'product removed',
  'operation removed',
  'disabled',
  'this network',
  'other networks',
] as const
const TOKENS = [
  'current',
  'second',
  'used',
  'repeated',
  'expired',
  'forged',
  'unknown',
  'of another',
] as const
const GRANTS = ['active', 'expired', 'revoked', 'no longer ours'] as const
const CREDENTIALS = ['body', 'basic', 'wrong', 'public'] as const
const SCOPES = [
  'invoices:read',
  'invoices:create invoices:read',
  'openid',
  'openid invoices:read',
  '',
  ' invoices:read  ',
  'invoices:read invoices:read',
  'offline_access',
  'address invoices:read',
  'payments:transfer',
  'payments:transfer unknown',
  '"',
  'ü',
  'constructor',
]
const RESOURCES = ['/api', '/api/', '/tools', '/api /api', '/api /tools', '/other', '']

/** The first value half of the time, so that most scenarios have few unusual parts. */
const mostly = <T>([usual, ...others]: readonly [T, ...T[]]): fc.Arbitrary<T> =>
  fc.oneof(fc.constant(usual), fc.constantFrom(...others))

/** What is true before a refresh, and how the refresh is sent. */
export const scenario = fc.record({
  authorized: fc.constantFrom(
    'invoices:read invoices:create',
    'openid invoices:read payments:list',
    'openid profile email invoices:create invoices:read payments:list payments:transfer',
  ),
  maxAge: fc.constantFrom(undefined, { max_age: '1000' }),
  credentials: mostly(CREDENTIALS),
  token: mostly(TOKENS),
  grant: mostly(GRANTS),
  state: mostly(STATES),
  scope: mostly<string | undefined>([undefined, ...SCOPES]),
  resource: mostly<string | undefined>([undefined, ...RESOURCES]),
  more: mostly<string>([
    '',
    'nonce=x',
    'grant_type=refresh_token',
    'unknown=x',
    'refresh_token=x',
    'client_id=x',
  ]),
})

export type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never

/** Both doors can answer this one. */
export const USUAL: Scenario = {
  authorized: 'invoices:read invoices:create',
  maxAge: undefined,
  credentials: 'body',
  token: 'current',
  grant: 'active',
  state: 'usual',
  scope: undefined,
  resource: undefined,
  more: '',
}

const EVENTS = [
  'token.issued',
  'token.rejected',
  'client_authentication.failed',
  'error',
  'refresh_token.reused',
  'refresh_token.retried',
  'grant.revoked',
] as const satisfies readonly (keyof GatehouseEvents)[]

/** Creates an application and its tokens, makes the scenario true, and refreshes. Returns all that can be seen of it. */
export async function observe(host: Host, store: Store, made: Scenario): Promise<unknown> {
  const { gatehouse, accounts } = host
  accounts.set('acme', { id: 'acme', kycLevel: 'verified' }).set('alice', ALICE)
  const isPublic = made.credentials === 'public'
  const create = async () =>
    isPublic
      ? { client_id: await createPublicApplication(host), client_secret: '' }
      : host.createApplication()
  const [client, other] = [await create(), await create()]
  const connectAs = (by: typeof client): Promise<Tokens> => {
    const parameters = { scope: made.authorized, ...(made.authorized.includes('openid') && made.maxAge) }
    return isPublic ? connectPublic(host, by.client_id, { parameters }) : connect(host, by, { parameters })
  }
  const send = async (token: string, scope?: string, resource?: string, more = '') => {
    const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token })
    if (scope !== undefined) form.set('scope', scope)
    for (const path of resource?.split(' ') ?? []) form.append('resource', path && host.origin + path)
    if (made.credentials !== 'basic') form.set('client_id', client.client_id)
    if (made.credentials === 'wrong') form.set('client_secret', `${client.client_secret}x`)
    if (made.credentials === 'body') form.set('client_secret', client.client_secret)
    const text = [form.toString(), more].filter(Boolean).join('&')
    const headers = made.credentials === 'basic' ? basic(client) : {}
    return host.post('/oauth2/token', [...new URLSearchParams(text)], headers)
  }
  const { refresh_token: first, access_token: firstAccess } = await connectAs(client)
  const grantId = String(decodeJwt(firstAccess)['grant_id'])
  const next = async (token: string) => {
    const by = { client_id: client.client_id, ...(!isPublic && { client_secret: client.client_secret }) }
    return String(
      (await host.token({ ...by, grant_type: 'refresh_token', refresh_token: token })).body['refresh_token'],
    )
  }
  const token = await tokenOf(made.token, first, next, async () => (await connectAs(other)).refresh_token)
  const [family, record] = [`refresh-family:${grantId}`, `grant:${grantId}`]
  const past = Math.floor(Date.now() / 1000) - 10
  if (made.token === 'expired')
    await edit(store, family, ({ payload }) => ({ payload: { ...(payload as object), exp: past } }))
  if (made.grant === 'expired') await edit(store, record, () => ({ exp: past }))
  if (made.grant === 'no longer ours') await edit(store, record, () => ({ accountId: 'bob' }))
  if (made.grant === 'revoked') await gatehouse.grants.revoke(grantId)
  await makeTrue(host, made.state, client.client_id)

  const happened: unknown[] = []
  let isOver = false
  for (const name of EVENTS) {
    gatehouse.on(
      name,
      (event) => void (isOver || happened.push([name, 'error' in event ? String(event.error) : event])),
    )
  }
  const answers = [await send(token, made.scope, made.resource, made.more), await send(token)]
  isOver = true
  const trail = await gatehouse.audit.list({ clientId: client.client_id })
  const seen = {
    answers: answers.map(({ status, headers, body, text }) => ({
      status,
      headers: [...headers].filter(
        ([name]) => !['date', 'keep-alive', 'content-length', 'retry-after'].includes(name),
      ),
      body: Object.keys(body).length > 0 ? Object.entries(body).map(decoded) : text,
    })),
    happened,
    trail: trail.items.map((entry) => ({ ...entry, id: undefined })),
    stored: [await store.get(family), await store.get(record)].map(
      (text) => JSON.parse(text ?? 'null') as unknown,
    ),
  }
  const names = new Map([
    [host.origin, '{origin}'],
    [client.client_id, '{client}'],
    [other.client_id, '{other}'],
    [grantId, '{grant}'],
  ])
  return normalize(seen, names)
}

const ALICE: Account = {
  id: 'alice',
  kycLevel: 'basic',
  claims: { name: 'Alice', email: 'alice@example.com' },
}

async function tokenOf(
  kind: Scenario['token'],
  first: string,
  next: (token: string) => Promise<string>,
  ofAnother: () => Promise<string>,
): Promise<string> {
  if (kind === 'forged') return `${first.slice(0, -3)}xyz`
  if (kind === 'unknown') return 'not a token of this service'
  if (kind === 'of another') return ofAnother()
  if (kind === 'second') return next(first)
  if (kind === 'repeated') await next(first)
  if (kind === 'used') await next(await next(first))
  return first
}

async function makeTrue(
  { accounts, gatehouse }: Host,
  state: Scenario['state'],
  clientId: string,
): Promise<void> {
  const { applications } = gatehouse
  if (state === 'user gone') accounts.delete('alice')
  if (state === 'user limited') accounts.set('alice', { ...ALICE, operations: ['invoices:read'] })
  if (state === 'developer gone') accounts.delete('acme')
  if (state === 'developer lowered') accounts.set('acme', { id: 'acme', kycLevel: 'none' })
  if (state === 'product removed') await applications.removeProduct(clientId, 'invoices')
  if (state === 'operation removed') await applications.removeOperation(clientId, 'invoices:read')
  if (state === 'disabled') await applications.disable(clientId)
  if (state === 'this network')
    await applications.update(clientId, { allowedAddresses: ['127.0.0.0/8', '::1'] })
  if (state === 'other networks') await applications.update(clientId, { allowedAddresses: ['192.0.2.0/24'] })
}

async function edit(
  store: Store,
  key: string,
  change: (record: Record<string, unknown>) => object,
): Promise<void> {
  const record = JSON.parse((await store.get(key)) ?? '{}') as Record<string, unknown>
  await store.set(key, JSON.stringify({ ...record, ...change(record) }), 3600)
}

/** A JWT as its header and claims. */
function decoded([name, value]: [string, unknown]): unknown {
  if (!/^(?:access|id)_token$/.test(name)) return [name, value]
  const claims = decodeJwt(String(value))
  return [name, decodeProtectedHeader(String(value)), name === 'id_token' ? claims : Object.entries(claims)]
}

/** Replaces what differs between two hosts: ids, random values, and times, which are compared to ten seconds. */
function normalize(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => normalize(each, names))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [String(normalize(key, names)), normalize(each, names)]),
    )
  }
  const seconds = Date.now() / 1000
  if (typeof value === 'number' && value > 1e12)
    return `now + ${Math.round((value / 1000 - seconds) / 10) * 10} s`
  if (typeof value === 'number' && value > 1e9) return `now + ${Math.round((value - seconds) / 10) * 10}`
  if (typeof value !== 'string') return value
  let text = value
  for (const [from, to] of names) text = text.replaceAll(from, to)
  return text
    .replace(/(?<![\w-])(?!client_authentication)[\w-]{21,}(?![\w-])/g, (random) => `{${random.length}}`)
    .replace(/\{43\}\.\{22\}/, '{secret}')
}
