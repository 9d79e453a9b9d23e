import { EXPIRED, UNKNOWN_KEY, WRONG_SIGNATURE } from '../../gateway/verify-token.ts'
import type { Client } from '../../clients/client.ts'
import type { RevocationCause } from '../../revocation/is-revoked.ts'
import { isText } from '../../validation/predicates.ts'
import { findClients } from '../activity/find-clients.ts'
import type { Call } from '../page.ts'
import type { ConsoleServices } from '../services.ts'
import type { DecodedToken } from './read-token.ts'

/** The services that the inspector uses. */
export type InspectorServices = Pick<
  ConsoleServices,
  'apiKeys' | 'applications' | 'accounts' | 'catalog' | 'verifyToken' | 'revoked' | 'issuer' | 'audience'
>

/** What is known about a token. */
export type TokenStatus =
  | { readonly is: 'valid' }
  /** Signature, issuer and audience are right. */
  | { readonly is: 'expired' }
  | { readonly is: 'revoked'; readonly cause: RevocationCause }
  | { readonly is: 'notAccessToken' | 'unsigned' | 'otherIssuer' | 'otherAudience' }
  | { readonly is: 'wrongSignature' | 'unknownKey' }
  /** @param problem why a gateway rejects the token, in English */
  | { readonly is: 'rejected'; readonly problem: string }

/** A token, its status and its client. */
export interface Inspection extends DecodedToken {
  readonly status: TokenStatus
  readonly client?: Client | undefined
  readonly scopes: readonly string[]
}

/**
 * Inspects a token for a caller. Operators may inspect every token. Other callers may inspect the tokens of clients that
 * their account owns.
 *
 * @returns undefined if the caller may not inspect the token
 */
export async function inspect(
  services: InspectorServices,
  { ctx, caller, isOperator }: Pick<Call, 'ctx' | 'caller' | 'isOperator'>,
  decoded: DecodedToken,
): Promise<Inspection | undefined> {
  const { claims } = decoded
  const clientId = isText(claims['client_id']) ? claims['client_id'] : undefined
  const [status, clients] = await Promise.all([
    statusOf(services, decoded),
    findClients(services, [{ clientId }]),
  ])
  const client = clients.get(clientId ?? '')
  const { accountId } = caller
  const isSigned =
    status.is === 'valid' || status.is === 'expired' || (status.is === 'revoked' && status.cause.of !== 'key')
  // The account of a deleted API key is in its tokens, because an API key acts on the account that owns it.
  const wasOwnKey = isSigned && claims['access_mode'] === 'direct' && claims['account_id'] === accountId
  if (!isOperator) {
    const isOwn = client ? client.accountId === accountId : wasOwnKey && clientId !== undefined
    if (!isOwn) return undefined
    const permission = client?.kind === 'application' ? 'applications:read' : 'keys:read'
    const mayRead = await services.accounts.can?.(ctx, permission, { accountId, clientId })
    if (mayRead === false) return undefined
  }
  return { ...decoded, status, client, scopes: scopesOf(claims) }
}

/** Only a token whose signature was verified is called valid, expired or revoked, unless its key was revoked. */
async function statusOf(
  { verifyToken, revoked, issuer, audience }: InspectorServices,
  { token, header, claims }: DecodedToken,
): Promise<TokenStatus> {
  const outcome = await verifyToken(token)
  if (!('problem' in outcome)) {
    const cause = revoked.findCause(outcome)
    return cause ? { is: 'revoked', cause } : { is: 'valid' }
  }
  const { problem } = outcome
  // The verifier checks signature, issuer and audience before the times.
  if (problem === EXPIRED.problem) return { is: 'expired' }
  const { alg, typ, kid } = header
  if (!isText(alg) || alg.toLowerCase() === 'none') return { is: 'unsigned' }
  if (!isText(typ) || !/^(application\/)?at\+jwt$/i.test(typ)) return { is: 'notAccessToken' }
  if (claims['iss'] !== issuer) return { is: 'otherIssuer' }
  if (![claims['aud']].flat().includes(audience)) return { is: 'otherAudience' }
  if (problem === WRONG_SIGNATURE.problem) return { is: 'wrongSignature' }
  if (isText(kid) && revoked.isKeyRevoked(kid)) return { is: 'revoked', cause: { of: 'key' } }
  if (problem === UNKNOWN_KEY.problem) return { is: 'unknownKey' }
  return { is: 'rejected', problem }
}

function scopesOf({ scope }: DecodedToken['claims']): readonly string[] {
  return isText(scope) ? [...new Set(scope.split(' ').filter(Boolean))] : []
}
