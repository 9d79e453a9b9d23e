import type { Gatehouse } from '../../../src/gatehouse/gatehouse.ts'
import { hashSecret } from '../../../src/clients/stored-secrets.ts'

/** A client of both hosts. */
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

/** Clients that the store can hold. */
const STORED: readonly TestClient[] = [
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

/** Ids that no client can have. */
const ODD: readonly TestClient[] = [
  key('key with space'),
  key('key:colon'),
  key('key%2Bpercent'),
  key('key+plus'),
  key('constructor'),
  key('ünicode'),
  key('x'.repeat(257)),
]

/** All clients that requests name. */
export const CLIENTS: readonly TestClient[] = [...STORED, ...ODD]

const REDIRECT_URIS = ['https://app.example/callback']

/** Creates the clients in the store of a gatehouse. */
export async function createInStore({ apiKeys, applications, audit }: Gatehouse): Promise<void> {
  for (const client of STORED) {
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
