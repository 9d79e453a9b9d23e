import type { Store } from '../store/contract.ts'
import type { Client } from './client.ts'
import { originsOf } from './public-applications.ts'

/** The index of the origins of all public applications. A member is an origin, U+0000 and the client id. */
const ORIGINS = 'public-origins'

/** The entries of the index for a client: none, unless it is a public application. */
export function originEntriesOf(client: Client): [index: string, member: string][] {
  if (client.kind !== 'application') return []
  return originsOf(client).map((origin) => [ORIGINS, `${origin}\0${client.clientId}`])
}

/**
 * Makes a change that may give a public application other origins. The new origins are added before the change, so that
 * they work at once. If the removal of the others fails, a page at such an origin gets an answer to its preflight, and
 * its request is rejected.
 *
 * @param fields the fields that the change sets
 */
export async function withOrigins<T>(
  store: Pick<Store, 'add' | 'remove'>,
  client: Client,
  fields: Partial<Client>,
  change: () => Promise<T>,
): Promise<T> {
  const next = originEntriesOf({ ...client, ...fields } as Client)
  await Promise.all(next.map((entry) => store.add(...entry)))
  const result = await change()
  const kept = new Set(next.map(([, member]) => member))
  const lost = originEntriesOf(client).filter(([, member]) => !kept.has(member))
  await Promise.all(lost.map((entry) => store.remove(...entry))).catch(() => {})
  return result
}

/** Whether at least one public application has the origin. */
export async function isPublicOrigin(store: Pick<Store, 'range'>, origin: string): Promise<boolean> {
  const [first] = await store.range(ORIGINS, { after: `${origin}\0`, limit: 1 })
  return first?.startsWith(`${origin}\0`) ?? false
}
