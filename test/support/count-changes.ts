import type { Store } from 'koa-gatehouse'
import { createClientCache } from '../../src/clients/client-cache.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { services } from '../clients/setup.ts'
import { ACTOR, CLIENT_CHANGES, FIRST } from './changes.ts'
import { countedCalls, type CountedCalls } from './counted-calls.ts'

/** Makes each change once, by a process that has recorded other entries of its account, client and actor before. */
export async function countChanges(open: () => Store): Promise<Map<string, CountedCalls>> {
  const counts = new Map<string, CountedCalls>()
  for (const { name, creates, ofApplication, make } of CLIENT_CHANGES) {
    const counted = countedCalls(open())
    const { changed: clientChanged } = createClientCache({ store: counted.store, logger: silentLogger })
    const process = services(counted.store, { clientChanged })
    const first = { actor: ACTOR }
    const { clientId } =
      ofApplication && !creates
        ? (await process.applications.create({ ...FIRST.application, ...first })).application
        : (await process.apiKeys.create({ ...FIRST.apiKey, ...first })).apiKey
    await process.audit.list()
    // Each process stores once how long its tokens live.
    await process.revocations.revoke({ of: 'token', id: 'another' })
    counts.set(name, await counted.of(() => make(process, clientId)))
  }
  return counts
}
