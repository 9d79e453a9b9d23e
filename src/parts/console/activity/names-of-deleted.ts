import type { AuditEntry } from '../../../audit/entry.ts'
import type { Client } from '../../../clients/client.ts'
import { isDocumentId } from '../../../validation/document-id.ts'
import type { ConsoleServices } from '../services.ts'

const LATEST = 5

/** The names of deleted clients by id, from their newest entries. Those of an erased person have none. */
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

/** @param entries newest first */
export function namesIn(entries: readonly AuditEntry[]): Map<string, string> {
  const named = entries.toReversed().map(({ clientId, clientName }) => [clientId, clientName] as const)
  return new Map(named.filter((pair): pair is [string, string] => pair.every((each) => each !== undefined)))
}
