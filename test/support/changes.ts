import type { ClientRecord } from '../../src/clients/client-record.ts'
import type { ApiKey, Application } from '../../src/clients/client.ts'
import { hashSecret } from '../../src/clients/stored-secrets.ts'
import type { services } from '../clients/setup.ts'

type Services = Pick<ReturnType<typeof services>, 'apiKeys' | 'applications' | 'clientTokens'>
type Fields = Omit<ApiKey, 'kind'> & Omit<Application, 'kind'>
type Stored = { readonly client: Fields; readonly secrets: ClientRecord['secrets'] } | undefined

/** One change of a client, or its creation. */
export interface ClientChange {
  readonly name: string
  /** @default an API key */
  readonly ofApplication?: true
  /** Whether it creates a client, of which there is none before. */
  readonly creates?: true
  /** Whether the tokens that the client has are revoked. */
  readonly revokes?: true
  make(services: Services, clientId: string): Promise<unknown>
  /** Whether the stored client was changed. It is undefined after its deletion, and before its creation. */
  isMade(stored: Stored): boolean
}

/** Who makes the changes. No other entry of the trail has this actor. */
export const ACTOR = 'acme/ann'

const actor = { actor: ACTOR }
const owner = { accountId: 'acme', products: ['invoices', 'payments'] }
const CALLBACK = 'https://app.example/callback'
const TOMORROW = Math.floor(Date.now() / 1000) + 86_400
const [BEFORE, AFTER] = ['Old name', 'New name']

/** What a client is before the change. */
export const FIRST = {
  apiKey: { ...owner, name: BEFORE, expiresAt: 4_000_000_000 },
  application: { ...owner, name: BEFORE, redirectUris: [CALLBACK] },
}

const SECRET_HASH = hashSecret('a secret that the client has already')

export const CLIENT_CHANGES: readonly ClientChange[] = [
  {
    name: 'create an API key',
    creates: true,
    make: ({ apiKeys }) => apiKeys.create({ ...owner, name: AFTER, createdBy: 'ann', ...actor }),
    isMade: (stored) => stored?.client.name === AFTER,
  },
  {
    name: 'create an application',
    creates: true,
    ofApplication: true,
    make: ({ applications }) =>
      applications.create({ ...owner, name: AFTER, redirectUris: [CALLBACK], ...actor }),
    isMade: (stored) => stored?.client.name === AFTER,
  },
  {
    name: 'rename',
    make: ({ apiKeys }, id) => apiKeys.update(id, { name: AFTER }, actor),
    isMade: (stored) => stored?.client.name === AFTER,
  },
  {
    name: 'change the allowed addresses',
    revokes: true,
    make: ({ apiKeys }, id) => apiKeys.update(id, { allowedAddresses: ['192.0.2.1'] }, actor),
    isMade: (stored) => stored?.client.allowedAddresses?.length === 1,
  },
  {
    name: 'set an earlier expiry',
    revokes: true,
    make: ({ apiKeys }, id) => apiKeys.update(id, { expiresAt: TOMORROW }, actor),
    isMade: (stored) => stored?.client.expiresAt === TOMORROW,
  },
  {
    name: 'set limits',
    make: ({ apiKeys }, id) => apiKeys.setLimits(id, { perMinute: 10 }, actor),
    isMade: (stored) => stored?.client.limits !== undefined,
  },
  {
    name: 'change the redirect URIs',
    ofApplication: true,
    make: ({ applications }, id) => applications.update(id, { redirectUris: [`${CALLBACK}/2`] }, actor),
    isMade: (stored) => stored?.client.redirectUris[0] === `${CALLBACK}/2`,
  },
  {
    name: 'hand over',
    revokes: true,
    make: ({ apiKeys }, id) => apiKeys.handOver(id, 'ann', actor),
    isMade: (stored) => stored?.client.userId === 'ann',
  },
  {
    name: 'remove an operation',
    revokes: true,
    make: ({ apiKeys }, id) => apiKeys.removeOperation(id, 'invoices:create', actor),
    isMade: (stored) => stored?.client.removedOperations.length === 1,
  },
  {
    name: 'remove a product',
    revokes: true,
    make: ({ apiKeys }, id) => apiKeys.removeProduct(id, 'payments', actor),
    isMade: (stored) => stored?.client.products.length === 1,
  },
  {
    name: 'add a product',
    make: ({ apiKeys }, id) => apiKeys.addProduct(id, 'reports', actor),
    isMade: (stored) => stored?.client.products.length === 3,
  },
  {
    name: 'rotate the secret',
    make: ({ apiKeys }, id) => apiKeys.rotateSecret(id, { shownTo: 'ann', ...actor }),
    isMade: (stored) => stored?.secrets.length === 2,
  },
  {
    name: 'set a secret that exists',
    make: ({ apiKeys }, id) => apiKeys.setSecretHash(id, SECRET_HASH, actor),
    isMade: (stored) => stored?.secrets[0]?.hash === SECRET_HASH,
  },
  {
    name: 'disable',
    revokes: true,
    make: ({ apiKeys }, id) => apiKeys.disable(id, actor),
    isMade: (stored) => stored?.client.disabled === true,
  },
  {
    name: 'revoke the tokens',
    revokes: true,
    make: ({ clientTokens }, id) => clientTokens.revokeAll(id, actor),
    isMade: (stored) => stored?.client.epoch === 1,
  },
  {
    name: 'report the secret as leaked',
    revokes: true,
    make: ({ apiKeys }, id) => apiKeys.reportCompromised(id, actor),
    isMade: (stored) => stored?.secrets.length === 0,
  },
  {
    name: 'delete',
    revokes: true,
    make: ({ apiKeys }, id) => apiKeys.delete(id, actor),
    isMade: (stored) => stored === undefined,
  },
]
