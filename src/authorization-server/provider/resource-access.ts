import { errors } from 'oidc-provider'
import type { Catalog } from '../../catalog/catalog.ts'
import { explainRejection } from '../../catalog/resolve-scopes.ts'
import type { Resource } from '../../catalog/resources.ts'
import type { Client } from '../../clients/client.ts'
import { NO_TOKEN_REASONS, whyUnauthorized, type NoTokenReason } from '../../clients/why-no-token.ts'
import type { Account } from '../../host/accounts.ts'

/**
 * For a client that may use no operation of a resource: unauthorized_client if it may use none at all,
 * otherwise invalid_target (RFC 8707 2). `all` are all products, also those of other resources.
 */
export function noAccess(resource: Resource, all: Catalog, client: Client, owner: Account | undefined) {
  const reason = whyUnauthorized(all, client, owner)
  if (reason) return unauthorized(client, reason)
  const kind = client.kind === 'apiKey' ? 'API key' : client.kind
  return new errors.InvalidTarget(
    `this ${kind} may use no operation of the resource ${resource.address}; add one of its products, or name another resource`,
  )
}

/** Why a client may not have a scope at a resource, for `error_description`; undefined if it may. */
export function explainRejectionAt(
  resource: Resource,
  all: Catalog,
  client: Client,
  kycLevel: string | undefined,
  scope: string,
): string | undefined {
  const { current } = resource.catalog
  const isElsewhere = all.operations.has(scope) && !current.operations.has(scope)
  if (!isElsewhere) return explainRejection(current, client, kycLevel, scope)
  return `the operation ${scope} does not belong to the resource ${resource.address}`
}

const DESCRIPTIONS: Partial<Record<NoTokenReason, string>> = {
  gateway: 'this {client} belongs to a gateway, so it has no API product; request tokens with another key',
  'no-product': 'this {client} has no API product; add one to it first',
  'no-operation': 'this {client} has no operation left; add a product, or restore an operation',
  'owner-gone':
    'the account that owns this {client}, or the user to whom it belongs, does not exist any more',
  'user-operations': 'the user of this {client} may use none of its operations now',
  'kyc-level': 'all operations of this {client} need a higher KYC level of its developer',
}

/** RFC 6749 5.2. The log gets the reason as `error_detail`. */
function unauthorized({ kind }: Pick<Client, 'kind'>, reason: NoTokenReason): Error {
  const description = (DESCRIPTIONS[reason] ?? reason).replace(
    '{client}',
    kind === 'apiKey' ? 'API key' : kind,
  )
  return new errors.UnauthorizedClient(description, reason)
}

export function reasonOf(detail: string | undefined): NoTokenReason | undefined {
  return NO_TOKEN_REASONS.find((reason) => reason === detail)
}
