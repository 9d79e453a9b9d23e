import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { NoTokenReason } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createConsole } from '../../../src/console.ts'
import { createManagementApi } from '../../../src/management.ts'
import { connect } from '../../support/host.ts'
import type { Client } from '../../support/host-requests.ts'
import { textOf } from '../console/markup.ts'
import { startConsole, type ConsoleHost } from '../console/setup.ts'

/** What a situation needs, and changes. */
interface World {
  readonly host: ConsoleHost
  /** The users of acme, with the operations to which the host limits them. */
  readonly users: Map<string, readonly string[] | undefined>
  setLevel(level: string): void
}

interface Situation {
  /** The reason; undefined if the client gets tokens. */
  readonly noToken?: NoTokenReason
  /** The state in the list and on the page. */
  readonly badge: string
  /** The answer of the token endpoint: `error`; undefined if it issues a token. */
  readonly error?: 'invalid_client' | 'unauthorized_client'
  readonly products?: readonly string[]
  readonly userId?: string
  /** Brings the client into the situation. */
  change?(world: World, clientId: string): unknown
}

const serviceOf = ({ host: { gatehouse } }: World, clientId: string) =>
  clientId.startsWith('key_') ? gatehouse.apiKeys : gatehouse.applications

const [INVALID, UNAUTHORIZED] = [{ error: 'invalid_client' }, { error: 'unauthorized_client' }] as const

/** The states that the owner of every kind of client can cause. */
const OF_BOTH_KINDS: readonly Situation[] = [
  { badge: 'Active' },
  {
    ...INVALID,
    noToken: 'disabled',
    badge: 'Disabled',
    change: (world, id) => serviceOf(world, id).disable(id),
  },
  {
    ...INVALID,
    noToken: 'disabled-by-operator',
    badge: 'Disabled by an operator',
    change: (world, id) => serviceOf(world, id).disable(id, { by: 'operator' }),
  },
  {
    ...INVALID,
    noToken: 'expired',
    badge: 'Expired',
    async change(world, id) {
      const expiresAt = Math.floor(Date.now() / 1000) + 60
      await serviceOf(world, id).update(id, { expiresAt })
      vi.useFakeTimers({ toFake: ['Date'], now: expiresAt * 1000 + 10 })
    },
  },
  {
    ...INVALID,
    noToken: 'compromised',
    badge: 'Secret leaked',
    change: (world, id) => serviceOf(world, id).reportCompromised(id),
  },
  {
    ...UNAUTHORIZED,
    noToken: 'no-product',
    badge: 'No product yet',
    change: (world, id) => serviceOf(world, id).setProducts(id, []),
  },
  {
    ...UNAUTHORIZED,
    noToken: 'no-operation',
    badge: 'No operation left',
    async change(world, id) {
      for (const scope of ['invoices:read', 'invoices:create'])
        await serviceOf(world, id).removeOperation(id, scope)
    },
  },
  {
    ...UNAUTHORIZED,
    noToken: 'owner-gone',
    badge: 'Owner has left',
    userId: 'lea',
    change: ({ users }) => users.delete('lea'),
  },
]

type Kind = 'apiKey' | 'application'

const SITUATIONS: Record<Kind, readonly Situation[]> = {
  apiKey: [
    ...OF_BOTH_KINDS,
    {
      ...UNAUTHORIZED,
      noToken: 'gateway',
      badge: 'Gateway',
      products: [],
      change: ({ host: { gatehouse } }, id) => gatehouse.apiKeys.setResourceServer(id, true),
    },
    {
      ...UNAUTHORIZED,
      noToken: 'user-operations',
      badge: 'Owner lacks permission',
      userId: 'max',
      change: ({ users }) => users.set('max', ['payments:list']),
    },
  ],
  application: [
    ...OF_BOTH_KINDS,
    {
      ...UNAUTHORIZED,
      noToken: 'kyc-level',
      badge: 'Level too low',
      products: ['payments'],
      async change({ host, setLevel }, id) {
        await host.gatehouse.applications.removeOperation(id, 'payments:list')
        setLevel('basic')
      },
    },
    {
      // Its grants still give tokens.
      noToken: 'no-redirect-uri',
      badge: 'No redirect URI',
      change: ({ host }, id) => host.gatehouse.applications.update(id, { redirectUris: [] }),
    },
  ],
}

