import { isDeepStrictEqual } from 'node:util'
import type { EntryFields } from '../audit/entry.ts'
import {
  type ChangeOptions,
  changeOptionsOf,
  checkChange,
  type RemovalOptions,
} from '../host/change-options.ts'
import type { EventOf } from '../host/events.ts'
import { bumpEpoch, revocationsOf } from './client-record.ts'
import type { Client } from './client.ts'
import { requireMatch, type ConditionalChange } from './client-etag.ts'
import {
  type ClientRecord,
  credentialsOf,
  isDeleted,
  kindOf,
  type ClientOrDeleted,
  tombstoneOf,
  withNewExpiry,
} from './client-record.ts'
import { notFound, requireClientId, type ClientRepository } from './client-repository.ts'
import { fieldsOf } from './rules-from-fields.ts'
import { addOwners, keepOwners, retireLostSecrets } from './secret-owners.ts'
import { valueOf } from '../validation/rules.ts'

export type Leak = Pick<EntryFields, 'leakSource' | 'leakUrl'>

export interface Change<C extends Client = Client> {
  readonly clientId: string
  /** The event `client.changed` has it as `change`; for `compromised`, `client.compromised` is emitted. */
  readonly name: string
  /** The product, the scope, or the secret. */
  readonly target?: string | undefined
  readonly leak?: Leak | undefined
  /** Whether the client loses access: then a higher epoch revokes its tokens. Grants and refresh tokens stay. */
  readonly revokes?: ((before: C) => boolean) | undefined
  /** What the client gets: the hashes of secrets, or the identities of keys. */
  readonly credentials?: readonly string[] | undefined
  /** The options of the caller, not validated yet. */
  readonly options: ConditionalChange | undefined
}

/** Pure. Returns undefined if there is nothing to change; then there is no audit entry and no event. */
export type ApplyChange<C extends Client> = (record: ClientRecord<C>) => ClientRecord<C> | undefined

/** Writes a change with its event, and its audit entry with old and new values. */
export async function changeRecord<C extends Client>(
  clients: ClientRepository<C>,
  change: Change<C>,
  apply: ApplyChange<C>,
): Promise<ClientRecord<C>> {
  const { clientId, name, options, revokes, credentials = [] } = change
  checkChange(name, options)
  requireClientId(clients, clientId)
  const added = addOwners(clients, clientId, credentials)
  const made = clients.commits.commit({
    ready: added,
    record: clients.records.changeable(clientId),
    write(found) {
      if (found?.client.kind !== clients.kind) throw notFound(clients, clientId)
      requireMatch(options, found.client)
      const next = apply(found)
      return next && withNewExpiry(revokes?.(found.client) ? bumpEpoch(next) : next, found)
    },
    entry: ({ client }, next) => ({
      ...changeEntry(client, change),
      before: valuesOnlyOf(client, next.client, name),
      after: valuesOnlyOf(next.client, client, name),
      revokedTokens: next.client.epoch > client.epoch || undefined,
    }),
    event: ({ client }) => changeEvent(client, change),
    revokes:
      revokes && ((record, last) => (last && !revokes(last.client) ? [] : revocationsOf(clientId, record))),
    actor: options?.actor,
  })
  const { before, stored } = await keepOwners(clients, clientId, credentials, added, made)
  if (!stored) throw notFound(clients, clientId)
  await retireLostSecrets(clients, before, stored, name === 'compromised')
  return stored
}

/** Deletes a client: its tokens are revoked, its id stays reserved. @throws {GatehouseError} `ERR_NOT_FOUND` */
export async function deleteClient<C extends Client>(
  clients: ClientRepository<C>,
  clientId: string,
  options: ConditionalChange = {},
): Promise<void> {
  checkChange('delete', options)
  requireClientId(clients, clientId)
  const { kind, records, lastUses, secretOwners, commits, logger } = clients
  const { before } = await commits.commit<ClientOrDeleted<C>, ClientRecord<C>>({
    record: records.deletable(clientId),
    write(found) {
      if (!found || kindOf(found) !== kind) throw notFound(clients, clientId)
      if (isDeleted(found)) return undefined
      requireMatch(options, found.client)
      return tombstoneOf(found)
    },
    entry: ({ client }) => ({ name: 'client.deleted', ...entryDetails(client, options) }),
    event: ({ client: { accountId } }) => [
      'client.deleted',
      { kind, clientId, accountId, actor: options.actor },
    ],
    revokes: () => revocationsOf(clientId, undefined),
    actor: options.actor,
  })
  // Another process has deleted the client first.
  if (!before) throw notFound(clients, clientId)
  // The client is deleted. Lists skip its remaining entries, so an error here is only logged.
  await Promise.all([
    records.unlist(clientId, before),
    lastUses.delete(clientId),
    secretOwners.retire(credentialsOf(before), { kind, clientId }),
  ]).catch((error: unknown) => {
    logger.warn(
      { clientId, err: error },
      'the list entries or the last use of a deleted client could not be removed; lists skip the client',
    )
  })
}

export function changeEvent(
  { kind, clientId, accountId }: Client,
  { name, target, leak, options }: Pick<Change, 'name' | 'target' | 'leak' | 'options'>,
): EventOf {
  const details = { kind, clientId, accountId, actor: options?.actor }
  if (name === 'compromised') return ['client.compromised', { ...details, ...leak }]
  return ['client.changed', { ...details, change: name, target }]
}

export function changeEntry(
  client: Client,
  change: Pick<Change, 'name' | 'target' | 'leak'> & { readonly options: RemovalOptions | undefined },
): EntryFields {
  const { name, target, leak, options } = change
  const details = { ...entryDetails(client, options ?? {}), reason: options?.reason }
  if (name === 'compromised') return { name: 'client.compromised', ...details, ...leak }
  return { name: 'client.changed', ...details, change: name, target }
}

const MAX_VALUE_LENGTH = 500

/** What a client, and not another version of it, has in the fields that a change names, but for true and false. */
function valuesOnlyOf(client: Client, other: Client, change: string): EntryFields['before'] {
  const values = Object.entries(fieldsOf(client.kind)).flatMap(([name, { inAnswer }]) => {
    const [value, before] = [client, other].map((each): unknown => Reflect.get(each, name))
    const isChanged = change.split(',').includes(name) && !isDeepStrictEqual(value, before)
    if (!inAnswer || !isChanged || value === undefined || typeof value === 'boolean') return []
    const shown = valueOf(inAnswer, value)
    const text = typeof shown === 'string' ? shown : JSON.stringify(shown)
    return [[name, text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : shown]]
  })
  return values.length === 0 ? undefined : Object.fromEntries(values)
}

export function entryDetails({ kind, clientId, name, accountId, userId }: Client, options: ChangeOptions) {
  return { kind, clientId, clientName: name, accountId, userId, ...changeOptionsOf(options) }
}
