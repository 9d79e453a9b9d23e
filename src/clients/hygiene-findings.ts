import type { Account } from '../host/accounts.ts'
import { findOnce, type KnownAccounts } from '../host/find-once.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import { missingUsers } from '../host/missing-users.ts'
import type { ClientRecord } from './client-record.ts'
import { isGatewayKey } from './client.ts'
import { breaksPolicy, defaultDaysOf, expiresSoon, policyOf, type KeyPolicy } from './expiry-policy.ts'
import { isLive, type StoredSecret } from './stored-secrets.ts'
import { whyNotAuthenticated } from './why-no-token.ts'

/** What can be wrong with an API key or application, the most urgent first. */
export const FINDINGS = [
  'compromised',
  'known-to-former',
  'owner-gone',
  'expires-soon',
  'breaks-policy',
  'never-expires',
  'old-secret',
  'two-secrets',
  'unused',
  'never-used',
] as const

/**
 * What is wrong with an API key or application that is not disabled and has not expired, the most urgent first.
 *
 * - `compromised`: its secret leaked, and it has no new secret yet, so it gets no tokens. It then has no other finding.
 * - `known-to-former`: a user who left the account knows a secret that stays valid for more than 7 days.
 * - `owner-gone`: the host does not find the account or the user that owns it, so it gets no tokens.
 * - `expires-soon`: it expires within 30 days, or within half of the days for which new clients live.
 * - `breaks-policy`: it expires later than `keyPolicy` allows. Only for an application: it never expires although
 *   `keyPolicy` requires an expiry.
 * - `never-expires`: only for an API key: it never expires although `keyPolicy` requires an expiry.
 * - `old-secret`: its secret is older than `keyPolicy.maxAgeDays`.
 * - `two-secrets`: a rotation was not completed for 7 days, so two secrets are valid.
 * - `unused`: it got no token for 90 days. `never-used`: it never got one, and was created more than 7 days ago. An API
 *   key of a resource server needs no tokens.
 *
 * The key of a gateway has only `compromised`, `known-to-former`, `expires-soon` and `two-secrets`.
 */
export type Finding = (typeof FINDINGS)[number]

const UNUSED_DAYS = 90
/** Days after which a client should have been used, and a rotation should have been completed. */
const PATIENCE_DAYS = 7

/** In epoch seconds. */
const daysAgo = (days: number) => Date.now() / 1000 - days * 86_400

/** @param record with the last use @param owner what `accounts.find` returns for it */
function findingsOf(
  { client, secrets }: ClientRecord,
  policy: KeyPolicy,
  owner: Account | undefined,
  knownToFormer: readonly string[],
): Finding[] {
  const { expiresAt, createdAt, lastUsedAt } = client
  const [current, old] = secrets.filter((secret) => isLive(secret, Date.now()))
  const isBreach = breaksPolicy(client, policy)
  const isEndlessKey = client.kind === 'apiKey' && expiresAt === undefined
  const { maxAgeDays = Infinity } = policyOf(client, policy)
  const isOfServer = client.kind === 'apiKey' && client.resourceServer
  const found: Partial<Record<Finding, boolean>> = {
    'known-to-former': knownToFormer.length > 0,
    'owner-gone': !owner && !isGatewayKey(client),
    'expires-soon': expiresSoon(client, policy),
    'breaks-policy': isBreach && !isEndlessKey,
    'never-expires': isBreach && isEndlessKey,
    'old-secret': current !== undefined && current.createdAt < daysAgo(maxAgeDays),
    'two-secrets': current !== undefined && old !== undefined && current.createdAt < daysAgo(PATIENCE_DAYS),
    unused: !isOfServer && lastUsedAt !== undefined && lastUsedAt < daysAgo(UNUSED_DAYS),
    'never-used': !isOfServer && lastUsedAt === undefined && createdAt < daysAgo(PATIENCE_DAYS),
  }
  return FINDINGS.filter((finding) => found[finding])
}

export interface Examined {
  readonly record: ClientRecord
  readonly findings: readonly Finding[]
  readonly knownToFormer: readonly string[]
}

/** What needs attention: unused for 90 days, old secrets, owners who are gone. Asks the host once for each person. */
export function createExamine({
  accounts,
  keyPolicy,
}: {
  readonly accounts: Pick<HostAccounts, 'find'>
  readonly keyPolicy: KeyPolicy
}) {
  const asked: KnownAccounts = new Map()

  return async function examine(record: ClientRecord): Promise<Examined> {
    const { accountId, userId } = record.client
    const reason = whyNotAuthenticated(record.client)
    if (reason) return { record, findings: reason === 'compromised' ? [reason] : [], knownToFormer: [] }
    const [owner, knownToFormer] = await Promise.all([
      findOnce(accounts, asked, { accountId, userId }),
      missingUsers(lastingUsers(record), (each) => findOnce(accounts, asked, { accountId, userId: each })),
    ])
    return { record, findings: findingsOf(record, keyPolicy, owner, knownToFormer), knownToFormer }
  }
}

/** The users who know a secret. A rotation may take 7 days. */
function lastingUsers({ secrets }: ClientRecord): readonly string[] {
  const lasting = ({ expiresAt = Infinity }: StoredSecret) => expiresAt > daysAgo(-PATIENCE_DAYS)
  return [...new Set(secrets.filter(lasting).flatMap(({ shownTo }) => shownTo ?? []))]
}

const RENEWAL_DAYS = 365

/** For an expiry that is set because of a finding. */
export function renewalDays(policy: KeyPolicy): number {
  return defaultDaysOf(policy) ?? RENEWAL_DAYS
}
