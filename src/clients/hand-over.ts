import { randomUUID } from 'node:crypto'
import { invalidArgument } from '../errors.ts'
import { checkChange } from '../host/change-options.ts'
import { booleanRule, checkInput, hostIdRule, optional } from '../validation/rules.ts'
import type { Client } from './client.ts'
import type { ClientRecord } from './client-record.ts'
import { type ClientRepository, requireRecord } from './client-repository.ts'
import { presentClient } from './last-used.ts'
import { changeRecord } from './store-change.ts'
import type { HandOverOptions } from './client-service-types.ts'
import { withKeys } from './jwk-set.ts'
import { hashOf, isLive } from './stored-secrets.ts'

/** Gives a client to another user of its account, or to the account (null): what is revoked, and which secrets stay. */
export async function handOver<C extends Client>(
  clients: ClientRepository<C>,
  clientId: string,
  userId: string | null,
  options: HandOverOptions = {},
): Promise<C> {
  checkChange('owner', options, { protectNewOwner: optional(booleanRule) })
  const { protectNewOwner = false, ...others } = options
  checkInput(
    'the client cannot be handed over',
    { userId },
    { userId: (value) => (value === null ? undefined : hostIdRule(value)) },
  )
  const { client } = await requireRecord(clients, clientId)
  if (userId !== null && !(await clients.accounts.find(client.accountId, userId))) {
    const message = 'is no user of the account that owns the client'
    throw invalidArgument('userId', { code: 'not-found', message })
  }
  const isKey = clients.kind === 'apiKey'
  // The tokens of an API key act as its user, so they are revoked.
  const revokes = isKey ? () => true : undefined
  const what = { clientId, name: 'owner', target: userId ?? undefined, options: others, revokes }
  const apply = (record: ClientRecord<C>) => {
    const { userId: before, ...client } = record.client
    if (before === (userId ?? undefined)) return undefined
    const handed = { ...record, client: { ...client, ...(userId !== null && { userId }) } as C }
    return isKey && protectNewOwner ? protect(handed, before) : handed
  }
  return presentClient(clients, await changeRecord(clients, what, apply))
}

function protect<C extends Client>(record: ClientRecord<C>, former: string | undefined): ClientRecord<C> {
  const { client, secrets } = record
  const { userId } = client
  if (userId === undefined)
    return { ...record, secrets: secrets.map((secret) => ({ shownTo: former, ...secret })) }
  const live = secrets.filter((secret) => isLive(secret, Date.now()))
  const isKept = live.every(({ shownTo }) => shownTo === userId) && (live.length > 0 || !client.jwks)
  const now = Math.floor(Date.now() / 1000)
  // A key without any secret counts as compromised. This secret has expired, and no person knows it.
  const expired = { hash: hashOf(randomUUID()), createdAt: now, expiresAt: now }
  return { ...record, client: withKeys(client, []), secrets: isKept ? secrets : [expired] }
}