describe('the state of a client', () => {
  let host: ConsoleHost
  let level = 'verified'
  const users: World['users'] = new Map()
  const rejections: Record<string, unknown>[] = []
  const setLevel = (next: string) => void (level = next)
  const quiet = { info() {}, warn() {}, error() {} }

  beforeAll(async () => {
    host = await startConsole({
      store: memoryStore(),
      accounts: {
        find(accountId, userId) {
          if (userId !== undefined && !users.has(userId)) return undefined
          return { id: accountId, kycLevel: level, operations: users.get(userId ?? '') }
        },
      },
      gatehouse: {
        logger: {
          ...quiet,
          debug: (fields: object, text?: string) =>
            text === 'the token endpoint rejected a request' &&
            rejections.push(fields as Record<string, unknown>),
        },
      },
      mount(app, gatehouse) {
        app.use(createConsole(gatehouse))
        app.use(createManagementApi(gatehouse))
      },
    })
  })
  afterAll(() => host.close())
  afterEach(() => void vi.useRealTimers())

  async function create(kind: Kind, { products = ['invoices'], userId }: Situation): Promise<Client> {
    const input = { accountId: 'acme', name: 'Tested', products: products as ['invoices'], userId }
    const { gatehouse } = host
    const { clientSecret, ...created } =
      kind === 'apiKey'
        ? await gatehouse.apiKeys.create(input)
        : await gatehouse.applications.create({ ...input, redirectUris: ['http://localhost:9/callback'] })
    const { clientId } = 'apiKey' in created ? created.apiKey : created.application
    return { client_id: clientId, client_secret: clientSecret }
  }

  it.each<Kind>(['apiKey', 'application'])(
    'of each %s, list, page, API, token endpoint and log say the same',
    async (kind) => {
      for (const situation of SITUATIONS[kind]) await expectSameWords(kind, situation)
    },
  )

  async function expectSameWords(kind: Kind, situation: Situation) {
    const { change, noToken, badge, error } = situation
    level = 'verified'
    users.set('lea', undefined).set('max', undefined)
    rejections.length = 0
    const client = await create(kind, situation)
    const { client_id: clientId } = client
    const isKey = kind === 'apiKey'
    const tokens = isKey ? undefined : await connect(host, client, { browser: host.visit('alice').browser })
    await change?.({ host, users, setLevel }, clientId)

    const section = isKey ? 'api-keys' : 'applications'
    const visitor = host.visit('acme')
    const read = async (path: string) => (await visitor.get(path)).body
    const list = textOf(await read(`/console/${section}`))
    expect(list).toMatch(new RegExp(String.raw`Tested [^]*?${badge}`))
    const page = textOf(await read(`/console/${section}/${clientId}`))
    expect(page).toMatch(new RegExp(String.raw`Tested\s+${badge}\s`))
    const shown = JSON.parse(await read(`/account/api/${section}/${clientId}`)) as Record<string, unknown>
    expect([badge, shown['noToken']]).toEqual([badge, noToken])
    const access = JSON.parse(await read(`/account/api/${section}/${clientId}/access`)) as {
      noToken?: string
      products: { added: boolean; operations: { callable: boolean }[] }[]
    }
    expect(access.noToken).toBe(noToken)
    const callable = access.products.flatMap(({ operations }) => operations.filter((each) => each.callable))
    expect(callable.length > 0).toBe(noToken === undefined)
    expect(await serviceOf({ host, users, setLevel }, clientId).whyNoToken(clientId)).toBe(noToken)

    const answer = tokens
      ? await host.refresh(client, tokens.refresh_token)
      : await host.requestDirectToken(client)
    expect([badge, answer.body['error']]).toEqual([badge, error])
    expect(rejections.map((each) => [each['clientId'], each['noToken'], typeof each['detail']])).toEqual(
      error === undefined ? [] : [[clientId, noToken, 'string']],
    )
    // So that the lists have one row.
    await (isKey ? host.gatehouse.apiKeys : host.gatehouse.applications).delete(clientId)
    vi.useRealTimers()
  }
})
