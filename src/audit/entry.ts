import { randomBytes } from 'node:crypto'
import type { AuditReason } from '../host/audit-reason.ts'
import { MAX_ADDRESS_LENGTH } from '../host/change-options.ts'
import { clientAddress } from '../http/client-address.ts'
import { isCount, isObject, isText } from '../validation/predicates.ts'

/** One entry of the audit trail: who did what, when, and from where. It never contains a token or a secret. */
export interface AuditEntry {
  /** A random id. */
  readonly id: string
  /**
   * When the act happened, in milliseconds since the epoch, by the clock of the process that wrote the entry. In an
   * entry with a `count`, this is the time of the first act; in the trail `failures`, it is when the count was
   * written, up to a minute after the failures. The order of the trail does not depend on this time.
   */
  readonly at: number
  /** What happened: the name of the event, such as `client.created`. */
  readonly name: string
  /** `failure` if someone tried something and was rejected. */
  readonly outcome: 'success' | 'failure'
  /** The host's name for the person or program that requested the act. */
  readonly actor?: string | undefined
  /** The account that owns the client, or that made the authorization. */
  readonly accountId?: string | undefined
  readonly userId?: string | undefined
  readonly clientId?: string | undefined
  /** The kind of the client. */
  readonly kind?: 'apiKey' | 'application' | undefined
  /**
   * In entries about a client: the name that the client had before the act. It is the only stored name of a deleted
   * client.
   */
  readonly clientName?: string | undefined
  readonly grantId?: string | undefined
  /** The `jti` of an access token that was revoked. */
  readonly tokenId?: string | undefined
  /** The `kid` of a signing key. */
  readonly keyId?: string | undefined
  /** The change of a client, such as `name`, `product.added` or `secret.rotated`. */
  readonly change?: string | undefined
  /** What the change was about: a product, scopes, a secret, a key, the new user, or an expiry. */
  readonly target?: string | undefined
  /** The values of changed fields before the act, as in the management API; a long one is a text of 500 characters. */
  readonly before?: Readonly<Record<string, unknown>> | undefined
  /** The values after the act, in the form of `before`. */
  readonly after?: Readonly<Record<string, unknown>> | undefined
  /** True if the change revoked the tokens that the client had obtained before. */
  readonly revokedTokens?: true | undefined
  /** The scopes that a person approved, or that were revoked. */
  readonly scopes?: readonly string[] | undefined
  /** The scopes that a person denied. */
  readonly denied?: readonly string[] | undefined
  /**
   * The operations that were added to products, each as `product/scope`. At most 100; a last item says how many more
   * there are.
   */
  readonly added?: readonly string[] | undefined
  /** The operations that were removed from products, in the form of `added`. */
  readonly removed?: readonly string[] | undefined
  /** Where a leaked secret was found, as the report says: for example `commit`. */
  readonly leakSource?: string | undefined
  /** The address at which a leaked secret was found, without the secret. */
  readonly leakUrl?: string | undefined
  /** Why something was revoked or rejected, if no person or program of the host asked for it directly. */
  readonly reason?: AuditReason | undefined
  /** In an entry about a refresh token: seconds between its two uses, at most 60. */
  readonly afterSeconds?: number | undefined
  /** The network address from which the act was requested. */
  readonly address?: string | undefined
  /** The user agent of the request; at most 200 characters. */
  readonly userAgent?: string | undefined
  /** How many equal acts, or equal failures, the entry covers. */
  readonly count?: number | undefined
  /** When the last of the equal acts happened, in milliseconds since the epoch. Absent in the trail `failures`. */
  readonly until?: number | undefined
  /**
   * True if a person whom the entry named was erased (`accounts.erase`). The fields that named the person are absent.
   */
  readonly erased?: true | undefined
}

/** What a caller says about an act. The default of `outcome` is `success`. */
export type EntryFields = Omit<AuditEntry, 'id' | 'at' | 'outcome'> & {
  readonly outcome?: AuditEntry['outcome'] | undefined
}

export interface PendingEntry {
  readonly entry: AuditEntry
  /** If the entry is in the trail, it is in the chunk with this number, or in a later one. */
  readonly after: number
  /** The later entry that counts this act, and when its minute ends; undefined if the act is not counted. */
  readonly into?: { readonly id: string; readonly until: number } | undefined
}

const MAX_USER_AGENT_LENGTH = 200

export function newEntryId(): string {
  return randomBytes(12).toString('base64url')
}

export function createEntry(fields: EntryFields, at: number, id = newEntryId()): AuditEntry {
  const { name, outcome = 'success', userAgent, ...others } = fields
  const address = clientAddress(fields.address ?? '') || undefined
  const program = userAgent === undefined ? undefined : plainText(userAgent, MAX_USER_AGENT_LENGTH)
  const all = { ...others, address, userAgent: program }
  const known = Object.entries(all).filter(([, value]) => value !== undefined)
  return { id, at, name, outcome, ...Object.fromEntries(known) }
}

/**
 * The sender in an entry, without control characters, and cut to what `ChangeOptions` accepts. The type rejects the
 * context of oidc-provider: it ignores the host's `app.proxy`, so behind a proxy its `ip` is the address of the proxy.
 */
export function requesterOf(request: {
  readonly ip: string
  get(header: string): string
  readonly oidc?: never
}): { readonly address?: string; readonly userAgent?: string } {
  const address = clientAddress(plainText(request.ip, MAX_ADDRESS_LENGTH))
  const userAgent = plainText(request.get('User-Agent'), MAX_USER_AGENT_LENGTH)
  return { ...(address !== '' && { address }), ...(userAgent !== '' && { userAgent }) }
}

/** A copy, because a slice would keep the whole header in memory. */
function plainText(text: string, maxLength: number): string {
  const plain = text.slice(0, maxLength).replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '')
  return Buffer.from(plain).toString()
}

export function isEntry(value: unknown): value is AuditEntry {
  return isObject(value) && isText(value['id']) && isCount(value['at']) && isText(value['name'])
}

export function isPendingEntry(value: unknown): value is PendingEntry {
  if (!isObject(value) || !isEntry(value['entry']) || !isCount(value['after'])) return false
  const { into } = value
  return into === undefined || (isObject(into) && isText(into['id']) && isCount(into['until']))
}
