import { isDeepStrictEqual } from 'node:util'
import type { Client } from './client.ts'
import {
  addProduct,
  lostProducts,
  removeOperation,
  removeProduct,
  restoreOperation,
  setProducts,
} from './client-products.ts'
import { productsRule } from './create-client.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import type { ClientService } from './client-service-types.ts'
import {
  changeRecord,
  findClient,
  listClients,
  notFound,
  presentClient,
  type ApplyChange,
  type Change,
  type ClientRepository,
} from './client-repository.ts'
import { deleteClient, removeAccess } from './remove-access.ts'
import { checkInput, type Fields, hostIdRule } from '../validation/rules.ts'
import { createSecretMethods } from './client-secrets.ts'

/** The methods that API keys and applications have in common. */
export function createClientService<C extends Client>(
  clients: ClientRepository<C>,
): Omit<ClientService<C, string, string>, 'update'> {
  const { catalog, otherScopes } = clients
  /** Makes a change that does not remove access. */
  const change = async (what: Change, apply: (client: C) => C | undefined) =>
    presentClient(clients, await changeRecord(clients, what, ofClient(apply)))
  /** Makes a change that also revokes the tokens issued so far; see `removeAccess`. */
  const changeAndRevoke = async (
    what: Change,
    apply: (client: C) => C | undefined,
    isRemoval?: (before: C) => boolean,
  ) => presentClient(clients, await removeAccess(clients, what, ofClient(apply), isRemoval))

  return {
    find: (clientId) => findClient(clients, clientId),
    async findOwn(accountId, clientId) {
      const client = await findClient(clients, clientId)
      if (client?.accountId !== accountId) throw notFound(clients, clientId)
      return client
    },
    list: async (options = {}) => listClients(clients, undefined, options),
    async listByOwner(accountId, options = {}) {
      checkInput('the clients cannot be listed', { accountId }, { accountId: hostIdRule })
      return listClients(clients, accountId, options)
    },

    async setProducts(clientId, products, options) {
      checkInput('the products cannot be set', { products }, { products: productsRule(catalog.current) })
      return changeAndRevoke(
        { clientId, name: 'products', options },
        (client) => setProducts(client, products, catalog.current, otherScopes),
        (before) => lostProducts(before, products).length > 0,
      )
    },
    addProduct: (clientId, product, options) =>
      change({ clientId, name: 'product.added', target: product, options }, (client) =>
        addProduct(client, product, catalog.current, otherScopes),
      ),
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

    disable: (clientId, options) =>
      changeAndRevoke({ clientId, name: 'disabled', options }, (client) =>
        client.disabled ? undefined : { ...client, disabled: true },
      ),
    enable: (clientId, options) =>
      change({ clientId, name: 'enabled', options }, (client) =>
        client.disabled ? { ...client, disabled: false } : undefined,
      ),
    delete: (clientId, options) => deleteClient(clients, clientId, options),
  }
}

/**
 * Creates a method that sets fields in one change. A field that is undefined stays as it is, and null removes an
 * optional field.
 *
 * @param rules the rules of all fields that may be set
 * @param check throws if a change of a client is not allowed
 */
export function fieldsSetter<C extends Client>(
  clients: ClientRepository<C>,
  rules: Fields,
  check: (changed: C, before: C) => void = () => {},
) {
  return async (clientId: string, fields: object, options?: ChangeOptions): Promise<C> => {
    checkInput('the client cannot be changed', fields, rules)
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    const values = given.map(([name, value]) => [
      name,
      value === null ? undefined : typeof value === 'string' ? value.trim() : (value as unknown),
    ])
    const set = (client: C): C | undefined => {
      const changed = { ...client, ...(Object.fromEntries(values) as Partial<C>) }
      if (isDeepStrictEqual(encoded(changed), encoded(client))) return undefined
      check(changed, client)
      return changed
    }
    const name = given.map(([field]) => field).join(',')
    return presentClient(clients, await changeRecord(clients, { clientId, name, options }, ofClient(set)))
  }
}

/** The client as it is stored, without fields that are undefined. */
function encoded(client: Client): unknown {
  return JSON.parse(JSON.stringify(client))
}

/** Converts a change of a client into a change of its record. */
function ofClient<C extends Client>(apply: (client: C) => C | undefined): ApplyChange<C> {
  return (record) => {
    const client = apply(record.client)
    return client && { ...record, client }
  }
}
