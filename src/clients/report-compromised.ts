import { checkChange, leakFields } from '../host/change-options.ts'
import { booleanRule, optional } from '../validation/rules.ts'
import type { Client } from './client.ts'
import type { ClientRecord } from './client-record.ts'
import { requireRecord, type Change, type ClientRepository } from './client-repository.ts'
import type { ClientService } from './client-service-types.ts'
import { secretHashRule } from './create-client.ts'
import { removeAccess } from './remove-access.ts'
import { hasSecretHash } from './stored-secrets.ts'

/** `reportCompromised` of API keys and applications. */
export async function reportCompromised<C extends Client>(
  clients: ClientRepository<C>,
  clientId: string,
  options: Parameters<ClientService<C, string, string>['reportCompromised']>[1] = {},
): Promise<void> {
  checkChange('compromised', options, {
    ...leakFields,
    secretHash: optional(secretHashRule),
    isLost: optional(booleanRule),
  })
  const { secretHash, isLost = false, leakSource, leakUrl, ...others } = options
  const what = { clientId, name: 'compromised', leak: { leakSource, leakUrl }, options: others }
  if (secretHash !== undefined) return reportSecret(clients, what, { secretHash, isLost })
  await removeAccess(clients, what, (record) =>
    record.secrets.length === 0 ? undefined : { ...record, secrets: [] },
  )
}

/**
 * Revokes one secret that leaked, and all access tokens. A report that is repeated changes nothing.
 *
 * @param secret.isLost whether the client had lost the secret before. Then only the access tokens are revoked, because
 *   a thief may have obtained them with the secret
 */
async function reportSecret<C extends Client>(
  clients: ClientRepository<C>,
  change: Change,
  { secretHash, isLost }: { secretHash: string; isLost: boolean },
): Promise<void> {
  const { kind, secretOwners } = clients
  const { clientId } = change
  const isSecretOf = ({ secrets }: Pick<ClientRecord, 'secrets'>) => hasSecretHash(secrets, secretHash)
  const [record, [owner]] = await Promise.all([
    requireRecord(clients, clientId),
    secretOwners.find([secretHash]),
  ])
  const isNews = isLost && owner?.clientId === clientId && !owner.reported
  if (!isSecretOf(record) && !isNews) return
  const reported = { kind, clientId, reported: true } as const
  // The secret is marked first. Otherwise a report at the same time would count it as a lost secret.
  if (!isLost) await secretOwners.keep(secretHash, reported)
  await removeAccess(clients, change, (stored) => {
    // Another process may have revoked the secret meanwhile.
    if (!isSecretOf(stored)) return isNews ? stored : undefined
    return { ...stored, secrets: stored.secrets.filter(({ hash }) => hash !== secretHash) }
  })
  await secretOwners.retire([secretHash], reported)
}
