import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Accounts, PermissionTarget } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { etagOf } from '../../../src/clients/client-etag.ts'
import { createConsole } from '../../../src/console.ts'
import { createManagementApi } from '../../../src/management.ts'
import type { Page } from '../../support/browser.ts'
import { createClientKey } from '../../support/client-keys.ts'
import { readSession } from '../../support/session-cookie.ts'
import { credentialsOf, textOf } from '../console/markup.ts'
import { startConsole, type ConsoleHost } from '../console/setup.ts'

/**
 * Who may do what: `+` done, `-` rejected with 403 and no button. The keys are the caller's own, a key of the member
 * olga, and a key of the company. The viewer may read invoices; admin and olga may use all operations. All keys have the
 * operations of invoices and payments, but the viewer's own key has only those of the viewer.
 */
const TABLE = `
                          viewer            admin             account
                          own olga's firm's own olga's firm's olga's firm's
hand over to a member     +   -      +      +   -      +      -      +
hand over to the account  +   -      -      +   -      +      -      +
rotate                    +   -      -      +   -      +      -      +
add key                   +   -      -      +   -      +      -      +
disable                   +   +      +      +   +      +      +      +
delete                    +   +      +      +   +      +      +      +
restore                   +   -      +      +   -      +      -      +
enable                    +   -      +      +   -      +      -      +
expire later              +   -      +      +   -      +      -      +
expire earlier            +   +      +      +   +      +      +      +
allow any address         +   -      +      +   -      +      -      +
add a product             +   -      +      +   -      +      -      +
remove a product          +   +      +      +   +      +      +      +
report a leak             +   +      +      +   +      +      +      +
`

const COLUMNS = [
  ['viewer', 'own'],
  ['viewer', 'olga'],
  ['viewer', 'firm'],
  ['admin', 'own'],
  ['admin', 'olga'],
  ['admin', 'firm'],
  ['', 'olga'],
  ['', 'firm'],
] as const

/** The columns of the console: keys of another member, and a key of the company. */
const IN_CONSOLE = [1, 2, 4]

const ROWS = TABLE.trim()
  .split('\n')
  .slice(2)
  .map((line) => [line.slice(0, 26).trim(), line.slice(26).trim().split(/ +/)] as const)

const DAY = 86_400
const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * DAY
const dayText = (days: number) => new Date(inDays(days) * 1000).toISOString().slice(0, 10)

/** Each act: the request to the API, and the form of the console (below the page of the key). */
const ACTS: Record<string, Act> = {
  'hand over to a member': {
    api: ['PUT', '/owner', { userId: 'paul' }],
    page: '/hand-over',
    action: 'handOver',
    fields: { userId: 'paul' },
  },
  'hand over to the account': {
    api: ['PUT', '/owner', { userId: null }],
    page: '/hand-over',
    action: 'handOver',
    fields: { userId: '' },
  },
  rotate: { api: ['POST', '/secrets', {}], page: '/secrets', action: 'rotateSecret' },
  'add key': { api: ['POST', '/keys', 'a public key'], page: '/secrets', action: 'addKey' },
  disable: { api: ['POST', '/disable'], page: '/settings', action: 'disable' },
  delete: { api: ['DELETE', ''], page: '/delete', action: 'delete', fields: { name: 'Export' } },
  restore: {
    api: ['PUT', '/operations/invoices:read'],
    page: '/access',
    action: 'restoreOperation',
    fields: { operation: 'invoices:read' },
    removed: ['invoices:read'],
  },
  enable: { api: ['POST', '/enable'], page: '/settings', action: 'enable', isDisabled: true },
  'expire later': {
    api: ['PATCH', '', { expiresAt: null }],
    page: '/restrictions',
    action: 'restrict',
    fields: { expiry: '' },
    isForm: true,
  },
  'expire earlier': {
    api: ['PATCH', '', { expiresAt: new Date(inDays(2) * 1000).toISOString() }],
    page: '/restrictions',
    action: 'restrict',
    fields: { expiry: dayText(2) },
  },
  'allow any address': {
    api: ['PATCH', '', { allowedAddresses: [] }],
    page: '/restrictions',
    action: 'restrict',
    fields: { allowedAddresses: '' },
    isForm: true,
  },
  'add a product': {
    api: ['PUT', '/products/payments'],
    page: '/access',
    action: 'addProduct',
    fields: { product: 'payments' },
    products: ['invoices'],
  },
  'remove a product': {
    api: ['DELETE', '/products/payments'],
    page: '/access',
    action: 'removeProduct',
    fields: { product: 'payments' },
  },
  'report a leak': {
    api: ['POST', '/report-compromised'],
    page: '/report-compromised',
    action: 'reportCompromised',
  },
}

