import type { Store } from '../store/contract.ts'
import type { Client } from './client.ts'
import { originsOf } from './public-applications.ts'

/** A member is an origin, U+0000 and the client id of a public application. */
const ORIGINS = 'public-origins'

export function originEntriesOf(client: Client): [index: string, member: string][] {
  if (client.kind !== 'application') return []
  return originsOf(client).map((origin) => [ORIGINS, `${origin}\0${client.clientId}`])
}

/**
 * Makes a change that may give a public application other origins. They are added before the change, so that
 * they work at once. Afterwards the index is made equal to the stored application.
 *
 * @param fields what the change sets
 * @param findClient undefined if the client was deleted
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

export async function isPublicOrigin(store: Pick<Store, 'range'>, origin: string): Promise<boolean> {
  const [first] = await store.range(ORIGINS, { after: `${origin}\0`, limit: 1 })
  return first?.startsWith(`${origin}\0`) ?? false
}
