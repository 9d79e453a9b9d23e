import type { EntryFields } from '../audit/entry.ts'
import {
  type ChangeOptions,
  changeOptionsOf,
  checkChange,
  type RemovalOptions,
} from '../host/change-options.ts'
import type { EventSink } from '../host/events.ts'
import type { Client } from './client.ts'
import { requireMatch, type ConditionalChange } from './client-etag.ts'
import { withNewExpiry, type ClientRecord } from './client-record.ts'
import { notFound, requireClientId, type ClientRepository } from './client-repository.ts'
import { retireLostSecrets } from './secret-owners.ts'

export type Leak = Pick<EntryFields, 'leakSource' | 'leakUrl'>

export interface Change {
  readonly clientId: string
  /** The event `client.changed` has it as `change`; for `compromised`, `client.compromised` is emitted. */
  readonly name: string
  /** The product, the scope, or the secret. */
  readonly target?: string | undefined
  readonly leak?: Leak | undefined
  /** A change that removes access is made even if its audit entry cannot be listed as pending. */
  readonly isRemoval?: boolean | undefined
  /** The options of the caller, not validated yet. */
  readonly options: ConditionalChange | undefined
}

/** Pure. Returns undefined if there is nothing to change; then there is no audit entry and no event. */
export type ApplyChange<C extends Client> = (record: ClientRecord<C>) => ClientRecord<C> | undefined

/** Changes a record, with its audit entry and event. For a change that removes access, use `removeAccess`. */
export async function changeRecord<C extends Client>(
  clients: ClientRepository<C>,
  change: Change,
  apply: ApplyChange<C>,
): Promise<ClientRecord<C>> {
  const { clientId, name, options, isRemoval } = change
  checkChange(name, options)
  requireClientId(clients, clientId)
  const { kind, records, events, audit } = clients
  let before: ClientRecord<C> | undefined
  const changed = await audit.change(
    records.key(clientId),
    async (outbox) => {
      let isChanged = false
      const record = await records.update(clientId, (stored) => {
        if (stored.client.kind !== kind) throw notFound(clients, clientId)
        requireMatch(options, stored.client)
        before = stored
        const next = apply(stored)
        isChanged = next !== undefined
        return outbox.put(next && withNewExpiry(next, stored), changeEntry(stored.client, change))
      })
      if (!record) throw notFound(clients, clientId)
      if (isChanged) emitChange(events, record.client, change)
      return record
    },
    { isRemoval },
  )
  await retireLostSecrets(clients, before, changed, name === 'compromised')
  return changed
}

export function emitChange(
  events: EventSink,
  { kind, clientId, accountId }: Client,
  { name, target, leak, options }: Pick<Change, 'name' | 'target' | 'leak' | 'options'>,
): void {
  const details = { kind, clientId, accountId, actor: options?.actor }
  if (name === 'compromised') events.emit('client.compromised', { ...details, ...leak })
  else events.emit('client.changed', { ...details, change: name, target })
}

export function changeEntry(
  client: Client,
  {
    name,
    target,
    leak,
    options,
  }: Pick<Change, 'name' | 'target' | 'leak'> & { readonly options: RemovalOptions | undefined },
): EntryFields {
  const details = { ...entryDetails(client, options ?? {}), reason: options?.reason }
  if (name === 'compromised') return { name: 'client.compromised', ...details, ...leak }
  return { name: 'client.changed', ...details, change: name, target }
}

export function entryDetails({ kind, clientId, name, accountId, userId }: Client, options: ChangeOptions) {
  return { kind, clientId, clientName: name, accountId, userId, ...changeOptionsOf(options) }
}
