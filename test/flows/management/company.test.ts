import { expect, it } from 'vitest'
import type { Account } from 'koa-gatehouse'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'
import { describeEachStore } from '../../support/stores.ts'
import { createClient, type Fields } from './client.ts'
import { startManagement } from './setup.ts'

describeEachStore('a company whose people come and go, through the management API', (makeStore) => {
  it('keys of the company stay, keys of a person go, and an erased person stays erased', async () => {
    const members = new Map<string, Pick<Account, 'operations'>>([
      ['ada', {}],
      ['eve', {}],
      ['dan', { operations: ['invoices:read'] }],
      ['vera', { operations: [] }],
    ])
    const host = await startManagement({
      store: makeStore(),
      accounts: {
        find: (id, userId) =>
          userId === undefined || members.has(userId) ? { id, ...members.get(userId ?? '') } : undefined,
        can: (ctx, permission) => permission.endsWith(':read') || !ctx.get('test-token').endsWith('/vera'),
      },
    })
    const as = (person: string) => createClient(host, person)
    const [ada, dan, vera, root] = [as('acme/ada'), as('acme/dan'), as('acme/vera'), as('root')]
    const eve = as('acme/eve')
    const body = { name: 'Nightly', products: ['invoices'] }

    // A viewer looks, and a dispatcher gives a key of the company no more than the dispatcher may do.
    const denied = await vera.POST('/api-keys', { body })
    expect(denied.error?.code).toBe('ERR_FORBIDDEN')
    const nightly = await ada.POST('/api-keys', { body })
    const dispatch = await dan.POST('/api-keys', { body: { ...body, name: 'Dispatch' } })
    expect(dispatch.data?.apiKey).toMatchObject({ createdBy: 'dan', removedOperations: ['invoices:create'] })
    expect(dispatch.data?.apiKey.userId).toBeUndefined()
    const clientId = nightly.data?.apiKey.clientId ?? ''
    const one = { params: { path: { clientId } } }

    // Who made the key leaves: it goes on, and the list says whose secret is to be rotated.
    members.delete('ada')
    await host.gatehouse.accounts.changed('acme', { userId: 'ada' })
    const listed = await dan.GET('/api-keys', { params: { query: { name: 'nightly', sort: 'name' } } })
    expect(listed.data?.items).toMatchObject([{ clientId, knownToFormer: ['ada'] }])
    expect(listed.data?.items[0]?.noToken).toBeUndefined()
    // Only a member who may use all operations of the key gets its new secret.
    const rotation = { ...one, body: { overlapSeconds: 0 } }
    expect((await dan.POST('/api-keys/{clientId}/secrets', rotation)).error?.code).toBe('ERR_FORBIDDEN')
    await eve.POST('/api-keys/{clientId}/secrets', rotation)
    expect((await dan.GET('/api-keys/{clientId}', one)).data?.knownToFormer).toBeUndefined()

    // A key is handed over to a person, who leaves with it.
    const owner = await dan.PUT('/api-keys/{clientId}/owner', { ...one, body: { userId: 'dan' } })
    expect(owner.data).toMatchObject({ userId: 'dan', noToken: 'no-secret' })
    await dan.POST('/api-keys/{clientId}/secrets', { ...one, body: {} })
    const unknown = await dan.PUT('/api-keys/{clientId}/owner', { ...one, body: { userId: 'stranger' } })
    expect(unknown.error?.status).toBe(422)
    const backup: string[] = []
    for await (const piece of exportRegistry(host.gatehouse)) backup.push(piece)
    members.delete('dan')
    const gone = await vera.GET('/api-keys', { params: { query: { state: 'owner-gone' } } })
    expect(gone.data?.items.map((key: Fields) => key.noToken)).toEqual(['owner-gone'])

    // An operator erases the person. A backup from before brings nothing of the person back.
    const person = { params: { path: { accountId: 'acme', userId: 'dan' } } }
    const erased = await root.POST('/operator/accounts/{accountId}/users/{userId}/erase', person)
    expect(erased.data?.clients).toBe(1)
    await importRegistry(host.gatehouse, backup)
    const left = await vera.GET('/api-keys')
    expect(left.data?.items.map(({ name }: Fields) => name)).toEqual(['Dispatch'])
    expect(JSON.stringify(left.data)).not.toContain('"dan"')
    expect(JSON.stringify((await root.GET('/operator/audit')).data)).not.toMatch(/acme\/dan|"dan"/)
    await host.close()
  })
})
