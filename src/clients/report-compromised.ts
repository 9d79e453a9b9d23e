import { checkChange, leakFields } from '../host/change-options.ts'
import { booleanRule, optional, type Rule } from '../validation/rules.ts'
import type { Client } from './client.ts'
import { credentialsOf, hasCredential, type ClientRecord } from './client-record.ts'
import { type ClientRepository, requireRecord } from './client-repository.ts'
import { type Change, changeRecord } from './store-change.ts'
import type { ClientService } from './client-service-types.ts'
import { secretHashRule } from './stored-secrets.ts'
import { requireConfidential } from './public-applications.ts'
import { identityOf, isKeyIdentity, keysOf, withKeys } from './jwk-set.ts'

/** After a leak, revokes all secrets, keys and tokens of a client, or one given secret and the tokens. */
export async function reportCompromised<C extends Client>(
  clients: ClientRepository<C>,
  clientId: string,
  options: Parameters<ClientService<C, string, string>['reportCompromised']>[1] = {},
): Promise<void> {
  checkChange('compromised', options, {
    ...leakFields,
    secretHash: optional(credentialRule),
    isLost: optional(booleanRule),
  })
  const { secretHash, isLost = false, leakSource, leakUrl, ...others } = options
  const leak = { leakSource, leakUrl }
  const what = { clientId, name: 'compromised', leak, options: others, revokes: () => true }
  if (secretHash !== undefined) return reportSecret(clients, what, { secretHash, isLost })
  await changeRecord(clients, what, (record) => {
    requireConfidential(record.client)
    if (credentialsOf(record).length === 0) return undefined
    return { ...record, secrets: [], client: withKeys(record.client, []) }
  })
}

const credentialRule: Rule = (value) =>
  typeof value === 'string' && isKeyIdentity(value) ? undefined : secretHashRule(value)

/** A repeated report changes nothing. @param secret.isLost a thief may have got access tokens with it */
async function reportSecret<C extends Client>(
  clients: ClientRepository<C>,
  change: Change<C>,
  { secretHash, isLost }: { secretHash: string; isLost: boolean },
): Promise<void> {
  const { kind, secretOwners } = clients
  const { clientId } = change
  const isSecretOf = (record: ClientRecord) => hasCredential(record, secretHash)
  const [record, owner] = await Promise.all([
    requireRecord(clients, clientId),
    secretOwners.findOf(secretHash, clientId),
  ])
  const isNews = isLost && owner !== undefined && !owner.reported
  if (!isSecretOf(record) && !isNews) return
  const reported = { kind, clientId, reported: true } as const
  // Otherwise a report at the same time would count it as a lost secret.
  if (!isLost) await secretOwners.keep(secretHash, reported)
  await changeRecord(clients, change, (stored) => {
    // Another process may have revoked the secret meanwhile.
    if (!isSecretOf(stored)) return isNews ? stored : undefined
    const keys = keysOf(stored.client).filter((key) => identityOf(key) !== secretHash)
    const secrets = stored.secrets.filter(({ hash }) => hash !== secretHash)
    return { ...stored, secrets, client: withKeys(stored.client, keys) }
  })
  await secretOwners.retire([secretHash], reported)
}
