import type { Gatehouse } from '../../../src/gatehouse/gatehouse.ts'
import { hashSecret } from '../../../src/clients/secrets.ts'
import type { HostClient } from '../../../src/clients/client.ts'

/** A client of both hosts. The same client has the same id and secret at each host. */
export interface TestClient {
  readonly kind: 'apiKey' | 'application'
  readonly clientId: string
  readonly secret: string
  readonly accountId: string
  readonly userId?: string
  readonly products: readonly string[]
  readonly removedOperations?: readonly string[]
  readonly disabled?: boolean
}

const key = (clientId: string, others: Partial<TestClient> = {}): TestClient => ({
  kind: 'apiKey',
  clientId,
  secret: `secret-of-${clientId}-0123456789`,
  accountId: 'acme',
  products: ['invoices', 'payments'],
  ...others,
})

/** An account that the host does not have. */
export const MISSING_ACCOUNT = 'ghost'
/** An account for which `accounts.find` throws an error. */
export const FAILING_ACCOUNT = 'failing'

/** Clients that both kinds of registry can hold. */
const COMMON: readonly TestClient[] = [
  key('key_plain'),
  key('key.of-one~product', { products: ['invoices'] }),
  key('key_removed', { removedOperations: ['invoices:create', 'payments:list'] }),
  key('key_all_removed', { products: ['invoices'], removedOperations: ['invoices:read', 'invoices:create'] }),
  key('key_none', { products: [] }),
  key('key_disabled', { disabled: true }),
  key('key_ghost', { accountId: MISSING_ACCOUNT }),
  key('key_failing', { accountId: FAILING_ACCOUNT }),
  key('key_user', { userId: 'üser 1' }),
  key('key_plus', { secret: 'plus+and/slash+0123456789' }),
  key('key_percent', { secret: '50%25 or %2B or 100%' }),
  key('key_colon', { secret: 'a: b:c 0123456789' }),
  key('key_unicode', { secret: 'schlüssel-0123456789-ß' }),
  key('app_plain', { kind: 'application' }),
]

/** Ids that only a registry of the host can hold. */
const ODD: readonly TestClient[] = [
  key('key with space'),
  key('key:colon'),
  key('key%2Bpercent'),
  key('key+plus'),
  key('constructor'),
  key('ünicode'),
  key('x'.repeat(257)),
  key('key_unknown_product', { products: ['gone'] }),
  key('key_throwing'),
]

/** All clients of a stand. */
export function clientsOf(hasHostRegistry: boolean): readonly TestClient[] {
  return hasHostRegistry ? [...COMMON, ...ODD] : COMMON
}

const REDIRECT_URIS = ['https://app.example/callback']

/** Creates the clients in the store of a gatehouse. */
export async function createInStore({ apiKeys, applications, audit }: Gatehouse): Promise<void> {
  for (const client of COMMON) {
    const { clientId, accountId, userId, secret } = client
    const service = client.kind === 'apiKey' ? apiKeys : applications
    // A client is created with a product. A client without products has lost its product later.
    const products = client.products.length === 0 ? ['invoices'] : [...client.products]
    const fields = { clientId, accountId, userId, products, name: clientId, secretHash: hashSecret(secret) }
    if (client.kind === 'apiKey') await apiKeys.create(fields)
    else await applications.create({ ...fields, redirectUris: REDIRECT_URIS })
    if (client.products.length === 0) await service.removeProduct(clientId, 'invoices')
    for (const scope of client.removedOperations ?? []) await service.removeOperation(clientId, scope)
    if (client.disabled) await service.disable(clientId)
  }
  // This waits until the clients are written in full.
  await audit.list()
}

/** The registry of a host that has all clients. `note` receives each call. */
export function hostRegistry(note: (call: readonly unknown[]) => void) {
  const rows = new Map(clientsOf(true).map((client) => [client.clientId, client]))
  return {
    async find(clientId: string) {
      note(['registry.find', clientId])
      if (clientId === 'key_throwing') throw new Error('the database of the host is down')
      const row = rows.get(clientId)
      return row && ({ ...row, name: clientId, redirectUris: REDIRECT_URIS } as unknown as HostClient)
    },
    verifySecret(client: HostClient, secret: string) {
      note(['registry.verifySecret', client.clientId, secret])
      return rows.get(client.clientId)?.secret === secret
    },
  }
}
