// Also runs on: Redis
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { GatehouseEvents } from 'koa-gatehouse'
import { createConsole } from '../../../src/console.ts'
import { createManagementApi } from '../../../src/management.ts'
import { describeEachStore } from '../../support/stores.ts'
import { credentialsOf, textOf } from '../console/markup.ts'
import { startConsole, type ConsoleHost } from '../console/setup.ts'

/** The company acme: an admin, a dispatcher who may only read invoices, and a viewer who may look. */
describeEachStore('the owner of a client', (makeStore) => {
  let host: ConsoleHost
  let store: ReturnType<typeof makeStore>
  const users = new Map<string, readonly string[] | undefined>()
  const clientsBelongTo = { value: 'account' as 'account' | 'user' }

  beforeEach(async () => {
    users.clear()
    users.set('admin', undefined).set('dispatcher', ['invoices:read']).set('viewer', [])
    store = makeStore()
    host = await start()
  })
  afterEach(() => host.close())

  function start() {
    return startConsole({
      store,
      accounts: {
        clientsBelongTo: clientsBelongTo.value,
        find(accountId, userId) {
          if (userId !== undefined && !users.has(userId)) return undefined
          return {
            id: accountId,
            kycLevel: 'verified',
            operations: users.get(userId ?? ''),
            claims: { name: 'Acme' },
          }
        },
        can: (_ctx, permission) => !permission.endsWith(':delete'),
      },
      mount(app, gatehouse) {
        app.use(createConsole(gatehouse))
        app.use(createManagementApi(gatehouse))
      },
    })
  }

  /** Creates a key in the console. */
  async function createAs(person: string, fields: Record<string, string | string[]> = {}) {
    const visitor = host.visit(person)
    const form = await visitor.open('/console/api-keys/new')
    const created = await visitor.submit(form, 'create', { name: 'Export', product: 'invoices', ...fields })
    const credentials = credentialsOf(created)
    return { ...credentials, path: `/console/api-keys/${credentials.client_id}`, visitor }
  }
  const keyOf = async (clientId: string) => (await host.gatehouse.apiKeys.find(clientId))!
  const claimsOf = async (client: { client_id: string; client_secret: string }) => {
    const { status, body } = await host.requestDirectToken(client)
    if (status !== 200) return { error: body['error'] }
    const [, payload = ''] = String(body['access_token']).split('.')
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
  }

  it('a key of the console belongs to the account, carries no user, and stays when its maker leaves', async () => {
    const key = await createAs('acme/admin')
    expect(await claimsOf(key)).toMatchObject({ account_id: 'acme' })
    expect(await claimsOf(key)).not.toHaveProperty('user_id')

    const exposed: GatehouseEvents['secret.exposed'][] = []
    host.gatehouse.on('secret.exposed', (event) => exposed.push(event))
    users.delete('admin')
    const changed = await host.gatehouse.accounts.changed('acme', { userId: 'admin', actor: 'hr' })
    const entry = { kind: 'apiKey', clientId: key.client_id, userIds: ['admin'] }
    expect(changed.secretsToRotate).toEqual([{ ...entry, name: 'Export' }])
    expect(exposed).toEqual([{ ...entry, accountId: 'acme', actor: 'hr' }])
    expect(await host.gatehouse.accounts.secretsToRotate('acme')).toEqual(changed.secretsToRotate)
    expect(await claimsOf(key)).toMatchObject({ account_id: 'acme' })

    const owner = host.visit('acme')
    const page = await owner.open(key.path)
    expect(textOf(page.body)).toMatch(/People who have left the account know a secret of it: admin ?\./)
    expect(textOf((await owner.get('/console/api-keys')).body)).toContain('Active Create new secret')
    expect(JSON.parse((await owner.get(`/account/api/api-keys/${key.client_id}`)).body)).toMatchObject({
      createdBy: 'admin',
      knownToFormer: ['admin'],
    })
    await owner.submit(page, 'rotateSecret', { overlap: 'now' })
    expect(await host.gatehouse.accounts.secretsToRotate('acme')).toEqual([])
    expect(textOf((await owner.open(key.path)).body)).not.toContain('People who have left')
  })

  it('a member gives a key of the account no operation that the member may not use', async () => {
    const key = await createAs('acme/dispatcher', {
      operation: ['invoices invoices:read', 'invoices invoices:create'],
    })
    expect((await claimsOf(key))['scope']).toBe('invoices:read')
    const page = await key.visitor.open(key.path)
    await key.visitor.submit(page, 'addProduct', { product: 'payments' })
    expect(await keyOf(key.client_id)).toMatchObject({
      products: ['invoices', 'payments'],
      removedOperations: ['invoices:create', 'payments:list', 'payments:transfer'],
    })
    const restored = await key.visitor.submit(await key.visitor.open(key.path), 'restoreOperation', {
      operation: 'payments:list',
    })
    expect(restored.status).toBe(403)
    expect((await claimsOf(key))['scope']).toBe('invoices:read')

    // What an admin has added stays when a member adds a product that has it too.
    const admin = host.visit('acme/admin')
    await admin.submit(await admin.open(key.path), 'restoreOperation', { operation: 'payments:list' })
    expect((await claimsOf(key))['scope']).toBe('invoices:read payments:list')
  })

  it('a key is handed over to a person, and back to the account', async () => {
    const key = await createAs('acme/admin')
    const token = String((await host.requestDirectToken(key)).body['access_token'])
    const statusOf = async (access: string) => (await host.call('GET /invoices/list', access)).status
    const form = await key.visitor.open(`${key.path}/hand-over`)
    const unknown = await key.visitor.submit(form, 'handOver', { userId: 'stranger' })
    expect([unknown.status, (await keyOf(key.client_id)).userId]).toEqual([422, undefined])
    expect(await statusOf(token)).toBe(200)
    await key.visitor.submit(form, 'handOver', { userId: 'dispatcher' })
    expect(await statusOf(token)).toBe(401)
    expect(await claimsOf(key)).toEqual({ error: 'invalid_client' })
    const dispatcher = host.visit('acme/dispatcher')
    const own = credentialsOf(await dispatcher.submit(await dispatcher.open(key.path), 'rotateSecret'))
    expect(await claimsOf(own)).toMatchObject({ user_id: 'dispatcher', scope: 'invoices:read' })
    users.delete('dispatcher')
    expect(await claimsOf(own)).toEqual({ error: 'unauthorized_client' })
    const orphan = await key.visitor.open(key.path)
    expect(textOf(orphan.body)).toContain('Owner has left')
    expect(orphan.body).toContain(`href="${key.path}/hand-over"`)
    await key.visitor.submit(await key.visitor.open(`${key.path}/hand-over`), 'handOver', { userId: '' })
    expect(await claimsOf(own)).toMatchObject({ scope: 'invoices:read invoices:create' })
    expect(textOf((await key.visitor.get('/console/activity')).body)).toContain('Handed over: ')
  })

  it('a member gives no account a key with more operations than the member has', async () => {
    const key = await createAs('acme/admin')
    const dispatcher = host.visit('acme/dispatcher')
    const handOver = async (userId: string) =>
      (await dispatcher.submit(await dispatcher.open(`${key.path}/hand-over`), 'handOver', { userId })).status
    // The dispatcher takes a key over, cannot widen it, and cannot give it back to the account.
    expect(await handOver('dispatcher')).toBe(200)
    const restored = await dispatcher.submit(await dispatcher.open(key.path), 'removeOperation', {
      operation: 'invoices:create',
    })
    expect(restored.status).toBe(200)
    const widened = await dispatcher.submit(await dispatcher.open(key.path), 'restoreOperation', {
      operation: 'invoices:create',
    })
    expect(widened.status).toBe(403)
    await dispatcher.submit(await dispatcher.open(key.path), 'addProduct', { product: 'payments' })
    expect((await keyOf(key.client_id)).removedOperations).toContain('payments:transfer')
    await host.gatehouse.apiKeys.restoreOperation(key.client_id, 'invoices:create')
    expect(await handOver('')).toBe(403)
    expect((await keyOf(key.client_id)).userId).toBe('dispatcher')
    // An admin gets the key without a secret, so the dispatcher may give it away.
    expect(await handOver('admin')).toBe(200)
    expect(await keyOf(key.client_id)).toMatchObject({ userId: 'admin', noSecret: 'no-secret' })
    // A member whom the host no longer finds gives nothing.
    users.delete('dispatcher')
    const late = await dispatcher.submit(await dispatcher.open('/console/api-keys/new'), 'create', {
      name: 'Late',
      product: 'invoices',
    })
    const { items } = await host.gatehouse.apiKeys.listByOwner('acme', { name: 'Late' })
    expect([late.status, items[0]?.removedOperations]).toEqual([200, ['invoices:read', 'invoices:create']])
  })

  it('with clientsBelongTo: user, a key of the console belongs to its maker', async () => {
    await host.close()
    clientsBelongTo.value = 'user'
    try {
      host = await start()
      const key = await createAs('acme/dispatcher')
      expect(await keyOf(key.client_id)).toMatchObject({ userId: 'dispatcher', createdBy: 'dispatcher' })
      expect(await claimsOf(key)).toMatchObject({ user_id: 'dispatcher', scope: 'invoices:read' })
    } finally {
      clientsBelongTo.value = 'account'
    }
  })

  it('what an operator disables, only an operator enables', async () => {
    const key = await createAs('acme/admin')
    const operator = host.visit('root')
    const operatorPath = `/console/operator/clients/${key.client_id}`
    await operator.submit(await operator.open(operatorPath), 'disable')
    const page = await key.visitor.open(key.path)
    expect(textOf(page.body)).toContain('Only an operator can enable it again')
    expect(page.body).not.toContain('value="enable"')
    await expect(host.gatehouse.apiKeys.enable(key.client_id)).rejects.toMatchObject({
      code: 'ERR_DISABLED_BY_OPERATOR',
    })
    await host.gatehouse.apiKeys.disable(key.client_id)
    expect(await keyOf(key.client_id)).toMatchObject({ disabled: true, disabledBy: 'operator' })
    await operator.submit(await operator.open(operatorPath), 'enable')
    expect(await keyOf(key.client_id)).not.toHaveProperty('disabledBy')
    // An operator takes over what the owner disabled.
    await host.gatehouse.apiKeys.disable(key.client_id)
    await host.gatehouse.apiKeys.disable(key.client_id, { by: 'operator' })
    await expect(host.gatehouse.apiKeys.enable(key.client_id)).rejects.toMatchObject({
      code: 'ERR_DISABLED_BY_OPERATOR',
    })
  })
})
