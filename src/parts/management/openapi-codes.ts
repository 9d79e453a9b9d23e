import type { GatehouseErrorCode } from '../../errors.ts'
import { statusOf } from '../front-door/error-status.ts'
import { REASONS } from '../front-door/rejection.ts'

const MEANINGS = {
  ERR_QUERY: 'the query has more than 100 parameters',
  ERR_BODY: 'the body is not JSON, or is not an object',
  ERR_NOT_SIGNED_IN: 'the request has neither a session nor a valid token',
  ERR_FORBIDDEN: 'the caller does not have the permission',
  ERR_CONFIRM: 'the caller must sign in again at `confirmUrl`, and then repeat the request',
  ERR_CSRF:
    'a request with a session cookie has no valid `X-CSRF-Token`, or comes from a page of another site',
  ERR_NOT_FOUND: 'there is no such thing, or it belongs to another account',
  ERR_CONFLICT:
    'too many changes were made at the same time: send the request again. With `errors`, another key of the client has the same `kid`',
  ERR_IN_PROGRESS:
    'another request with this `Idempotency-Key` is in progress: send the request again after a second',
  ERR_TWO_SECRETS: 'two secrets are valid: revoke one of them first, or send `"overlapSeconds": 0`',
  ERR_ONE_SECRET: 'no secret and no key would be left',
  ERR_SECRETS_CHANGED:
    'the secrets were changed since the first request with this `Idempotency-Key`: use another key',
  ERR_DISABLED_BY_OPERATOR: 'an operator disabled the client, so only an operator may enable it',
  ERR_SIGNING_KEYS_READ_ONLY: 'the signing keys are configured in the app, and cannot be changed here',
  ERR_CHANGED: 'the client was changed meanwhile, or has no ETag of `If-Match`: read it again',
  ERR_BODY_TOO_LARGE: 'the body has more than 64 KiB',
  ERR_MEDIA_TYPE: 'the body is not `application/json`',
  ERR_INPUT:
    'a field, or a parameter of the query, is unknown, is missing, or does not have the valid form; or the request has `If-Match`, and does not support it',
  ERR_INVALID_ARGUMENT: 'a value is not valid',
  ERR_SCOPE_TOO_LARGE: 'tokens of the client would be too large: remove operations first',
  ERR_TOO_MANY_CLIENTS: 'the account has as many API keys and applications as it may have: delete one first',
  ERR_IDEMPOTENCY_KEY:
    'the `Idempotency-Key` does not have 1 to 255 visible characters, was used with another body, or what it created no longer exists',
  ERR_STORE_UNAVAILABLE: 'the store does not answer',
  ERR_NOT_READY: 'the service is starting',
  ERR_CLOSED: 'the service is closing',
} as const satisfies Partial<Record<GatehouseErrorCode | DoorCode, string>>

type DoorCode = (typeof REASONS)[keyof typeof REASONS][1]

export type ProblemCode = keyof typeof MEANINGS

export type ServiceCode = ProblemCode & GatehouseErrorCode

const DOOR_STATUSES: ReadonlyMap<string, number> = new Map(
  Object.values(REASONS).map(([status, code]) => [code, status]),
)

/** The codes of rejected requests, with statuses and meanings, in the order of the OpenAPI document. */
export const PROBLEM_CODES = (Object.keys(MEANINGS) as ProblemCode[]).map((code) => ({
  code,
  status: DOOR_STATUSES.get(code) ?? statusOf(code as ServiceCode),
  meaning: MEANINGS[code],
}))
