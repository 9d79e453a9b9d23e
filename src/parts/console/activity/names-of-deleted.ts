import type { AuditEntry } from '../../../audit/entry.ts'
import type { Client } from '../../../clients/client.ts'
import { isDocumentId } from '../../../validation/document-id.ts'
import type { ConsoleServices } from '../services.ts'

/** How many of the newest entries of a deleted client are searched for its name. */
const LATEST = 5

/**
 * Finds the names of the deleted clients in a list of entries. If these entries do not contain the name of a client,
 * the newest entries of the client are searched. The clients of an erased person have no names.
 *
 * @returns the names by client id
 */
export async function namesOfDeleted(
  audit: ConsoleServices['audit'],
  entries: readonly AuditEntry[],
  clients: ReadonlyMap<string, Client>,
): Promise<ReadonlyMap<string, string>> {
  const names = namesIn(entries)
  const ids = new Set(entries.flatMap(({ clientId = '' }) => (clientId === '' ? [] : [clientId])))
  const missing = [...ids].filter((id) => !clients.has(id) && !names.has(id) && !isDocumentId(id))
  const others = await Promise.all(missing.map((clientId) => audit.list({ clientId, limit: LATEST })))
  return new Map([...names, ...namesIn(others.flatMap(({ items }) => items))])
}

/** The newest name of each client. @param entries newest first */
export function namesIn(entries: readonly AuditEntry[]): Map<string, string> {
  const named = entries.toReversed().map(({ clientId, clientName }) => [clientId, clientName] as const)
  return new Map(named.filter((pair): pair is [string, string] => pair.every((each) => each !== undefined)))
}