interface Act {
  readonly api: readonly [method: string, path: string, body?: object | string]
  readonly page?: string
  readonly action: string
  readonly fields?: Record<string, string>
  readonly products?: readonly string[]
  readonly removed?: readonly string[]
  readonly isDisabled?: boolean
  /** Whether the form stays, because other values of it take access away. */
  readonly isForm?: boolean
}

const PARTS = ['', '/access', '/secrets', '/restrictions', '/activity', '/settings']

describe('what a member may do with an API key', () => {
  let host: ConsoleHost
  let pem = ''
  const roles = new Map<string, readonly string[] | undefined>()
  const targets: PermissionTarget[] = []
  const confirming: { by?: Accounts['confirm'] } = {}
  /** What happens after the key of the next request was read. */
  const meanwhile: { change?: (() => Promise<unknown>) | undefined } = {}

  beforeAll(async () => {
    ;({ pem } = await createClientKey())
    roles
      .set('viewer', ['invoices:read'])
      .set('admin', undefined)
      .set('olga', undefined)
      .set('paul', undefined)
    host = await startConsole({
      store: memoryStore(),
      gatehouse: { privateKeyJwt: true },
      accounts: {
        find: (id, userId) =>
          userId === undefined || roles.has(userId) ? { id, operations: roles.get(userId ?? '') } : undefined,
        current(ctx) {
          const [accountId = '', userId] = ctx.get('test-token').split('/')
          return accountId ? { accountId, userId, via: 'token' } : readSession(ctx)
        },
        async can(_ctx, _permission, target) {
          targets.push(target)
          const { change } = meanwhile
          meanwhile.change = undefined
          await change?.()
          return true
        },
        confirm: (...args) => confirming.by?.(...args) ?? true,
      },
      mount(app, gatehouse) {
        app.use(createConsole(gatehouse))
        app.use(createManagementApi(gatehouse))
      },
    })
  })
  afterAll(() => host.close())

  const personOf = (role: string) => (role === '' ? 'firm' : `firm/${role}`)
  const keyOf = async (clientId: string) => host.gatehouse.apiKeys.find(clientId)

  async function createKey(userId: string | undefined, act: Partial<Act> = {}, createdBy = userId) {
    const { products = ['invoices', 'payments'], removed = [], isDisabled } = act
    const isViewers = userId === 'viewer'
    const beyond = ['invoices:create', 'payments:list', 'payments:transfer'].filter(
      (scope) => isViewers && (scope === 'invoices:create' || products.includes('payments')),
    )
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
      accountId: 'firm',
      userId,
      createdBy,
      name: 'Export',
      products: [...products] as 'invoices'[],
      removedOperations: [...new Set([...beyond, ...removed])] as 'invoices:read'[],
      expiresAt: inDays(10),
      allowedAddresses: ['127.0.0.0/8', '::1'],
    })
    if (isDisabled) await host.gatehouse.apiKeys.disable(apiKey.clientId)
    return { client_id: apiKey.clientId, client_secret: clientSecret }
  }

  async function call(person: string, line: string, body?: object, headers = {}) {
    const [method = '', path = ''] = line.split(' ')
    const response = await fetch(`${host.origin}/account/api${path}`, {
      method,
      headers: { 'test-token': person, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
  }

  async function claimsOf(client: { client_id: string; client_secret: string }) {
    const { body } = await host.requestDirectToken(client)
    const [, payload] = String(body['access_token']).split('.')
    if (payload === undefined) return { error: body['error'] }
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
  }

  /** Sends a form that the page does not have, as an old tab or a script does. */
  async function forge(person: string, path: string, fields: Record<string, string>): Promise<Page> {
    const visitor = host.visit(person)
    const page = await visitor.open('/console/api-keys/new')
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    return visitor.browser.request(new URL(host.origin + path), {
      method: 'POST',
      body: new URLSearchParams({ csrf, ...fields }).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: host.origin,
        'sec-fetch-site': 'same-origin',
      },
    })
  }

  it('through the API, each role may do each act only with the keys in the table', async () => {
    const table: unknown[] = []
    for (const [name] of ROWS) {
      const act = ACTS[name]!
      const [method, path, body] = act.api
      const got: string[] = []
      for (const [role, whose] of COLUMNS) {
        const { client_id } = await createKey(ownerOf(role, whose), act)
        const before = await keyOf(client_id)
        const sent = typeof body === 'string' ? { key: pem } : body
        const answer = await call(personOf(role), `${method} /api-keys/${client_id}${path}`, sent)
        got.push(answer.status < 300 ? '+' : '-')
        if (answer.status < 300) continue
        expect(answer).toMatchObject({ status: 403, body: { code: 'ERR_FORBIDDEN' } })
        expect(await keyOf(client_id)).toEqual(before)
      }
      table.push([name, got])
    }
    expect(table).toEqual(ROWS)
  })

  it('in the console, each role may do each act only with the keys in the table', async () => {
    const table: unknown[] = []
    for (const [name] of ROWS) {
      const { page = '', action, fields = {}, isForm, ...act } = ACTS[name]!
      const got: string[] = []
      for (const [role, whose] of IN_CONSOLE.map((at) => COLUMNS[at]!)) {
        const { client_id } = await createKey(ownerOf(role, whose), act)
        const before = await keyOf(client_id)
        const path = `/console/api-keys/${client_id}${page}`
        const visitor = host.visit(personOf(role))
        const shown = await visitor.open(path)
        const sent = { ...fields, ...(action === 'addKey' && { key: pem }) }
        if (isAllowed(shown, action)) {
          const done = await visitor.submit(shown, action, sent)
          got.push(done.status === 200 ? '+' : '-')
          if (done.status === 200) continue
          // Only a form that can also take access away, and a form without a choice of the owner, may be rejected.
          expect(isForm === true || fields['userId'] !== undefined).toBe(true)
        } else {
          got.push('-')
          const expiry = { before: String(before?.expiresAt), overlap: 'day' }
          const extra = { addresses: '', request: 'a-request-of-a-form', ...expiry }
          const forged = await forge(personOf(role), path, { ...extra, ...sent, action })
          expect([forged.status, textOf(forged.body)]).toEqual([
            403,
            expect.stringMatching(/belongs to another person|may not do this/),
          ])
        }
        expect(await keyOf(client_id)).toEqual(before)
      }
      table.push([name, got])
    }
    expect(table).toEqual(ROWS.map(([name, cells]) => [name, IN_CONSOLE.map((at) => cells[at])]))
  })

  const ownerOf = (role: string, whose: string) =>
    whose === 'own' ? role : whose === 'olga' ? 'olga' : undefined
  const isAllowed = ({ body }: Page, action: string) =>
    new RegExp(`name="action"\\s+value="${action}"|confirm=${action}\\b`).test(body)

  it('a member who hands over a key to another member cannot act as this member with the secret', async () => {
    const key = await createKey(undefined, { products: ['invoices'], removed: ['invoices:create'] }, 'viewer')
    const token = String((await host.requestDirectToken(key)).body['access_token'])
    const handed = await call('firm/viewer', `PUT /api-keys/${key.client_id}/owner`, { userId: 'admin' })
    expect(handed).toMatchObject({ status: 200, body: { userId: 'admin', noToken: 'no-secret' } })
    expect(await claimsOf(key)).toEqual({ error: 'invalid_client' })
    expect((await host.call('GET /invoices/list', token)).status).toBe(401)
    // The former owner cannot get a secret in any way, and the new owner can.
    for (const line of ['POST /secrets', 'POST /keys', 'DELETE /secrets/new', 'PUT /owner'] as const) {
      const [method = '', path = ''] = line.split(' ')
      const body = path === '/owner' ? { userId: 'viewer' } : path === '/keys' ? { key: pem } : {}
      const answer = await call('firm/viewer', `${method} /api-keys/${key.client_id}${path}`, body)
      expect([line, answer.status]).toEqual([line, 403])
    }
    const { body } = await call('firm/admin', `POST /api-keys/${key.client_id}/secrets`, {})
    expect(await claimsOf({ ...key, client_secret: body.clientSecret })).toMatchObject({ user_id: 'admin' })
  })

  it('a hand-over to a person revokes public keys too, and the state is no-secret, not compromised', async () => {
    const { apiKey } = await host.gatehouse.apiKeys.create({
      accountId: 'firm',
      createdBy: 'viewer',
      name: 'Keyed',
      jwks: { keys: [(await createClientKey()).pem] },
    })
    const visitor = host.visit('firm/viewer')
    const path = `/console/api-keys/${apiKey.clientId}`
    const form = await visitor.open(`${path}/hand-over`)
    expect(textOf(form.body)).toContain('stops until this person creates a new secret.')
    const done = await visitor.submit(form, 'handOver', { userId: 'admin' })
    expect(done.status).toBe(200)
    const handed = await keyOf(apiKey.clientId)
    expect(handed).toMatchObject({ userId: 'admin', noSecret: 'no-secret' })
    expect(handed?.jwks).toBeUndefined()
    expect((await visitor.open(`${path}/secrets`)).body).not.toContain('confirm=rotateSecret')
    expect((await host.visit('firm/admin').open(`${path}/secrets`)).body).toContain('confirm=rotateSecret')
  })

  it('a hand-over keeps the secrets that only the new owner has seen, but no public key', async () => {
    const key = await createKey(undefined, { products: ['invoices'] }, 'admin')
    await call('firm/viewer', `PUT /api-keys/${key.client_id}/owner`, { userId: 'admin' })
    expect(await claimsOf(key)).toMatchObject({ user_id: 'admin' })
    // No record says who has the private key of a public key, so it is removed.
    const keyed = await createKey(undefined, { products: ['invoices'] }, 'admin')
    const { kid } = (await host.gatehouse.apiKeys.addKey(keyed.client_id, pem)).jwks!.keys[0]!
    expect(kid).toBeDefined()
    await call('firm/viewer', `PUT /api-keys/${keyed.client_id}/owner`, { userId: 'admin' })
    expect(await claimsOf(keyed)).toMatchObject({ user_id: 'admin' })
    expect((await keyOf(keyed.client_id))?.jwks).toBeUndefined()
    // With a second secret, which another member has seen, none is kept.
    const shared = await createKey(undefined, { products: ['invoices'] }, 'admin')
    await call('firm/olga', `POST /api-keys/${shared.client_id}/secrets`, {})
    await call('firm/viewer', `PUT /api-keys/${shared.client_id}/owner`, { userId: 'admin' })
    expect(await claimsOf(shared)).toEqual({ error: 'invalid_client' })
    // A call of the host's own code keeps everything.
    const own = await createKey(undefined, { products: ['invoices'] }, 'viewer')
    await host.gatehouse.apiKeys.handOver(own.client_id, 'admin')
    expect(await claimsOf(own)).toMatchObject({ user_id: 'admin' })
  })

  it('the account keeps the secrets of a key whose user has left, and secretsToRotate names it', async () => {
    roles.set('dora', undefined)
    const key = await createKey('dora', { products: ['invoices'] })
    // The host has rotated the secret, and has not said to whom it was shown.
    const { clientSecret } = await host.gatehouse.apiKeys.rotateSecret(key.client_id, { overlapSeconds: 0 })
    roles.delete('dora')
    expect((await call('firm/viewer', `PUT /api-keys/${key.client_id}/owner`, { userId: null })).status).toBe(
      403,
    )
    expect((await call('firm/admin', `POST /api-keys/${key.client_id}/secrets`, {})).status).toBe(403)
    expect((await call('firm/admin', `PUT /api-keys/${key.client_id}/owner`, { userId: null })).status).toBe(
      200,
    )
    expect(await claimsOf({ ...key, client_secret: clientSecret })).not.toHaveProperty('user_id')
    const toRotate = await host.gatehouse.accounts.secretsToRotate('firm')
    expect(toRotate).toMatchObject([{ clientId: key.client_id, userIds: ['dora'] }])
    // The page of findings offers the rotation to members who may get the secret.
    const offers = async (role: string, path = '/console/hygiene'): Promise<boolean> => {
      const { body } = await host.visit(`firm/${role}`).open(path)
      const next = /href="([^"]+)" rel="next"/.exec(body)?.[1]
      return (
        body.includes(`${key.client_id}/secrets?confirm=rotateSecret`) ||
        (next !== undefined && offers(role, next))
      )
    }
    expect([await offers('viewer'), await offers('admin')]).toEqual([false, true])
    const rotation = { action: 'rotateSecret', overlap: 'day', request: 'one' }
    const path = `/console/api-keys/${key.client_id}/secrets`
    expect((await forge('firm/viewer', path, rotation)).status).toBe(403)
  })

  it('a repeat with the same Idempotency-Key shows no secret to a member who may not get it any more', async () => {
    const key = await createKey(undefined, { products: ['invoices'], removed: ['invoices:create'] })
    const repeatable = { 'idempotency-key': 'one' }
    const rotate = () => call('firm/viewer', `POST /api-keys/${key.client_id}/secrets`, {}, repeatable)
    expect((await rotate()).status).toBe(201)
    await host.gatehouse.apiKeys.restoreOperation(key.client_id, 'invoices:create')
    expect(await rotate()).toMatchObject({ status: 403, body: { code: 'ERR_FORBIDDEN' } })

    const create = () =>
      call('firm/viewer', 'POST /api-keys', { name: 'Repeated' }, { 'idempotency-key': 'two' })
    const { clientId } = (await create()).body.apiKey
    await call('firm/viewer', `PUT /api-keys/${clientId}/owner`, { userId: 'admin' })
    expect(await create()).toMatchObject({ status: 422, body: { code: 'ERR_IDEMPOTENCY_KEY' } })
  })

  it('a new secret, a public key, a hand-over, an expiry and addresses are rejected if the key gets another owner meanwhile', async () => {
    const key = await createKey(undefined, { products: ['invoices'], removed: ['invoices:create'] })
    for (const [line, body] of [
      ['POST /secrets', {}],
      ['POST /keys', { key: pem }],
      ['PUT /owner', { userId: 'viewer' }],
      ['PATCH ', { expiresAt: null }],
      ['PATCH ', { allowedAddresses: [] }],
    ] as const) {
      const [method, path] = line.split(' ')
      // The member guesses the ETag that the key has after the hand-over.
      const before = (await keyOf(key.client_id))!
      const next = etagOf({ ...before, userId: 'admin', epoch: before.epoch + 1 })
      const guess = path === '/secrets' ? {} : { 'if-match': `${etagOf(before)}, ${next}` }
      let handed = ''
      meanwhile.change = async () => {
        handed = etagOf(await host.gatehouse.apiKeys.handOver(key.client_id, 'admin'))
      }
      const answer = await call('firm/viewer', `${method} /api-keys/${key.client_id}${path}`, body, guess)
      expect([line, answer.status, answer.body]).toEqual([
        line,
        412,
        expect.objectContaining({
          code: 'ERR_CHANGED',
          detail: 'the client has changed: read it again, and repeat the request',
        }),
      ])
      expect(handed).toBe(next)
      await host.gatehouse.apiKeys.handOver(key.client_id, null)
    }
    expect(await host.gatehouse.apiKeys.listSecrets(key.client_id)).toHaveLength(1)
  })

  it('a member who knows the old secret of a key cannot undo its rotation', async () => {
    const key = await createKey('admin', { products: ['invoices'] })
    await host.gatehouse.apiKeys.rotateSecret(key.client_id)
    for (const [which, status] of [
      ['new', 403],
      ['old', 204],
    ] as const) {
      const answer = await call('firm/viewer', `DELETE /api-keys/${key.client_id}/secrets/${which}`)
      expect([which, answer.status]).toEqual([which, status])
    }
  })

  it('accounts.can gets the user of the key, and a hand-over asks for a fresh sign-in', async () => {
    const key = await createKey('viewer', { products: ['invoices'] })
    const path = `/api-keys/${key.client_id}`
    const visitor = host.visit('firm/viewer')
    const form = await visitor.open(`/console${path}/hand-over`)
    const asked: string[] = []
    confirming.by = (_ctx, permission) => {
      asked.push(permission)
      return '/prove'
    }
    targets.length = 0
    expect(await call('firm/viewer', `PUT ${path}/owner`, { userId: 'admin' })).toMatchObject({
      status: 403,
      body: { code: 'ERR_CONFIRM' },
    })
    expect(targets[0]).toEqual({ accountId: 'firm', clientId: key.client_id, userId: 'viewer' })
    // The caller does not sign in again for a request that another check rejects.
    expect((await call('firm/admin', `PUT ${path}/owner`, { userId: 'admin' })).body.code).toBe(
      'ERR_FORBIDDEN',
    )
    expect((await visitor.get(`/console${path}/hand-over`)).status).toBe(303)
    const again = await visitor.submit(form, 'handOver', { userId: 'admin' })
    expect([again.status, textOf(again.body)]).toEqual([
      403,
      expect.stringContaining('needs a fresh sign-in'),
    ])
    confirming.by = undefined
    expect(asked).toEqual(['keys:rotate', 'keys:rotate', 'keys:rotate'])
    expect((await keyOf(key.client_id))?.userId).toBe('viewer')
    // The hand-over of an application asks nothing, and keeps its secret.
    const { application, clientSecret } = await host.gatehouse.applications.create({
      accountId: 'firm',
      name: 'App',
    })
    const { clientId } = application
    expect(
      (await call('firm/viewer', `PUT /applications/${clientId}/owner`, { userId: 'admin' })).status,
    ).toBe(200)
    expect(await host.gatehouse.applications.listSecrets(clientId)).toHaveLength(1)
    expect(clientSecret).toBeDefined()
    expect((await call('firm/viewer', `POST /applications/${clientId}/secrets`, {})).status).toBe(201)
  })

  it('only operators change the key of a gateway or get a secret that introspects tokens, and everybody with keys:write reports its leak', async () => {
    const create = async (accountId: string, options = {}) => {
      const input = { accountId, name: 'Gateway', resourceServer: true, ...options }
      return (await host.gatehouse.apiKeys.create(input)).apiKey.clientId
    }
    const lines = ['POST /secrets', 'POST /keys', 'PUT /owner', 'PATCH ', 'POST /disable', 'DELETE ']
    const bodies: Record<string, object> = {
      'PATCH ': { name: 'Other' },
      'PUT /owner': { userId: null },
      'POST /secrets': {},
      'POST /keys': { key: pem },
    }
    const statusOf = async (person: string, clientId: string, line: string) => {
      const [method, path] = line.split(' ')
      return (await call(person, `${method} /api-keys/${clientId}${path}`, bodies[line])).status
    }
    const own = await create('firm')
    for (const line of lines) expect([line, await statusOf('firm/admin', own, line)]).toEqual([line, 403])
    const bodyOf = async (clientId: string, part: string) =>
      (await host.visit('firm/admin').open(`/console/api-keys/${clientId}${part}`)).body
    for (const part of PARTS) {
      expect(await bodyOf(own, part)).not.toMatch(
        /<form method="post" action="[^"]*api-keys|confirm=|\/delete"|\/hand-over"/,
      )
    }
    expect(await bodyOf(own, '/secrets')).toContain('/report-compromised')
    const forged = await forge('firm/admin', `/console/api-keys/${own}/settings`, { action: 'disable' })
    expect([forged.status, textOf(forged.body)]).toEqual([403, expect.stringContaining('Only operators')])
    expect(await statusOf('firm/admin', own, 'POST /report-compromised')).toBe(204)

    // A key that introspects tokens and has products: only operators get a secret of it, or hand it over.
    for (const userId of [undefined, 'admin']) {
      const introspecting = await create('firm', { userId, products: ['invoices'] })
      const statuses = []
      for (const line of lines) statuses.push(await statusOf('firm/admin', introspecting, line))
      expect(statuses).toEqual([403, 403, 403, 200, 200, 204])
    }
    const introspecting = await create('firm', { products: ['invoices'] })
    for (const part of PARTS) {
      expect(await bodyOf(introspecting, part)).not.toMatch(
        /confirm=rotateSecret|confirm=addKey|\/hand-over"/,
      )
    }
    expect(await bodyOf(introspecting, '/access')).toContain('value="addProduct"')
    expect(await bodyOf(introspecting, '/settings')).toContain('confirm=disable')

    // `isOperator` of this host is true for the account root, which may also own such a key.
    const root = host.visit('root')
    for (const options of [{}, { products: ['invoices'] }]) {
      const ofRoot = await create('root', options)
      const rotated = await root.submit(await root.open(`/console/api-keys/${ofRoot}`), 'rotateSecret', {
        overlap: 'day',
      })
      expect(credentialsOf(rotated).client_id).toBe(ofRoot)
    }
    const operatorPage = await root.open(`/console/operator/clients/${own}`)
    expect((await root.submit(operatorPage, 'disable')).status).toBe(200)
    expect((await keyOf(own))?.disabledBy).toBe('operator')
  })
})
