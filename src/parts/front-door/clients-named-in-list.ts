import { clientNotFound, isClientId } from '../../clients/client-id.ts'
import { clientRecords } from '../../clients/client-record.ts'
import type { Client } from '../../clients/client.ts'
import { readWithLastUse } from '../../clients/last-used.ts'
import { CorruptRecord, isCorruptRecord } from '../../store/corrupt-record.ts'
import { isDocumentId } from '../../validation/document-id.ts'
import type { Internals } from '../../gatehouse/internals.ts'

type Services = Pick<Internals, 'store' | 'lastUses' | 'registry'>

/** Finds the clients that a list names, in one batch. What is gone or corrupt is left out. */
export async function findClients(
  { store, lastUses, registry }: Services,
  items: readonly { readonly clientId?: string | undefined }[],
): Promise<ReadonlyMap<string, Client>> {
  const ids = [...new Set(items.map(({ clientId = '' }) => clientId))]
  const [records, ...documents] = await Promise.all([
    readWithLastUse(clientRecords<Client>(store), lastUses, ids.filter(isClientId)),
    ...ids.filter(isDocumentId).map((id) => registry.find(id).catch(leaveOut)),
  ])
  const clients = records.map((record) => (record instanceof CorruptRecord ? undefined : record?.client))
  return new Map([...clients, ...documents].flatMap((each) => (each ? [[each.clientId, each]] : [])))
}

/** @throws {GatehouseError} `ERR_NOT_FOUND` if the client belongs to another account, or is unknown */
export async function requireOwnClient(services: Services, accountId: string, clientId: string) {
  const client = (await findClients(services, [{ clientId }])).get(clientId)
  if (client?.accountId !== accountId) throw clientNotFound(clientId)
  return client
}

function leaveOut(error: unknown): undefined {
  if (!isCorruptRecord(error)) throw error
}
