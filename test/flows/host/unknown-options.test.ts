import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createTestIssuer, mintToken } from 'koa-gatehouse/testing'
import { startHost, type Host } from '../../support/host.ts'
import { importRegistry } from '../../../src/backup.ts'

let host: Host
let apiKey: string
let application: string
beforeAll(async () => {
  host = await startHost({ store: memoryStore() })
  ;({ client_id: apiKey } = await host.createApiKey())
  ;({ client_id: application } = await host.createApplication())
})
afterAll(() => host.close())

/** Options with an unknown name. */
const misspelt = { misspelt: 1 } as never
const onAnyStore = { allowPersistentStore: true }
type Call = () => unknown

const callsOf = (service: 'apiKeys' | 'applications'): [string, Call][] => {
  const its = () => host.gatehouse[service]
  const id = () => (service === 'apiKeys' ? apiKey : application)
  const calls: [string, Call][] = [
    ['list', () => its().list(misspelt)],
    ['list with the unknown option `after`', () => its().list({ after: '0000000000000:x' } as never)],
    ['listByOwner', () => its().listByOwner('acme', misspelt)],
    ['create', () => its().create({ accountId: 'acme', name: 'x', misspelt: 1 } as never)],
    ['update', () => its().update(id(), { name: 'x' }, misspelt)],
    ['addProduct', () => its().addProduct(id(), 'invoices', misspelt)],
    ['removeProduct', () => its().removeProduct(id(), 'invoices', misspelt)],
    ['removeOperation', () => its().removeOperation(id(), 'invoices:read', misspelt)],
    ['restoreOperation', () => its().restoreOperation(id(), 'invoices:read', misspelt)],
    ['rotateSecret', () => its().rotateSecret(id(), misspelt)],
    ['revokeSecret', () => its().revokeSecret(id(), 'old', misspelt)],
    ['reportCompromised', () => its().reportCompromised(id(), misspelt)],
    ['disable', () => its().disable(id(), misspelt)],
    ['enable', () => its().enable(id(), misspelt)],
    ['delete', () => its().delete(id(), misspelt)],
  ]
  return calls.map(([name, call]) => [`${service}.${name}`, call])
}

const otherCalls: [string, Call][] = [
  ['apiKeys.setResourceServer', () => host.gatehouse.apiKeys.setResourceServer(apiKey, true, misspelt)],
  [
    'applications.setFirstParty',
    () => host.gatehouse.applications.setFirstParty(application, true, misspelt),
  ],
  ['grants.list', () => host.gatehouse.grants.list({ accountId: 'alice', misspelt: 1 } as never)],
  [
    'grants.list with the unknown option `after`',
    () => host.gatehouse.grants.list({ accountId: 'alice', after: '0000000000000:x' } as never),
  ],
  ['grants.revoke', () => host.gatehouse.grants.revoke('x', misspelt)],
  [
    'grants.revokeAll with an unknown field in its first argument',
    () => host.gatehouse.grants.revokeAll({ accountId: 'a', misspelt: 1 } as never),
  ],
  ['grants.revokeAll', () => host.gatehouse.grants.revokeAll({ accountId: 'a' }, misspelt)],
  ['tokens.revoke', () => host.gatehouse.tokens.revoke('x', misspelt)],
  [
    'tokens.revokeAll with an unknown field in its first argument',
    () => host.gatehouse.tokens.revokeAll({ clientId: apiKey, misspelt: 1 } as never),
  ],
  ['tokens.revokeAll', () => host.gatehouse.tokens.revokeAll({ clientId: apiKey }, misspelt)],
  ['accounts.changed', () => host.gatehouse.accounts.changed('acme', misspelt)],
  ['signingKeys.rotate', () => host.gatehouse.signingKeys.rotate(misspelt)],
  ['signingKeys.revoke', () => host.gatehouse.signingKeys.revoke('x', misspelt)],
  ['importRegistry', () => importRegistry(host.gatehouse, [], misspelt)],
  [
    'importRegistry with a value of `signingKeys` that is not a boolean',
    () => importRegistry(host.gatehouse, [], { signingKeys: 'no' } as never),
  ],
  ['ready', () => host.gatehouse.ready(misspelt)],
  ['gateway.authenticate', () => host.gatehouse.gateway.authenticate({ url: '/', headers: {} }, misspelt)],
  [
    'mintToken',
    () => mintToken(host.gatehouse, { accountId: 'a', scopes: [], misspelt: 1 } as never, onAnyStore),
  ],
  ['mintToken with options', () => mintToken(host.gatehouse, { accountId: 'a', scopes: [] }, misspelt)],
]

it('an unknown option or an invalid value is rejected with ERR_INVALID_ARGUMENT and changes nothing', async () => {
  const events: unknown[] = []
  for (const name of ['client.changed', 'client.created', 'client.deleted', 'token.revoked'] as const) {
    host.gatehouse.on(name, (event) => events.push(event))
  }
  for (const [what, call] of [...callsOf('apiKeys'), ...callsOf('applications'), ...otherCalls]) {
    await expect((async () => call())(), what).rejects.toMatchObject({
      name: 'GatehouseError',
      code: 'ERR_INVALID_ARGUMENT',
    })
    expect(events, what).toEqual([])
  }
})

it('the middleware of the gateway rejects an unknown option', () => {
  expect(() => host.gatehouse.gateway.middleware(misspelt)).toThrow(
    expect.objectContaining({ code: 'ERR_OPTIONS' }),
  )
})

it('a test issuer rejects an unknown field of a token', async () => {
  const issuer = await createTestIssuer({ audience: host.audience })
  await expect(issuer.mintToken({ accountId: 'a', scopes: [], scope: 'x' } as never)).rejects.toMatchObject({
    code: 'ERR_INVALID_ARGUMENT',
  })
  await issuer.close()
})
