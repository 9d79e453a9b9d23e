import type { Client } from '../clients/client.ts'
import { isCorruptRecord } from '../store/corrupt-record.ts'
import type { Internals } from '../gatehouse/internals.ts'

/** Something that names a client: an entry of the audit trail, or a connection. */
interface NamesClient {
  readonly clientId?: string | undefined
  /** @default the client may be of any kind */
  readonly kind?: Client['kind'] | undefined
}

/**
 * Finds the clients that a list names, each once. All reads are sent together. Clients that were deleted, and
 * corrupt records, are left out.
 */
export async function findClients(
  { apiKeys, applications }: Pick<Internals, 'apiKeys' | 'applications'>,
  items: readonly NamesClient[],
): Promise<ReadonlyMap<string, Client>> {
  const kinds = new Map(items.map(({ clientId, kind }) => [clientId, kind]))
  const reads: Promise<Client | undefined>[] = []
  for (const [clientId, kind] of kinds) {
    if (clientId === undefined) continue
    if (kind !== 'application') reads.push(apiKeys.find(clientId).catch(leaveOut))
    if (kind !== 'apiKey') reads.push(applications.find(clientId).catch(leaveOut))
  }
  const found = await Promise.all(reads)
  return new Map(found.flatMap((client) => (client ? [[client.clientId, client] as const] : [])))
}

function leaveOut(error: unknown): undefined {
  if (!isCorruptRecord(error)) throw error
}
