import type { Client } from './client.ts'
import {
  addProduct,
  removeOperation,
  removeProduct,
  restoreOperation,
  type ScopeLimit,
} from './client-products.ts'
import type { ClientRecord } from './client-record.ts'
import type { ChangeOptions, ClientService } from './client-service-types.ts'
import { checkChange, type Clients, type ClientsDependencies } from './client-repository.ts'
import { checkInput } from '../validation/check-input.ts'
import { hostIdRule, nameRule, type Rule } from '../validation/rules.ts'
import { revokeSecret, rotateSecret } from './secret-rotation.ts'
import { hashSecret, isLive, newSecret } from './secrets.ts'
import { bumpEpoch } from './access-epoch.ts'

const DAY = 86_400

/** Everything that API keys and applications can be asked in the same way. */
export function createClientService<C extends Client>(
  clients: Clients<C>,
  { catalog }: ClientsDependencies,
  limit: ScopeLimit,
): ClientService<C, string, string> {
  /** A change of the client itself. */
  async function change(
    clientId: string,
    name: string,
    options: ChangeOptions | undefined,
    apply: (client: C) => C | undefined,
    target?: string,
  ): Promise<C> {
    const changed = await clients.change({ clientId, name, target, options }, (record) => {
      const client = apply(record.client)
      return client && { ...record, client }
    })
    return clients.present(changed)
  }

  /** A change that takes something away from the client, and with it all tokens from before. */
  async function take(
    clientId: string,
    name: string,
    options: ChangeOptions | undefined,
    apply: (client: C) => C | undefined,
    target?: string,
  ): Promise<C> {
    const changed = await clients.change({ clientId, name, target, options, takes: true }, (record) => {
      const client = apply(record.client)
      return client && bumpEpoch({ ...record, client })
    })
    return clients.present(changed)
  }

  return {
    find: (clientId) => clients.find(clientId),
    list: async (options = {}) => clients.page(undefined, options),
    async listByOwner(accountId, options = {}) {
      checkInput('the clients cannot be listed', { accountId }, { accountId: hostIdRule })
      return clients.page(accountId, options)
    },

    async rename(clientId, newName, options) {
      checkInput('it cannot be renamed', { name: newName }, { name: nameRule })
      const name = newName.trim()
      return change(clientId, 'name', options, (client) =>
        client.name === name ? undefined : { ...client, name },
      )
    },

    addProduct: (clientId, product, options) =>
      change(
        clientId,
        'product.added',
        options,
        (client) => addProduct(client, product, catalog.current, limit),
        product,
      ),
    removeProduct: (clientId, product, options) =>
      take(
        clientId,
        'product.removed',
        options,
        (client) => removeProduct(client, product, catalog.current),
        product,
      ),
    removeOperation: (clientId, scope, options) =>
      take(
        clientId,
        'operation.removed',
        options,
        (client) => removeOperation(client, scope, catalog.current),
        scope,
      ),
    restoreOperation: (clientId, scope, options) =>
      change(
        clientId,
        'operation.restored',
        options,
        (client) => restoreOperation(client, scope, catalog.current, limit),
        scope,
      ),

    async rotateSecret(clientId, options = {}) {
      checkChange('secret.rotated', options, { overlapSeconds: overlapRule })
      const { overlapSeconds = DAY, actor } = options
      const clientSecret = newSecret()
      const hash = hashSecret(clientSecret)
      const { secrets } = await clients.change(
        { clientId, name: 'secret.rotated', options: { actor } },
        (record) => ({
          ...record,
          secrets: rotateSecret(record.secrets, { hash, now: Date.now(), overlapSeconds }),
        }),
      )
      return { clientSecret, oldSecretExpiresAt: secrets[1]?.expiresAt }
    },

    async revokeSecret(clientId, which, options) {
      checkInput('the secret cannot be revoked', { which }, { which: secretAgeRule })
      const record = await clients.change(
        { clientId, name: 'secret.revoked', target: which, options },
        (found): ClientRecord<C> | undefined => {
          const secrets = revokeSecret(found.secrets, which, Date.now())
          return secrets && { ...found, secrets }
        },
      )
      return clients.present(record)
    },

    async listSecrets(clientId) {
      const { secrets } = await clients.require(clientId)
      return secrets
        .filter((secret) => isLive(secret, Date.now()))
        .map(({ createdAt, expiresAt }) => ({ createdAt, expiresAt }))
    },

    async reportCompromised(clientId, options) {
      await clients.change(
        { clientId, name: 'compromised', options, takes: true, event: 'client.compromised' },
        (record) => (record.secrets.length === 0 ? undefined : bumpEpoch({ ...record, secrets: [] })),
      )
    },

    disable: (clientId, options) =>
      take(clientId, 'disabled', options, (client) =>
        client.disabled ? undefined : { ...client, disabled: true },
      ),
    enable: (clientId, options) =>
      change(clientId, 'enabled', options, (client) =>
        client.disabled ? { ...client, disabled: false } : undefined,
      ),
    delete: (clientId, options) => clients.delete(clientId, options),
  }
}

const overlapRule: Rule = (value) =>
  value === undefined || (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 90 * DAY)
    ? undefined
    : `must be a whole number of seconds from 0 to ${90 * DAY} (90 days)`

const secretAgeRule: Rule = (value) =>
  value === 'old' || value === 'new' ? undefined : 'must be "old" or "new"'
