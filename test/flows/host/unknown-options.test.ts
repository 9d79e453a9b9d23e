import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createTestIssuer, mintToken } from 'koa-gatehouse/testing'
import { startHost, type Host } from '../../support/host.ts'

let host: Host
let apiKey: string
let application: string
beforeAll(async () => {
  host = await startHost({ store: memoryStore() })
  ;({ client_id: apiKey } = await host.createApiKey())
  ;({ client_id: application } = await host.createApplication())
})
afterAll(() => host.close())

/** Never a value that an option has. */
const odd = { misspelt: 1 } as never
const onAnyStore = { allowPersistentStore: true }
type Call = () => unknown

const ofClients = (service: 'apiKeys' | 'applications'): [string, Call][] => {
  const its = () => host.gatehouse[service]
  const id = () => (service === 'apiKeys' ? apiKey : application)
  const calls: [string, Call][] = [
    ['list', () => its().list(odd)],
    ['list with `after`', () => its().list({ after: '0000000000000:x' } as never)],
    ['listByOwner', () => its().listByOwner('acme', odd)],
    ['create', () => its().create({ accountId: 'acme', name: 'x', misspelt: 1 } as never)],
    ['rename', () => its().rename(id(), 'x', odd)],
    ['addProduct', () => its().addProduct(id(), 'invoices', odd)],
    ['removeProduct', () => its().removeProduct(id(), 'invoices', odd)],
    ['removeOperation', () => its().removeOperation(id(), 'invoices:read', odd)],
    ['restoreOperation', () => its().restoreOperation(id(), 'invoices:read', odd)],
    ['rotateSecret', () => its().rotateSecret(id(), odd)],
    ['revokeSecret', () => its().revokeSecret(id(), 'old', odd)],
    ['reportCompromised', () => its().reportCompromised(id(), odd)],
    ['disable', () => its().disable(id(), odd)],
    ['enable', () => its().enable(id(), odd)],
    ['delete', () => its().delete(id(), odd)],
  ]
  return calls.map(([name, call]) => [`${service}.${name}`, call])
}

const alone: [string, Call][] = [
  ['apiKeys.setResourceServer', () => host.gatehouse.apiKeys.setResourceServer(apiKey, true, odd)],
  ['applications.setRedirectUris', () => host.gatehouse.applications.setRedirectUris(application, [], odd)],
  ['applications.setLogoUri', () => host.gatehouse.applications.setLogoUri(application, undefined, odd)],
  ['applications.setFirstParty', () => host.gatehouse.applications.setFirstParty(application, true, odd)],
  ['grants.list', () => host.gatehouse.grants.list({ accountId: 'alice', misspelt: 1 } as never)],
  [
    'grants.list with `after`',
    () => host.gatehouse.grants.list({ accountId: 'alice', after: '0000000000000:x' } as never),
  ],
  ['grants.revoke', () => host.gatehouse.grants.revoke('x', odd)],
  [
    'grants.revokeAll, whose',
    () => host.gatehouse.grants.revokeAll({ accountId: 'a', misspelt: 1 } as never),
  ],
  ['grants.revokeAll', () => host.gatehouse.grants.revokeAll({ accountId: 'a' }, odd)],
  ['tokens.revoke', () => host.gatehouse.tokens.revoke('x', odd)],
  [
    'tokens.revokeAll, whose',
    () => host.gatehouse.tokens.revokeAll({ clientId: apiKey, misspelt: 1 } as never),
  ],
  ['tokens.revokeAll', () => host.gatehouse.tokens.revokeAll({ clientId: apiKey }, odd)],
  ['accounts.changed', () => host.gatehouse.accounts.changed('acme', odd)],
  ['signingKeys.rotate', () => host.gatehouse.signingKeys.rotate(odd)],
  ['signingKeys.revoke', () => host.gatehouse.signingKeys.revoke('x', odd)],
  ['importRegistry', () => host.gatehouse.importRegistry([], odd)],
  ['importRegistry with no flag', () => host.gatehouse.importRegistry([], { signingKeys: 'no' } as never)],
  ['ready', () => host.gatehouse.ready(odd)],
  ['gateway.authenticate', () => host.gatehouse.gateway.authenticate({ url: '/', headers: {} }, odd)],
  [
    'mintToken',
    () => mintToken(host.gatehouse, { accountId: 'a', scopes: [], misspelt: 1 } as never, onAnyStore),
  ],
  ['mintToken with options', () => mintToken(host.gatehouse, { accountId: 'a', scopes: [] }, odd)],
]

test.each([...ofClients('apiKeys'), ...ofClients('applications'), ...alone])(
  '%s rejects an option that does not exist, and changes nothing',
  async (_, call) => {
    const events: unknown[] = []
    const note = (event: unknown) => void events.push(event)
    for (const name of ['client.changed', 'client.created', 'client.deleted', 'token.revoked'] as const) {
      host.gatehouse.on(name, note)
    }
    await expect((async () => call())()).rejects.toMatchObject({
      name: 'GatehouseError',
      code: 'ERR_INVALID_ARGUMENT',
    })
    expect(events).toEqual([])
  },
)

test('the middleware of the gateway rejects an option that does not exist', () => {
  expect(() => host.gatehouse.gateway.middleware(odd)).toThrow(
    expect.objectContaining({ code: 'ERR_OPTIONS' }),
  )
})

test('a test issuer mints no token with a field that does not exist', async () => {
  const issuer = await createTestIssuer({ audience: host.audience })
  await expect(issuer.mintToken({ accountId: 'a', scopes: [], scope: 'x' } as never)).rejects.toMatchObject({
    code: 'ERR_INVALID_ARGUMENT',
  })
  await issuer.close()
})
