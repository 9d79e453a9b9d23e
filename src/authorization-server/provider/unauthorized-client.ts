import { errors } from 'oidc-provider'
import type { Client } from '../../clients/client.ts'
import { NO_TOKEN_REASONS, type NoTokenReason } from '../../clients/why-no-token.ts'

/** The `error_description` for each reason why an authenticated client gets no token. */
const DESCRIPTIONS: Partial<Record<NoTokenReason, string>> = {
  gateway: 'this {client} belongs to a gateway, so it has no API product; request tokens with another key',
  'no-product': 'this {client} has no API product; add one to it first',
  'no-operation': 'this {client} has no operation left; add a product, or restore an operation',
  'owner-gone':
    'the account that owns this {client}, or the user to whom it belongs, does not exist any more',
  'user-operations': 'the user of this {client} may use none of its operations now',
  'kyc-level': 'all operations of this {client} need a higher KYC level of its developer',
}

/** The error (RFC 6749 5.2) for a client that has authenticated, but gets no token. The log gets the reason as `error_detail`. */
export function unauthorized({ kind }: Pick<Client, 'kind'>, reason: NoTokenReason): Error {
  const description = (DESCRIPTIONS[reason] ?? reason).replace(
    '{client}',
    kind === 'apiKey' ? 'API key' : kind,
  )
  return new errors.UnauthorizedClient(description, reason)
}

/** The reason that the `error_detail` of a rejection names; undefined if the rejection has another cause. */
export function reasonOf(detail: string | undefined): NoTokenReason | undefined {
  return NO_TOKEN_REASONS.find((reason) => reason === detail)
}
