import { isDeepStrictEqual } from 'node:util'
import { changesAddresses } from './allowed-addresses.ts'
import { callLimitsRule } from './call-limits.ts'
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
import { checkChange, type ChangeOptions } from '../host/change-options.ts'
import type { ClientService } from './client-service-types.ts'
import {
  changeRecord,
  findClient,
  listClients,
  notFound,
  presentClient,
  requireRecord,
  type ApplyChange,
  type Change,
  type ClientRepository,
} from './client-repository.ts'
import { deleteClient, removeAccess } from './remove-access.ts'
import { expiryEntriesOf, timeText, withNewExpiry } from './expiry-notices.ts'
import { listOfOwner } from './owner-list.ts'
import { disable, enable } from './disable.ts'
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
import { addName, removeName } from './name-index.ts'
import type { ClientRecord } from './client-record.ts'
import { withOrigins } from './origin-index.ts'

const DISABLE_RULES: Fields = { by: optional(oneOf('owner', 'operator')) }

/** The methods that API keys and applications have in common. */
export function createClientService<C extends Client>(
  clients: ClientRepository<C>,
): Omit<ClientService<C, string, string>, 'update'> {
  const { catalog, otherScopes } = clients
  const change = async (what: Change, apply: (client: C) => C | undefined) =>
    presentClient(clients, await changeRecord(clients, what, ofClient(apply)))
  /** Also revokes the tokens issued so far. */
  const changeAndRevoke = async (
    what: Change,
    apply: (client: C) => C | undefined,
    isRemoval?: (before: C) => boolean,
  ) => presentClient(clients, await removeAccess(clients, what, ofClient(apply), isRemoval))

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
      return changeAndRevoke(
        { clientId, name: 'products', options },
        (client) => setProducts(client, products, catalog.current, otherScopes),
        (before) => lostProducts(before, products).length > 0,
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

/**
 * A field that is undefined stays as it is, and null removes an optional field.
 *
 * @param complete may replace the changed client; throws if the change is not allowed
 * @param nameOfChange @default the names of the given fields
 */
export function fieldsSetter<C extends Client>(
  clients: ClientRepository<C>,
  rules: Fields,
  complete: (changed: C, before: C) => C | void = () => {},
  nameOfChange?: string,
) {
  return async (clientId: string, fields: object, options?: ChangeOptions): Promise<C> => {
    checkInput('the client cannot be changed', fields, rules)
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    // An expiry that is set now does not come from `keyPolicy`.
    const byDefault = given.some(([name]) => name === 'expiresAt') ? [['expiresByDefault', null]] : []
    const values = [...given, ...byDefault].map(([name, value]) => [
      name,
      value === null ? undefined : typeof value === 'string' ? value.trim() : (value as unknown),
    ])
    const set = (client: C): C | undefined => {
      const filled = { ...client, ...(Object.fromEntries(values) as Partial<C>) }
      const changed = complete(filled, client) ?? filled
      return isDeepStrictEqual(encoded(changed), encoded(client)) ? undefined : changed
    }
    const name = nameOfChange ?? given.map(([field]) => field).join(',')
    const expiresAt = values.find(([field]) => field === 'expiresAt')?.[1]
    const target = typeof expiresAt === 'number' ? timeText(expiresAt) : undefined
    const what = { clientId, name, target, options }
    const apply = ofClient(set)
    const { allowedAddresses } = fields as Pick<C, 'allowedAddresses'>
    const isRemoval = (before: C) =>
      (typeof expiresAt === 'number' && expiresAt < (before.expiresAt ?? Infinity)) ||
      changesAddresses(before, allowedAddresses)
    const change = () => {
      if (typeof expiresAt === 'number') return changeExpiry(clients, what, { expiresAt, apply, isRemoval })
      if (allowedAddresses) return removeAccess(clients, what, apply, isRemoval)
      return changeRecord(clients, what, apply)
    }
    const newName = values.find(([field]) => field === 'name')?.[1]
    const changeNamed = () =>
      typeof newName === 'string' ? rename(clients, clientId, newName, change) : change()
    return presentClient(clients, await changeListed(clients, clientId, given, changeNamed))
  }
}

async function changeListed<C extends Client>(
  clients: ClientRepository<C>,
  clientId: string,
  given: readonly (readonly [field: string, value: unknown])[],
  change: () => Promise<ClientRecord<C>>,
): Promise<ClientRecord<C>> {
  const fields = given.filter(([field]) => field === 'redirectUris' || field === 'origins')
  if (fields.length === 0) return change()
  const { client } = await requireRecord(clients, clientId)
  const findClient = async () => (await clients.records.get(clientId))?.client
  return withOrigins(clients.store, client, Object.fromEntries(fields), { change, findClient })
}

/** If the client expires earlier than before, its tokens are revoked. */
async function changeExpiry<C extends Client>(
  clients: ClientRepository<C>,
  change: Change,
  {
    expiresAt,
    apply,
    isRemoval,
  }: { expiresAt: number; apply: ApplyChange<C>; isRemoval: (before: C) => boolean },
): Promise<ClientRecord<C>> {
  const { client } = await requireRecord(clients, change.clientId)
  const list = () =>
    Promise.all(expiryEntriesOf({ ...client, expiresAt }).map((entry) => clients.store.add(...entry)))
  await list()
  const record = await removeAccess(
    clients,
    change,
    (record) => {
      const changed = apply(record)
      return changed?.client.expiresAt === record.client.expiresAt
        ? changed
        : changed && withNewExpiry(changed)
    },
    isRemoval,
  )
  // Another process may have seen the entry before the change, and removed it. So the entry is added again.
  await list()
  return record
}

/** The new words are added before the change, so that the client can be found by its name at all times. */
async function rename<C extends Client>(
  clients: ClientRepository<C>,
  clientId: string,
  name: string,
  change: () => Promise<ClientRecord<C>>,
): Promise<ClientRecord<C>> {
  const { client: before } = await requireRecord(clients, clientId)
  if (before.name === name) return change()
  await addName(clients.store, clientId, name)
  try {
    return await change()
  } finally {
    // If this fails, outdated words stay in the index. The search skips such a client.
    await tidyNames(clients, clientId, [before.name, name]).catch(() => {})
  }
}

async function tidyNames<C extends Client>(
  { store, records }: ClientRepository<C>,
  clientId: string,
  names: readonly string[],
): Promise<void> {
  const nameNow = async () => (await records.get(clientId))?.client.name ?? ''
  const kept = await nameNow()
  for (const each of names) await removeName(store, clientId, each, kept)
  // A concurrent rename may have set a name whose words were just removed.
  await addName(store, clientId, await nameNow())
}

function encoded(client: Client): unknown {
  return JSON.parse(JSON.stringify(client))
}

function ofClient<C extends Client>(apply: (client: C) => C | undefined): ApplyChange<C> {
  return (record) => {
    const client = apply(record.client)
    return client && { ...record, client }
  }
}
