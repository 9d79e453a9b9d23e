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
 * they work at once. Afterwards the index is made equal to the stored application.
 *
 * @param fields the fields that the change sets
 * @param findClient reads the client from the store; undefined if it was deleted
 */
export async function withOrigins<T>(
  store: Pick<Store, 'add' | 'remove'>,
  client: Client,
  fields: Partial<Client>,
  { change, findClient }: { change: () => Promise<T>; findClient: () => Promise<Client | undefined> },
): Promise<T> {
  const added = originEntriesOf({ ...client, ...fields } as Client)
  await Promise.all(added.map((entry) => store.add(...entry)))
  try {
    return await change()
  } finally {
    // If this fails, a page at an origin that was removed still gets answers to its preflights, and no tokens.
    await tidy(store, [...added, ...originEntriesOf(client)], findClient).catch(() => {})
  }
}

/** Removes the entries that the client does not have. */
async function tidy(
  store: Pick<Store, 'add' | 'remove'>,
  entries: readonly (readonly [index: string, member: string])[],
  findClient: () => Promise<Client | undefined>,
): Promise<void> {
  const present = async () => {
    const client = await findClient()
    return client ? originEntriesOf(client) : []
  }
  const kept = new Set((await present()).map(([, member]) => member))
  const lost = entries.filter(([, member]) => !kept.has(member))
  await Promise.all(lost.map((entry) => store.remove(...entry)))
  // A change at the same time may have given the client an origin that was just removed.
  await Promise.all((await present()).map((entry) => store.add(...entry)))
}

/** Whether at least one public application has the origin. */
export async function isPublicOrigin(store: Pick<Store, 'range'>, origin: string): Promise<boolean> {
  const [first] = await store.range(ORIGINS, { after: `${origin}\0`, limit: 1 })
  return first?.startsWith(`${origin}\0`) ?? false
}
