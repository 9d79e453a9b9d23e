import { revocationsOf, bumpEpoch } from './access-epoch.ts'
import type { Client } from './client.ts'
import { type ClientRepository, notFound, requireClientId } from './client-repository.ts'
import { type ApplyChange, type Change, changeRecord, entryDetails } from './store-change.ts'
import { credentialsOf, type ClientRecord } from './client-record.ts'
import { checkChange } from '../host/change-options.ts'
import { requireMatch, type ConditionalChange } from './client-etag.ts'

/**
 * As `changeRecord`, and revokes all access tokens that the client has obtained so far: the write raises the epoch of
 * the client, which tokens carry. It does so even if the client already has the requested state, because an earlier
 * attempt may have failed after the write. Grants and refresh tokens stay.
 *
 * @param isRemoval whether this client loses access. If not, no token is revoked
 */
export async function removeAccess<C extends Client>(
  clients: ClientRepository<C>,
  change: Change,
  apply: ApplyChange<C>,
  isRemoval: (before: C) => boolean = () => true,
): Promise<ClientRecord<C>> {
  const { clientId, name, options } = change
  checkChange(name, options)
  requireClientId(clients, clientId)
  return clients.revocations.revokeWith({ of: 'client', id: clientId }, async () => {
    // For example, a later expiry that was set now.
    let isHarmless = false
    const record = await changeRecord(clients, { ...change, isRemoval: true }, (stored) => {
      const next = apply(stored)
      isHarmless = next !== undefined && !isRemoval(stored.client)
      return next && !isHarmless ? bumpEpoch(next) : next
    })
    return {
      result: record,
      revoked: isHarmless ? [] : revocationsOf(clientId, record),
      actor: options?.actor,
    }
  })
}

/** Deletes a client, whose id stays reserved. @throws {GatehouseError} `ERR_NOT_FOUND` */
export async function deleteClient<C extends Client>(
  clients: ClientRepository<C>,
  clientId: string,
  options: ConditionalChange | undefined,
): Promise<void> {
  checkChange('delete', options)
  requireClientId(clients, clientId)
  const { kind, records, lastUses, secretOwners, events, revocations, audit, logger } = clients
  const actor = options?.actor
  const record = await revocations.revokeWith({ of: 'client', id: clientId }, async () => {
    const found = await audit.change(
      records.key(clientId),
      async (outbox) => {
        const before = await records.delete(clientId, kind, (deleted, { client }) => {
          requireMatch(options, client)
          return outbox.put(deleted, { name: 'client.deleted', ...entryDetails(client, options ?? {}) })
        })
        // Another process may have deleted the client first.
        if (!before) outbox.put(undefined)
        return before
      },
      { isRemoval: true },
    )
    if (found) events.emit('client.deleted', { kind, clientId, accountId: found.client.accountId, actor })
    // Again for a client that was deleted before: the previous attempt may have failed after the write.
    const isDeleted = found !== undefined || (await records.deletedKind(clientId)) === kind
    return { result: found, revoked: isDeleted ? revocationsOf(clientId, undefined) : [], actor }
  })
  if (!record) throw notFound(clients, clientId)
  // The client is deleted. Lists skip its remaining entries, so an error here is only logged.
  await Promise.all([
    records.unlist(clientId, record),
    lastUses.delete(clientId),
    secretOwners.retire(credentialsOf(record), { kind, clientId }),
  ]).catch((error: unknown) => {
    logger.warn(
      { clientId, err: error },
      'the list entries or the last use of a deleted client could not be removed; lists skip the client',
    )
  })
}
