import type { CurrentCatalog } from '../catalog/catalog.ts'
import { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import type { ListOptions } from '../store/time-index.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import type { Revocations } from '../revocation/revoke-tokens.ts'
import type { Client } from './client.ts'
import { isClientId } from './client-id.ts'
import { createClientIndex, type ClientPage } from './client-index.ts'
import { clientNotFound } from './client-not-found.ts'
import { clientRecords, type ClientChanged, type ClientRecord } from './client-record.ts'
import type { ChangeOptions } from './client-service-types.ts'
import { checkInput } from '../validation/check-input.ts'
import { type Fields, hostIdRule, optional, type Rule } from '../validation/rules.ts'
import type { StoredSecret } from './secrets.ts'
import { revocationsOf } from './access-epoch.ts'
import type { Usage } from './last-used.ts'

/** What the services of API keys and applications stand on. */
export interface ClientsDependencies {
  readonly store: Store
  readonly catalog: CurrentCatalog
  readonly events: EventSink
  readonly usage: Usage
  /** Where tokens are revoked by changes that take something away. */
  readonly revocations: Pick<Revocations, 'revokeWith'>
  /** Told of each change, so that no process goes by what the client was before. */
  readonly clientChanged: ClientChanged
  readonly logger: Logger
  /** Bytes of the space-delimited `scope` that a token may carry. */
  readonly maxScopeBytes: number
}

/** One change, as events and errors name it. */
export interface Change {
  readonly clientId: string
  /** `change` of the event `client.changed`. */
  readonly name: string
  /** What was added, removed, …: the product or the scope. */
  readonly target?: string | undefined
  /** What the caller handed over besides, to be checked. */
  readonly options: ChangeOptions | undefined
  /** Whether it takes something away, so that tokens from before are revoked with it. */
  readonly takes?: boolean | undefined
  /** The event that reports it, without `name` and `target`. @default `client.changed`, with both */
  readonly event?: 'client.compromised' | undefined
}

/** The clients of one kind: the records, their lists and their events, without what changes mean. */
export interface Clients<C extends Client> {
  find(clientId: string): Promise<C | undefined>
  /** Without those whose records cannot be read, of which the log tells. */
  page(accountId: string | undefined, options: ListOptions): Promise<ClientPage<C>>
  /** @throws {GatehouseError} `ERR_NOT_FOUND` */
  require(clientId: string): Promise<ClientRecord<C>>
  /** @throws {GatehouseError} `ERR_CONFLICT` if the client id is taken, or was before */
  insert(client: C, secrets: readonly StoredSecret[], actor: string | undefined): Promise<C>
  /**
   * Changes the record so that concurrent changes lose nothing. One that takes something away takes the tokens back
   * too, even if it is in force already: the time before may have failed half-way.
   *
   * @param apply pure; answers undefined where nothing is to change
   * @throws {GatehouseError} `ERR_NOT_FOUND`, and what `apply` throws
   */
  change(
    change: Change,
    apply: (record: ClientRecord<C>) => ClientRecord<C> | undefined,
  ): Promise<ClientRecord<C>>
  /** The client as the public sees it: with the hour when it was last used. */
  present(record: ClientRecord<C>): Promise<C>
  /**
   * Deletes it and takes its tokens back, for good; its client id stays taken.
   *
   * @throws {GatehouseError} `ERR_NOT_FOUND`
   */
  delete(clientId: string, options: ChangeOptions | undefined): Promise<void>
}

/** @param kind the one kind that these clients are; those of the other kind do not exist here */
export function createClients<C extends Client>(
  kind: C['kind'],
  { store, events, usage, revocations, clientChanged, logger }: ClientsDependencies,
): Clients<C> {
  const records = clientRecords<C>(store, clientChanged)
  const index = createClientIndex<C>({ store, kind, load: (clientIds) => presented(clientIds) })

  let lastListedAt = 0

  async function read(clientId: string): Promise<ClientRecord<C> | undefined> {
    if (!isClientId(clientId)) return undefined
    const record = await records.get(clientId)
    return record?.client.kind === kind ? record : undefined
  }

  /** Records as the public sees their clients; both are read at the same time. */
  async function presented(
    clientIds: readonly string[],
  ): Promise<(ClientRecord<C> | CorruptRecord | undefined)[]> {
    const [found, lastUsed] = await Promise.all([records.getEach(clientIds), usage.lastUsed(clientIds)])
    return found.map((record, at) =>
      record === undefined || record instanceof CorruptRecord
        ? record
        : { ...record, client: withLastUse(record.client, lastUsed[at]) },
    )
  }

  async function present({ client }: ClientRecord<C>): Promise<C> {
    const [lastUsedAt] = await usage.lastUsed([client.clientId])
    return withLastUse(client, lastUsedAt)
  }

  async function require(clientId: string): Promise<ClientRecord<C>> {
    const record = await read(clientId)
    if (!record) throw notFound(kind, clientId)
    return record
  }

  function requireKind(found: Client['kind'], clientId: string): void {
    if (found !== kind) throw notFound(kind, clientId)
  }

  async function write(
    { clientId, name, target, options, event }: Change,
    apply: Parameters<Clients<C>['change']>[1],
  ) {
    let changed = false
    const record = await records.update(clientId, (stored) => {
      requireKind(stored.client.kind, clientId)
      const next = apply(stored)
      changed = next !== undefined
      return next
    })
    if (!record) throw notFound(kind, clientId)
    if (changed) {
      const told = { kind, clientId, accountId: record.client.accountId, actor: options?.actor }
      if (event) events.emit(event, told)
      else events.emit('client.changed', { ...told, change: name, target })
    }
    return record
  }

  return {
    require,
    present,

    async find(clientId) {
      if (!isClientId(clientId)) return undefined
      const [record] = await presented([clientId])
      if (record instanceof CorruptRecord) throw record.error
      return record?.client.kind === kind ? record.client : undefined
    },

    async page(accountId, options) {
      const { items, corrupt, cursor } = await index.page(accountId, options)
      for (const { key, error } of corrupt) {
        logger.error({ err: error, key }, 'a list omits an API key or application whose record is corrupt')
      }
      return { items: items.map(({ client }) => client), cursor }
    },

    async insert(client, secrets, actor) {
      const { clientId, accountId } = client
      // Whoever creates two one after the other finds them listed in that order.
      lastListedAt = Math.max(Date.now(), lastListedAt + 1)
      const record = { client, secrets, listedAt: lastListedAt }
      await index.add(record)
      if (!(await records.create(clientId, record))) {
        // Created in the same millisecond, the holder of the id has some of the same entries: those stay.
        const holder = await records.get(clientId)
        await index.remove(record, holder)
        throw taken(clientId, holder)
      }
      events.emit('client.created', { kind, clientId, accountId, actor })
      return client
    },

    async change(change, apply) {
      const { clientId } = change
      checkChange(change.name, change.options)
      if (!isClientId(clientId)) throw notFound(kind, clientId)
      if (!change.takes) return write(change, apply)
      return revocations.revokeWith({ of: 'client', id: clientId }, async () => {
        const record = await write(change, apply)
        return { result: record, revoked: revocationsOf(clientId, record), actor: change.options?.actor }
      })
    },

    async delete(clientId, options) {
      checkChange('delete', options)
      if (!isClientId(clientId)) throw notFound(kind, clientId)
      const actor = options?.actor
      const record = await revocations.revokeWith({ of: 'client', id: clientId }, async () => {
        const found = await records.delete(clientId, (it) => requireKind(it, clientId), Date.now())
        if (found) {
          events.emit('client.deleted', { kind, clientId, accountId: found.client.accountId, actor })
        }
        // Those of one that was deleted before too: that may have failed half-way.
        const isGone = found !== undefined || (await records.deletedKind(clientId)) === kind
        return { result: found, revoked: isGone ? revocationsOf(clientId, undefined) : [], actor }
      })
      if (!record) throw notFound(kind, clientId)
      // It is gone; what is left is skipped by readers, and no reason to say that deleting failed.
      await Promise.all([index.remove(record), usage.forget(clientId)]).catch((error: unknown) => {
        logger.warn({ clientId, error }, 'a deleted client left entries behind, which will be skipped')
      })
    },
  }
}

/**
 * Checks the options of a change.
 *
 * @param others rules of options beside `actor`
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`
 */
export function checkChange(name: string, options: object | undefined, others: Fields = {}): void {
  if (options !== undefined) checkInput(`invalid options (${name})`, options, { ...others, actor: actorRule })
}

/** Who does something. */
export const actorRule: Rule = optional(hostIdRule)

function taken(clientId: string, holder: ClientRecord | undefined): GatehouseError {
  const why = holder
    ? 'is taken'
    : 'belonged to a client that was deleted, and is not given to another one; choose a new one'
  return new GatehouseError('ERR_CONFLICT', `the client id "${clientId}" ${why}`)
}

function notFound(kind: Client['kind'], clientId: string): GatehouseError {
  return clientNotFound(kind === 'apiKey' ? 'API key' : 'application', clientId)
}

/** The last use is rounded down to the hour, so it may lie before the creation. */
function withLastUse<C extends Client>(client: C, lastUsedAt: number | undefined): C {
  return lastUsedAt === undefined ? client : { ...client, lastUsedAt: Math.max(lastUsedAt, client.createdAt) }
}
