import type { Client } from '../../clients/client.ts'
import { isCorruptRecord } from '../../store/corrupt-record.ts'
import { isDocumentId } from '../../validation/document-id.ts'
import type { Internals } from '../../gatehouse/internals.ts'

interface NamesClient {
  readonly clientId?: string | undefined
  readonly kind?: Client['kind'] | undefined
}

/** Finds the clients that a list names, in one batch. What is gone or corrupt is left out. */
export async function findClients(
  { apiKeys, applications, registry }: Pick<Internals, 'apiKeys' | 'applications' | 'registry'>,
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

function leaveOut(error: unknown): undefined {
  if (!isCorruptRecord(error)) throw error
}
