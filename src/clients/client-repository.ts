import type { CurrentCatalog } from '../catalog/catalog.ts'
import type { GatehouseError } from '../errors.ts'
import type { Commits } from '../commit/commit.ts'
import type { EventSink } from '../host/events.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { eachPage, type ListOptions } from '../store/time-index.ts'
import { PAGE_LIMIT } from '../validation/page-limit.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import type { Client } from './client.ts'
import type { LoadPublicKeys } from './public-keys.ts'
import { clientNotFound, isClientId } from './client-id.ts'
import { createClientLists } from './client-index.ts'
import { type ClientChanged, type ClientRecord, clientRecords } from './client-record.ts'
import type { KeyPolicy, TokenLifetimes } from './expiry-policy.ts'
import type { Idempotency } from './idempotency.ts'
import { readWithLastUse, type LastUses } from './last-used.ts'
import { createSecretOwners } from './secret-owners.ts'

export interface ClientsDependencies extends TokenLifetimes {
  readonly store: Store
  readonly catalog: CurrentCatalog
  readonly accounts: Pick<HostAccounts, 'find'>
  readonly events: EventSink
  readonly lastUses: LastUses
  /** The last uses of secrets, by their hashes. */
  readonly secretUses: LastUses
  readonly secretPrefix: string
  readonly commits: Pick<Commits, 'commit'>
  /** Called after each change, so that every process deletes the client from its cache. */
  readonly clientChanged: ClientChanged
  readonly logger: Logger
  readonly maxClientsPerAccount: number
  readonly keyPolicy: KeyPolicy
  readonly idempotency: Idempotency
  /** Undefined without the option `privateKeyJwt`. */
  readonly loadPublicKeys: LoadPublicKeys | undefined
}

/** Reads API keys, or applications. @param otherScopes what tokens carry beside operations: the OpenID scopes */
export function createClientRepository<C extends Client>(
  kind: C['kind'],
  dependencies: ClientsDependencies,
  otherScopes: readonly string[],
) {
  const { store, lastUses, clientChanged } = dependencies
  const records = clientRecords<C>(store, clientChanged)
  const load = (clientIds: readonly string[]) => readWithLastUse(records, lastUses, clientIds)
  return {
    ...dependencies,
    kind,
    otherScopes,
    records,
    /** Each listed client has the time of its last use. */
    index: createClientLists<C>(store, load),
    secretOwners: createSecretOwners(store),
    /** Of the client that this process created last, in milliseconds. */
    lastListedAt: 0,
  }
}

/** A client of the other kind counts as absent. */
export type ClientRepository<C extends Client> = ReturnType<typeof createClientRepository<C>>

export async function findClient<C extends Client>(
  { kind, records, lastUses }: ClientRepository<C>,
  clientId: string,
): Promise<C | undefined> {
  if (!isClientId(clientId)) return undefined
  const [record] = await readWithLastUse(records, lastUses, [clientId])
  if (record instanceof CorruptRecord) throw record.error
  return record?.client.kind === kind ? record.client : undefined
}

export async function listClients<C extends Client>(clients: ClientRepository<C>, options: ListOptions) {
  const { items, cursor } = await readRecords(clients, undefined, options)
  return { items: items.map(({ client }) => client), cursor }
}

/** Without corrupt records, which are logged. */
export async function recordsOfOwner<C extends Client>(clients: ClientRepository<C>, accountId: string) {
  const records: ClientRecord<C>[] = []
  const limit = PAGE_LIMIT.max
  for await (const { items } of eachPage((cursor) => readRecords(clients, accountId, { cursor, limit })))
    records.push(...items)
  return records
}

async function readRecords<C extends Client>(
  { kind, index, logger }: ClientRepository<C>,
  accountId: string | undefined,
  options: ListOptions,
) {
  const page = await index.page(kind, accountId, options)
  for (const { key, error } of page.corrupt) {
    logger.error({ err: error, key }, 'a list omits an API key or application whose record is corrupt')
  }
  return page
}

/** @throws {GatehouseError} `ERR_NOT_FOUND` */
export async function requireRecord<C extends Client>(clients: ClientRepository<C>, clientId: string) {
  requireClientId(clients, clientId)
  const record = await clients.records.get(clientId)
  if (record?.client.kind !== clients.kind) throw notFound(clients, clientId)
  return record
}

export function requireClientId(clients: Pick<ClientRepository<Client>, 'kind'>, clientId: string): void {
  if (!isClientId(clientId)) throw notFound(clients, clientId)
}

export function notFound({ kind }: Pick<ClientRepository<Client>, 'kind'>, clientId: string): GatehouseError {
  return clientNotFound(clientId, kind === 'apiKey' ? 'API key' : 'application')
}
