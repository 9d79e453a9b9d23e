import { findOnce, type KnownAccounts } from '../host/find-once.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import { missingUsers } from '../host/missing-users.ts'
import type { ClientRecord } from './client-record.ts'
import { isGatewayKey } from './client.ts'
import { breaksPolicy, defaultDaysOf, expiresSoon, policyOf, type KeyPolicy } from './expiry-policy.ts'
import { isLive, type StoredSecret } from './stored-secrets.ts'
import { whyNotAuthenticated } from './why-no-token.ts'

/** What can be wrong with an API key or application that works, the most urgent first. */
export const FINDINGS = [
  'known-to-former',
  'breaks-policy',
  'expires-soon',
  'old-secret',
  'two-secrets',
  'unused',
  'never-used',
  'never-expires',
] as const

/**
 * What is wrong with an API key or application that works.
 *
 * - `known-to-former`: a user who left the account knows a secret that stays valid for more than 7 days.
 * - `breaks-policy`: it expires later than `keyPolicy` allows, or it never expires although it must.
 * - `expires-soon`: it expires within 30 days, or within half of the days for which new clients live.
 * - `old-secret`: its secret is older than `keyPolicy.maxAgeDays`.
 * - `two-secrets`: a rotation was not completed for 7 days, so two secrets are valid.
 * - `unused`: it got no token for 90 days. `never-used`: it never got one, and was created more than 7 days ago. An API
 *   key of a resource server needs no tokens.
 * - `never-expires`: it has no expiry, and needs none.
 *
 * The key of a gateway has only `known-to-former`, `expires-soon` and `two-secrets`.
 */
export type Finding = (typeof FINDINGS)[number]

const UNUSED_DAYS = 90
/** Days after which a client should have been used, and a rotation should have been completed. */
const PATIENCE_DAYS = 7

/** In epoch seconds. */
const daysAgo = (days: number) => Date.now() / 1000 - days * 86_400

/** Without `known-to-former`, for which the host must be asked. @param record with the last use */
function findingsOf({ client, secrets }: ClientRecord, policy: KeyPolicy): Finding[] {
  if (whyNotAuthenticated(client)) return []
  const { expiresAt, createdAt, lastUsedAt } = client
  const [current, old] = secrets.filter((secret) => isLive(secret, Date.now()))
  const isBreach = breaksPolicy(client, policy)
  const { maxAgeDays = Infinity } = policyOf(client, policy)
  const isOfServer = client.kind === 'apiKey' && client.resourceServer
  const found: Partial<Record<Finding, boolean>> = {
    'breaks-policy': isBreach,
    'expires-soon': expiresSoon(client, policy),
    'old-secret': current !== undefined && current.createdAt < daysAgo(maxAgeDays),
    'two-secrets': current !== undefined && old !== undefined && current.createdAt < daysAgo(PATIENCE_DAYS),
    unused: !isOfServer && lastUsedAt !== undefined && lastUsedAt < daysAgo(UNUSED_DAYS),
    'never-used': !isOfServer && lastUsedAt === undefined && createdAt < daysAgo(PATIENCE_DAYS),
    'never-expires': expiresAt === undefined && !isBreach && !isGatewayKey(client),
  }
  return FINDINGS.filter((finding) => found[finding])
}

export interface Examined {
  readonly record: ClientRecord
  readonly findings: readonly Finding[]
  readonly knownToFormer: readonly string[]
}

/** Finds what is wrong with a client. It asks the host once for each user who knows a secret. */
export function createExamine({
  accounts,
  keyPolicy,
}: {
  readonly accounts: Pick<HostAccounts, 'find'>
  readonly keyPolicy: KeyPolicy
}) {
  const asked: KnownAccounts = new Map()
  const find = (accountId: string, userId: string) => findOnce(accounts, asked, { accountId, userId })

  return async function examine(record: ClientRecord): Promise<Examined> {
    const { accountId } = record.client
    const knownToFormer = await missingUsers(usersToCheck(record), (userId) => find(accountId, userId))
    const findings = findingsOf(record, keyPolicy)
    const all = knownToFormer.length > 0 ? (['known-to-former', ...findings] as const) : findings
    return { record, findings: all, knownToFormer }
  }
}

/** A rotation may take 7 days. */
function usersToCheck({ client, secrets }: ClientRecord): readonly string[] {
  if (whyNotAuthenticated(client)) return []
  const lasting = ({ expiresAt = Infinity }: StoredSecret) => expiresAt > daysAgo(-PATIENCE_DAYS)
  return [...new Set(secrets.filter(lasting).flatMap(({ shownTo }) => shownTo ?? []))]
}

const RENEWAL_DAYS = 365

/** For an expiry that is set because of a finding. */
export function renewalDays(policy: KeyPolicy): number {
  return defaultDaysOf(policy) ?? RENEWAL_DAYS
}
