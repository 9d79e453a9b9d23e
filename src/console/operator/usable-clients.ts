import type { Client } from '../../clients/client.ts'
import { isCorruptRecord } from '../../store/corrupt-record.ts'
import { isNotFound } from './end-secrets.ts'
import { clientPagesOf } from './holdings.ts'
import type { Holder, OperatorServices } from './operator-page.ts'

/**
 * The first clients of an account or user that can get new tokens: they are enabled, and have a valid secret.
 *
 * @param limit the search ends as soon as more clients are found
 */
export async function usableClients(
  services: Pick<OperatorServices, 'apiKeys' | 'applications'>,
  holder: Holder,
  limit: number,
): Promise<{ readonly items: readonly Client[]; readonly hasMore: boolean }> {
  const found: Client[] = []
  for (const service of [services.apiKeys, services.applications]) {
    const hasSecret = async ({ clientId, disabled }: Client) =>
      !disabled && (await service.listSecrets(clientId).catch(none)).length > 0
    for await (const page of clientPagesOf(service, holder)) {
      const isUsable = await Promise.all(page.map(hasSecret))
      found.push(...page.filter((_, at) => isUsable[at]))
      if (found.length > limit) return { items: found.slice(0, limit), hasMore: true }
    }
  }
  return { items: found, hasMore: false }
}

/** A client that was deleted, or whose record is corrupt, gets no tokens. */
function none(error: unknown): [] {
  if (!isNotFound(error) && !isCorruptRecord(error)) throw error
  return []
}
