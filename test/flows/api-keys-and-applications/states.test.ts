import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { NoTokenReason } from 'koa-gatehouse'
import { createConsole } from '../../../src/console.ts'
import { createManagementApi } from '../../../src/management.ts'
import { connect } from '../../support/host.ts'
import type { Client } from '../../support/host-requests.ts'
import { describeEachStore } from '../../support/stores.ts'
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
  readonly kind: 'apiKey' | 'application'
  readonly products?: readonly string[]
  readonly userId?: string
  /** Brings the client into the situation. */
  change(world: World, clientId: string): unknown
  /** The reason; undefined if the client gets tokens. */
  readonly noToken?: NoTokenReason
  /** The state in the list and on the page. */
  readonly badge: string
  /** The answer of the token endpoint: `error`; undefined if it issues a token. */
  readonly error?: 'invalid_client' | 'unauthorized_client'
}

const serviceOf = ({ host: { gatehouse } }: World, clientId: string) =>
  clientId.startsWith('key_') ? gatehouse.apiKeys : gatehouse.applications

/** The state that the owner of every kind of client can cause. */
const ofBothKinds = (['apiKey', 'application'] as const).flatMap((kind): [string, Situation][] => [
  [`an active ${kind}`, { kind, change() {}, badge: 'Active' }],
  [
    `a disabled ${kind}`,
    {
      kind,
      change: (world, id) => serviceOf(world, id).disable(id),
      noToken: 'disabled',
      badge: 'Disabled',
      error: 'invalid_client',
    },
  ],
  [
    `an operator disabled the ${kind}`,
    {
      kind,
      change: (world, id) => serviceOf(world, id).disable(id, { by: 'operator' }),
      noToken: 'disabled-by-operator',
      badge: 'Disabled by an operator',
      error: 'invalid_client',
    },
  ],
  [
    `the ${kind} has expired`,
    {
      kind,
      change: async (world, id) => {
        const expiresAt = Math.floor(Date.now() / 1000) + 1
        await serviceOf(world, id).update(id, { expiresAt })
        await delay(expiresAt * 1000 - Date.now() + 10)
      },
      noToken: 'expired',
      badge: 'Expired',
      error: 'invalid_client',
    },
  ],
  [
    `the secret of the ${kind} leaked`,
    {
      kind,
      change: (world, id) => serviceOf(world, id).reportCompromised(id),
      noToken: 'compromised',
      badge: 'Secret leaked',
      error: 'invalid_client',
    },
  ],
  [
    `the ${kind} has no product`,
    {
      kind,
      change: (world, id) => serviceOf(world, id).setProducts(id, []),
      noToken: 'no-product',
      badge: 'No product yet',
      error: 'unauthorized_client',
    },
  ],
  [
    `all operations of the ${kind} were removed`,
    {
      kind,
      change: async (world, id) => {
        for (const scope of ['invoices:read', 'invoices:create'])
          await serviceOf(world, id).removeOperation(id, scope)
      },
      noToken: 'no-operation',
      badge: 'No operation left',
      error: 'unauthorized_client',
    },
  ],
  [
    `the user to whom the ${kind} belongs left`,
    {
      kind,
      userId: 'lea',
      change: ({ users }) => users.delete('lea'),
      noToken: 'owner-gone',
      badge: 'Owner has left',
      error: 'unauthorized_client',
    },
  ],
])

const situations: [string, Situation][] = [
  ...ofBothKinds,
  [
    'an API key of a gateway',
    {
      kind: 'apiKey',
      products: [],
      change: ({ host: { gatehouse } }, id) => gatehouse.apiKeys.setResourceServer(id, true),
      noToken: 'gateway',
      badge: 'Gateway',
      error: 'unauthorized_client',
    },
  ],
  [
    'the user of the API key may use none of its operations',
    {
      kind: 'apiKey',
      userId: 'max',
      change: ({ users }) => users.set('max', ['payments:list']),
      noToken: 'user-operations',
      badge: 'Person may do nothing',
      error: 'unauthorized_client',
    },
  ],
  [
    'all operations of the application need a higher level',
    {
      kind: 'application',
      products: ['payments'],
      async change({ host, setLevel }, id) {
        await host.gatehouse.applications.removeOperation(id, 'payments:list')
        setLevel('basic')
      },
      noToken: 'kyc-level',
      badge: 'Level too low',
      error: 'unauthorized_client',
    },
  ],
  [
    'the application has no redirect URI: its grants still give tokens',
    {
      kind: 'application',
      change: ({ host }, id) => host.gatehouse.applications.update(id, { redirectUris: [] }),
      noToken: 'no-redirect-uri',
      badge: 'No redirect URI',
    },
  ],
]

describeEachStore('the state of a client', (makeStore) => {
  let host: ConsoleHost
  let level = 'verified'
  const users: World['users'] = new Map()
  const rejections: Record<string, unknown>[] = []
  const setLevel = (next: string) => void (level = next)
  const quiet = { info() {}, warn() {}, error() {} }

  beforeAll(async () => {
    host = await startConsole({
      store: makeStore(),
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

  async function create({ kind, products = ['invoices'], userId }: Situation): Promise<Client> {
    const input = { accountId: 'acme', name: 'Tested', products: products as ['invoices'], userId }
    const { gatehouse } = host
    const { clientSecret, ...created } =
      kind === 'apiKey'
        ? await gatehouse.apiKeys.create(input)
        : await gatehouse.applications.create({ ...input, redirectUris: ['http://localhost:9/callback'] })
    const { clientId } = 'apiKey' in created ? created.apiKey : created.application
    return { client_id: clientId, client_secret: clientSecret }
  }

  it.each(situations)(
    '%s: list, page, API, token endpoint and log say the same',
    async (_what, situation) => {
      const { kind, change, noToken, badge, error } = situation
      level = 'verified'
      users.set('lea', undefined).set('max', undefined)
      rejections.length = 0
      const client = await create(situation)
      const { client_id: clientId } = client
      const isKey = kind === 'apiKey'
      const tokens = isKey ? undefined : await connect(host, client, { browser: host.visit('alice').browser })
      await change({ host, users, setLevel }, clientId)

      const section = isKey ? 'api-keys' : 'applications'
      const visitor = host.visit('acme')
      const read = async (path: string) => (await visitor.get(path)).body
      const list = textOf(await read(`/console/${section}`))
      expect(list).toMatch(new RegExp(String.raw`Tested [^]*?${badge}`))
      const page = textOf(await read(`/console/${section}/${clientId}`))
      expect(page).toMatch(new RegExp(String.raw`Tested\s+${badge}\s`))
      const shown = JSON.parse(await read(`/account/api/${section}/${clientId}`)) as Record<string, unknown>
      expect(shown['noToken']).toBe(noToken)
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
      expect(answer.body['error']).toBe(error)
      expect(rejections.map((each) => [each['clientId'], each['noToken'], typeof each['detail']])).toEqual(
        error === undefined ? [] : [[clientId, noToken, 'string']],
      )
      // So that the lists have one row.
      await (isKey ? host.gatehouse.apiKeys : host.gatehouse.applications).delete(clientId)
    },
  )
})
