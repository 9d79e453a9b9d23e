import type { Entry } from '../store/collection.ts'
import { timedMember } from '../store/time-index.ts'
import type { Client } from './client.ts'
import { nextNoticeTime } from './expiry-policy.ts'
import { originsOf } from './public-applications.ts'
import { readMembers, type IndexReader } from '../store/pages-of-index.ts'

/** An id is listed before its client is deleted. So after a failure, the client may still exist. */
export const DELETED_CLIENTS = 'clients:deleted'

/** A member is a word of a name, U+0000 and the client id. */
export const NAME_WORDS = 'client-names'

/** A member is an origin, U+0000 and the client id of a public application. */
const ORIGINS = 'public-origins'

/** A member is the time of the next notice and the client id. An old entry is removed when it is due. */
export const EXPIRIES = 'clients:expiry'

/** A member is the id of an API key. A key that loses the mark stays listed. */
export const RESOURCE_SERVERS = 'clients:resource-servers'

const MAX_WORDS = 10

/** In which lists a client is: by kind, name, expiry, origin and mark. @param listedAt milliseconds */
export function clientEntriesOf(client: Client, listedAt: number): Entry[] {
  const { kind, accountId, clientId, name } = client
  const origins = kind === 'application' ? originsOf(client) : []
  const isServer = kind === 'apiKey' && client.resourceServer
  return [
    [clientIndexName(kind, undefined), timedMember(listedAt, clientId)],
    [clientIndexName(kind, accountId), timedMember(listedAt, clientId)],
    ...wordsOf(name).map((word): Entry => [NAME_WORDS, `${word}\0${clientId}`]),
    ...expiryEntriesOf(client),
    ...origins.map((origin): Entry => [ORIGINS, `${origin}\0${clientId}`]),
    ...(isServer ? [[RESOURCE_SERVERS, clientId] as const] : []),
  ]
}

export function expiryEntriesOf({ clientId, expiresAt }: Client, now = Date.now()): Entry[] {
  const next = expiresAt === undefined ? undefined : nextNoticeTime(expiresAt, now)
  return next === undefined ? [] : [[EXPIRIES, timedMember(next, clientId)]]
}

/** @param accountId undefined for all accounts */
export function clientIndexName(kind: Client['kind'], accountId: string | undefined): string {
  return accountId === undefined ? `clients:${kind}` : `clients:${kind}:of:${accountId}`
}

export function wordsOf(name: string): string[] {
  const words =
    name
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  return [...new Set(words)].slice(0, MAX_WORDS)
}

export function idOfWord(member: string): string {
  return member.slice(member.indexOf('\0') + 1)
}

/** Whether at least one public application has the origin. */
export async function isPublicOrigin(store: IndexReader, origin: string): Promise<boolean> {
  return (await readMembers(store, ORIGINS, { prefix: `${origin}\0`, limit: 1 })).length > 0
}
