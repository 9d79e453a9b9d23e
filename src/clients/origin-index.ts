import type { Store } from '../store/contract.ts'
import type { Client } from './client.ts'
import { originsOf } from './public-applications.ts'

/** A member is an origin, U+0000 and the client id of a public application. */
const ORIGINS = 'public-origins'

export function originEntriesOf(client: Client): [index: string, member: string][] {
  if (client.kind !== 'application') return []
  return originsOf(client).map((origin) => [ORIGINS, `${origin}\0${client.clientId}`])
}

/** Whether at least one public application has the origin. */
export async function isPublicOrigin(store: Pick<Store, 'range'>, origin: string): Promise<boolean> {
  const [first] = await store.range(ORIGINS, { after: `${origin}\0`, limit: 1 })
  return first?.startsWith(`${origin}\0`) ?? false
}
