import { GatehouseError } from '../errors.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import { checkInput, hostIdRule } from '../validation/rules.ts'
import type { Client } from './client.ts'
import { changeRecord, presentClient, requireRecord, type ClientRepository } from './client-repository.ts'
import { removeAccess } from './remove-access.ts'

/**
 * Gives a client to another user of its account, or to the account itself. The tokens of an API key act as its user, so
 * they are revoked.
 *
 * @param userId null for the account
 * @throws {GatehouseError} `ERR_NOT_FOUND`; `ERR_INVALID_ARGUMENT` if the host does not find the user in the account
 */
export async function handOver<C extends Client>(
  clients: ClientRepository<C>,
  clientId: string,
  userId: string | null,
  options: ChangeOptions | undefined,
): Promise<C> {
  checkInput(
    'the client cannot be handed over',
    { userId },
    { userId: (value) => (value === null ? undefined : hostIdRule(value)) },
  )
  const { client } = await requireRecord(clients, clientId)
  if (userId !== null && !(await clients.accounts.find(client.accountId, userId))) {
    const message = 'is no user of the account that owns the client'
    throw new GatehouseError('ERR_INVALID_ARGUMENT', `userId ${message}`, {
      problems: [{ path: 'userId', code: 'not-found', message }],
    })
  }
  const what = { clientId, name: 'owner', target: userId ?? undefined, options }
  const apply = (record: Awaited<ReturnType<typeof requireRecord<C>>>) => {
    const { userId: before, ...others } = record.client
    if (before === (userId ?? undefined)) return undefined
    return { ...record, client: { ...others, ...(userId !== null && { userId }) } as C }
  }
  const isKey = clients.kind === 'apiKey'
  return presentClient(
    clients,
    await (isKey ? removeAccess(clients, what, apply) : changeRecord(clients, what, apply)),
  )
}
