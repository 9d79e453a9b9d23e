import type { Fault } from '../errors.ts'
import type { LongestLifetime } from '../revocation/longest-token-lifetime.ts'
import type { Rule } from '../validation/rules.ts'
import { isGatewayKey, type Client } from './client.ts'

const DAY_SECONDS = 86_400

export const MAX_DAYS = 36_525

/**
 * When new API keys and applications expire. Clients that break a new policy stay as they are. The policy does not
 * apply to the key of a gateway: an API key with `resourceServer` and without products.
 */
export interface KeyPolicy {
  /**
   * The maximum number of days between setting an expiry and the expiry itself: from 1 to 36525. One day more is
   * accepted, because people choose whole days. With this option, every new client expires.
   * @default none: a client may never expire
   */
  readonly maxAgeDays?: number | undefined
  /**
   * Days after which a new client expires, unless its creator sets another time: from 1 to 36525. @default `maxAgeDays`
   */
  readonly defaultDays?: number | undefined
  /** Whether every client must expire. @default true with `maxAgeDays`, otherwise false */
  readonly required?: boolean | undefined
}

/** The key of a gateway has no policy, because its gateway depends on it. */
export function policyOf(client: Client, policy: KeyPolicy): KeyPolicy {
  return isGatewayKey(client) ? {} : policy
}

/** The policy for a new client. @param input not validated yet */
export function policyOfNew(
  kind: Client['kind'],
  { resourceServer, products }: { readonly resourceServer?: unknown; readonly products?: unknown },
  policy: KeyPolicy,
): KeyPolicy {
  const isOfGateway = kind === 'apiKey' && resourceServer === true
  return isOfGateway && !(products as readonly string[] | undefined)?.length ? {} : policy
}

export function isExpiryRequired({ maxAgeDays, required = maxAgeDays !== undefined }: KeyPolicy): boolean {
  return required
}

/** Days after which a new client expires by itself; undefined for never. */
export function defaultDaysOf({ maxAgeDays, defaultDays = maxAgeDays }: KeyPolicy): number | undefined {
  return defaultDays
}

/** When clients expire (`keyPolicy`), and when notices are due: the rule of an expiry that is set; null is never. */
export function changedExpiryRule(policy: KeyPolicy): Rule {
  const { maxAgeDays = MAX_DAYS } = policy
  return (value) => {
    if (value === undefined) return undefined
    if (value === null) return isExpiryRequired(policy) ? REQUIRED : undefined
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      return { code: 'type', message: 'must be a time in whole seconds since the epoch' }
    }
    const ahead = value - Date.now() / 1000
    if (ahead <= 0) return { code: 'too-early', message: 'must be in the future' }
    // One day more is allowed, because people choose whole days.
    if (ahead <= (maxAgeDays + 1) * DAY_SECONDS) return undefined
    return { code: 'too-late', message: `must be at most ${maxAgeDays} days ahead`, max: maxAgeDays }
  }
}

const REQUIRED: Fault = {
  code: 'required',
  message: 'is required: every API key and application must expire',
}

export function newExpiryRule(policy: KeyPolicy): Rule {
  const rule = changedExpiryRule(policy)
  const isMissing = isExpiryRequired(policy) && defaultDaysOf(policy) === undefined
  return (value) => (value === undefined && isMissing ? REQUIRED : rule(value))
}

/** In epoch seconds; undefined for never. */
export function expiryOfNew(policy: KeyPolicy, given: number | null | undefined): number | undefined {
  const days = defaultDaysOf(policy)
  if (given !== undefined || days === undefined) return given ?? undefined
  return Math.floor(Date.now() / 1000) + days * DAY_SECONDS
}

/** Whether an existing client breaks the policy. It continues to work, and the console shows it. */
export function breaksPolicy(client: Client, policy: KeyPolicy): boolean {
  const { maxAgeDays = Infinity } = policy
  if (isGatewayKey(client)) return false
  if (client.expiresAt === undefined) return isExpiryRequired(policy)
  return client.expiresAt - Date.now() / 1000 > (maxAgeDays + 1) * DAY_SECONDS
}

export function isExpired({ expiresAt }: Pick<Client, 'expiresAt'>): boolean {
  return expiresAt !== undefined && Date.now() >= expiresAt * 1000
}

/** No token outlives its client. At least 1 second: oidc-provider needs a lifetime. `exp` is never after the expiry. */
export function lifetimeWithin({ expiresAt }: Pick<Client, 'expiresAt'>, lifetime: number): number {
  if (expiresAt === undefined) return lifetime
  return Math.max(1, Math.min(lifetime, expiresAt - Math.floor(Date.now() / 1000)))
}

/** A process that has not seen a new expiry may issue tokens that do not end at it. */
const LATE_TOKEN_SECONDS = 3600

export interface TokenLifetimes {
  /** Of the access tokens of API keys. */
  readonly longestLifetime: Pick<LongestLifetime, 'seconds'>
  /** Of those of applications. */
  readonly longestDelegatedLifetime: Pick<LongestLifetime, 'seconds'>
}

/**
 * A new expiry before this time revokes the tokens issued so far, because they could outlive it. In epoch seconds: the
 * present expiry, or the time at which the last token of any process has expired.
 */
export async function tokensEnd(
  { kind, expiresAt = Infinity }: Pick<Client, 'kind' | 'expiresAt'>,
  { longestLifetime, longestDelegatedLifetime }: TokenLifetimes,
): Promise<number> {
  const longest = kind === 'apiKey' ? longestLifetime : longestDelegatedLifetime
  return Math.min(expiresAt, Date.now() / 1000 + (await longest.seconds()) + LATE_TOKEN_SECONDS)
}

/** Days before the expiry. 0 is the expiry itself. */
const NOTICE_DAYS = [0, 1, 7, 30] as const

export type NoticeDays = (typeof NOTICE_DAYS)[number]

/** If several notices were missed, only the last of them is due. @param now milliseconds */
export function dueNotice(expiresAt: number, now: number): NoticeDays | undefined {
  return NOTICE_DAYS.find((days) => noticeTime(expiresAt, days) <= now)
}

/** In milliseconds; undefined after the last notice. */
export function nextNoticeTime(expiresAt: number, now: number): number | undefined {
  return NOTICE_DAYS.map((days) => noticeTime(expiresAt, days)).findLast((time) => time > now)
}

function noticeTime(expiresAt: number, days: NoticeDays): number {
  return (expiresAt - days * DAY_SECONDS) * 1000
}

/** ISO 8601 in UTC. @param seconds epoch seconds */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

const SOON_DAYS = 30

/** Within 30 days, or within half the lifetime of a new client if that is shorter. */
export function expiresSoon(client: Client, policy: KeyPolicy): boolean {
  const { expiresAt } = client
  if (expiresAt === undefined) return false
  const days = Math.min(SOON_DAYS, (defaultDaysOf(policyOf(client, policy)) ?? Infinity) / 2)
  const ahead = expiresAt - Date.now() / 1000
  return ahead > 0 && ahead < days * DAY_SECONDS
}
