import { clientNotFound } from '../../clients/client-id.ts'
import type { Client } from '../../clients/client.ts'
import { isCorruptRecord } from '../../store/corrupt-record.ts'
import { isDocumentId } from '../../validation/document-id.ts'
import type { Internals } from '../../gatehouse/internals.ts'

type Services = Pick<Internals, 'apiKeys' | 'applications' | 'registry'>

interface NamesClient {
  readonly clientId?: string | undefined
  readonly kind?: Client['kind'] | undefined
}

/** Finds the clients that a list names, in one batch. What is gone or corrupt is left out. */
export async function findClients(
  { apiKeys, applications, registry }: Services,
  items: readonly NamesClient[],
): Promise<ReadonlyMap<string, Client>> {
  const kinds = new Map(items.map(({ clientId, kind }) => [clientId, kind]))
  const reads: Promise<Client | undefined>[] = []
  for (const [clientId, kind] of kinds) {
    if (clientId === undefined) continue
    if (isDocumentId(clientId)) {
      reads.push(registry.find(clientId).catch(leaveOut))
      continue
    }
    if (kind !== 'application') reads.push(apiKeys.find(clientId).catch(leaveOut))
    if (kind !== 'apiKey') reads.push(applications.find(clientId).catch(leaveOut))
  }
  const found = await Promise.all(reads)
  return new Map(found.flatMap((client) => (client ? [[client.clientId, client] as const] : [])))
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
