import { inBatches } from '../async/in-batches.ts'
import type { Catalog, CurrentCatalog, Operation } from '../catalog/catalog.ts'
import { directScopes, hasOperation, hasRequiredKycLevel, limitToPerson } from '../catalog/resolve-scopes.ts'
import type { Account } from '../host/accounts.ts'
import { isGatewayKey, type Client } from './client.ts'
import { documentOf } from './documents/document-application.ts'
import { isExpired } from './expiry-policy.ts'
import { isPublicClient } from './public-applications.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import { findOnce, type KnownAccounts } from '../host/find-once.ts'
import { missingUsers } from '../host/missing-users.ts'

/**
 * Why a client gets no token. If there are several reasons, the first of this list counts.
 *
 * - `disabled-by-operator`: an operator disabled it, and only an operator may enable it
 * - `disabled`: its owner disabled it
 * - `expired`: its time is over
 * - `compromised`: its secret leaked, and it has no new secret yet
 * - `no-secret`: all its secrets have expired
 * - `gateway`: it is the key of a gateway in another process, which needs no tokens
 * - `no-product`: no product was added
 * - `no-operation`: all operations of its products were removed, or the catalog has none of its products
 * - `owner-gone`: the host does not find the account that owns it, or the user to whom it belongs
 * - `user-operations`: the user to whom the API key belongs may use none of its operations
 * - `kyc-level`: all operations of the application are above the KYC level of its developer
 * - `no-redirect-uri`: the application has no redirect URI, so no user can authorize it; existing grants still refresh
 */
export const NO_TOKEN_REASONS = [
  'disabled-by-operator',
  'disabled',
  'expired',
  'compromised',
  'no-secret',
  'gateway',
  'no-product',
  'no-operation',
  'owner-gone',
  'user-operations',
  'kyc-level',
  'no-redirect-uri',
] as const

/** The filters of an owner's clients: `active` (gets tokens), `no-token` (gets none), or a reason why it gets none. */
export const LISTED_STATES = ['active', 'no-token', ...NO_TOKEN_REASONS] as const

/** Why a client gets no token. */
export type NoTokenReason = (typeof NO_TOKEN_REASONS)[number]

/** Disabled or expired: treated as if it did not exist. */
export function whyUnusable(
  client: Pick<Client, 'disabled' | 'disabledBy' | 'expiresAt'>,
): NoTokenReason | undefined {
  if (client.disabled) return client.disabledBy === 'operator' ? 'disabled-by-operator' : 'disabled'
  return isExpired(client) ? 'expired' : undefined
}

export function isUsable(client: Client, { publicApplications }: { readonly publicApplications: boolean }) {
  const isAllowed = publicApplications || !isPublicClient(client) || documentOf(client) !== undefined
  return !whyUnusable(client) && isAllowed
}

/** Regardless of its owner and of the catalog. */
export function whyNotAuthenticated(client: Client): NoTokenReason | undefined {
  return whyUnusable(client) ?? client.noSecret
}

/** Regardless of the owner. The token endpoint checks this first, because it does not call the host. */
export function whyNoOperation(catalog: Catalog, client: Client): NoTokenReason | undefined {
  if (isGatewayKey(client)) return 'gateway'
  if (client.products.length === 0) return 'no-product'
  return hasOperation(catalog, client) ? undefined : 'no-operation'
}

/** Why an authenticated client may use no operation. @param owner what `accounts.find` returns for it */
export function whyUnauthorized(
  catalog: Catalog,
  client: Client,
  owner: Account | undefined,
): NoTokenReason | undefined {
  const without = whyNoOperation(catalog, client)
  if (without) return without
  if (!owner) return 'owner-gone'
  if (client.kind === 'application') {
    const may = (operation: Operation) => hasRequiredKycLevel(catalog, owner.kycLevel, operation)
    return hasOperation(catalog, client, may) ? undefined : 'kyc-level'
  }
  if (client.userId === undefined) return undefined
  const allowed = limitToPerson(owner, directScopes(catalog, client))
  return allowed.length === 0 ? 'user-operations' : undefined
}

export function whyNoToken(
  catalog: Catalog,
  client: Client,
  owner: Account | undefined,
): NoTokenReason | undefined {
  const hasNoUri = client.kind === 'application' && client.redirectUris.length === 0
  return (
    whyNotAuthenticated(client) ??
    whyUnauthorized(catalog, client, owner) ??
    (hasNoUri ? 'no-redirect-uri' : undefined)
  )
}

const CONCURRENCY = 25

export interface ClientState {
  readonly noToken: NoTokenReason | undefined
  /** Users who know a valid secret, although the host no longer finds them in the account. */
  readonly knownToFormer: readonly string[]
}

/** Finds why clients get no token, such as disabled, expired, owner gone. Asks the host once for each owner and user. */
export function createStates(parts: {
  readonly accounts: Pick<HostAccounts, 'find'>
  readonly catalog: CurrentCatalog
}) {
  const { accounts, catalog } = parts
  return async function statesOf(clients: readonly Client[]): Promise<ClientState[]> {
    const asked: KnownAccounts = new Map()
    const find = (accountId: string, userId?: string) => findOnce(accounts, asked, { accountId, userId })
    const stateOf = async (client: Client): Promise<ClientState> => {
      const { accountId, userId, secretShownTo = [] } = client
      const [owner, knownToFormer] = await Promise.all([
        find(accountId, userId),
        missingUsers(secretShownTo, (each) => find(accountId, each)),
      ])
      return { noToken: whyNoToken(catalog.current, client, owner), knownToFormer }
    }
    return inBatches(clients, CONCURRENCY, stateOf)
  }
}

export type StatesOf = ReturnType<typeof createStates>
