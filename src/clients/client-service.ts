import { callLimitsRule } from './call-limits.ts'
import type { Client } from './client.ts'
import {
  addProduct,
  lostProducts,
  productsRule,
  removeOperation,
  removeProduct,
  restoreOperation,
  setProducts,
} from './client-products.ts'
import { checkChange } from '../host/change-options.ts'
import type { ClientService, DisabledBy } from './client-service-types.ts'
import { type ClientRepository, findClient, listClients, notFound } from './client-repository.ts'
import { presentClient } from './last-used.ts'
import { type Change, changeRecord, deleteClient } from './store-change.ts'
import { listOfOwner } from './list-order-and-filters.ts'
import { handOver } from './hand-over.ts'
import { whyNoToken } from './why-no-token.ts'
import {
  checkInput,
  type Fields,
  hostIdRule,
  nullable,
  oneOf,
  optional,
  textRule,
  uniqueListOf,
} from '../validation/rules.ts'
import { createKeyMethods } from './client-keys.ts'
import { createSecretMethods } from './client-secrets.ts'
import { fieldsSetter, ofClient } from './set-fields.ts'
import { GatehouseError } from '../errors.ts'

const DISABLE_RULES: Fields = { by: optional(oneOf('owner', 'operator')) }

/** Disables clients, and enables those of no operator; which changes revoke tokens; no client of another account. */
export function createClientService<C extends Client>(
  clients: ClientRepository<C>,
): Omit<ClientService<C, string, string>, 'update'> {
  const { catalog, otherScopes } = clients
  const change = async (what: Change<C>, apply: (client: C) => C | undefined) =>
    presentClient(clients, await changeRecord(clients, what, ofClient(apply)))
  /** Also revokes the tokens issued so far. */
  const changeAndRevoke = (what: Change<C>, apply: (client: C) => C | undefined) =>
    change({ revokes: () => true, ...what }, apply)

  const setLimits = fieldsSetter(clients, { limits: nullable(callLimitsRule) })

  return {
    find: (clientId) => findClient(clients, clientId),
    async findOwn(accountId, clientId) {
      const client = await findClient(clients, clientId)
      if (client?.accountId !== accountId) throw notFound(clients, clientId)
      return client
    },
    list: async (options = {}) => listClients(clients, options),
    async listByOwner(accountId, options = {}) {
      checkInput('the clients cannot be listed', { accountId }, { accountId: hostIdRule })
      return listOfOwner(clients, accountId, options)
    },

    async setProducts(clientId, products, options) {
      checkInput('the products cannot be set', { products }, { products: productsRule(catalog.current) })
      const revokes = (before: C) => lostProducts(before, products).length > 0
      return change({ clientId, name: 'products', options, revokes }, (client) =>
        setProducts(client, products, catalog.current, otherScopes),
      )
    },
    async addProduct(clientId, product, options = {}) {
      checkChange('product.added', options, { removedOperations: optional(uniqueListOf(textRule)) })
      const { removedOperations, ...others } = options
      return change({ clientId, name: 'product.added', target: product, options: others }, (client) =>
        addProduct(client, product, catalog.current, { otherScopes, removedOperations }),
      )
    },
    removeProduct: (clientId, product, options) =>
      changeAndRevoke({ clientId, name: 'product.removed', target: product, options }, (client) =>
        removeProduct(client, product, catalog.current),
      ),
    removeOperation: (clientId, scope, options) =>
      changeAndRevoke({ clientId, name: 'operation.removed', target: scope, options }, (client) =>
        removeOperation(client, scope, catalog.current),
      ),
    restoreOperation: (clientId, scope, options) =>
      change({ clientId, name: 'operation.restored', target: scope, options }, (client) =>
        restoreOperation(client, scope, catalog.current, otherScopes),
      ),

    ...createSecretMethods(clients),
    ...createKeyMethods(clients),

    async disable(clientId, options = {}) {
      checkChange('disabled', options, DISABLE_RULES)
      const { by = 'owner', ...others } = options
      return changeAndRevoke({ clientId, name: 'disabled', options: others }, (client) => disable(client, by))
    },
    async enable(clientId, options = {}) {
      checkChange('enabled', options, DISABLE_RULES)
      const { by = 'owner', ...others } = options
      return change({ clientId, name: 'enabled', options: others }, (client) => enable(client, by))
    },
    async whyNoToken(clientId) {
      const client = await findClient(clients, clientId)
      if (!client) throw notFound(clients, clientId)
      return whyNoToken(catalog.current, client, await clients.accounts.find(client.accountId, client.userId))
    },
    setLimits: (clientId, limits, options) => setLimits(clientId, { limits }, options),
    handOver: (clientId, userId, options) => handOver(clients, clientId, userId, options),
    delete: (clientId, options) => deleteClient(clients, clientId, options),
  }
}

/** The client after it was disabled. After an operator, a call by the owner changes nothing. */
function disable<C extends Client>(client: C, by: DisabledBy): C | undefined {
  if (by === 'owner') return client.disabled ? undefined : { ...client, disabled: true }
  const isDone = client.disabled && client.disabledBy === 'operator'
  return isDone ? undefined : { ...client, disabled: true, disabledBy: 'operator' }
}

/** The client after it was enabled. @throws {GatehouseError} `ERR_DISABLED_BY_OPERATOR` */
function enable<C extends Client>(client: C, by: DisabledBy): C | undefined {
  if (!client.disabled) return undefined
  if (client.disabledBy === 'operator' && by !== 'operator') {
    const message = 'an operator disabled this client, so only an operator may enable it'
    throw new GatehouseError('ERR_DISABLED_BY_OPERATOR', message)
  }
  const { disabledBy: _, ...others } = client
  return { ...others, disabled: false } as C
}
