import type { Outcome } from '../../usage/outcomes.ts'
import type { TextName } from '../texts.ts'

/** The name of an outcome, and what the developer can do about it. */
export const OUTCOME_TEXTS: Readonly<Record<Outcome, readonly [name: TextName, remedy?: TextName]>> = {
  ok: ['outcomeOk'],
  accepted: ['outcomeAccepted'],
  issued: ['outcomeIssued'],
  client_error: ['outcomeClientError', 'remedyClientError'],
  server_error: ['outcomeServerError', 'remedyServerError'],
  aborted: ['outcomeAborted', 'remedyAborted'],
  unavailable: ['outcomeUnavailable', 'remedyServerError'],
  missing_token: ['outcomeMissingToken', 'remedyInvalidRequest'],
  invalid_request: ['outcomeInvalidRequest', 'remedyInvalidRequest'],
  invalid_token: ['outcomeInvalidToken', 'remedyInvalidRequest'],
  expired_token: ['outcomeExpiredToken', 'remedyExpiredToken'],
  revoked_token: ['outcomeRevokedToken', 'remedyExpiredToken'],
  insufficient_scope: ['outcomeInsufficientScope', 'remedyInsufficientScope'],
  address_not_allowed: ['outcomeAddress', 'remedyAddress'],
  rate_limited: ['outcomeRateLimited', 'remedyRateLimited'],
  not_found: ['outcomeNotFound', 'remedyNotFound'],
  invalid_client: ['outcomeInvalidClient', 'remedyInvalidClient'],
  invalid_grant: ['outcomeInvalidGrant', 'remedyInvalidGrant'],
  invalid_scope: ['outcomeInvalidScope', 'remedyInsufficientScope'],
  invalid_target: ['outcomeInvalidTarget', 'remedyInvalidRequest'],
  unauthorized_client: ['outcomeUnauthorizedClient', 'remedyUnauthorizedClient'],
  unsupported_grant_type: ['outcomeUnsupportedGrantType', 'remedyInvalidRequest'],
  other_error: ['outcomeOtherError', 'remedyInvalidRequest'],
}
