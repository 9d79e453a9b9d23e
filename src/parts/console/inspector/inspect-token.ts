import { MAX_TOKEN_LENGTH } from '../../../gateway/bearer-token.ts'
import type { InvalidToken, TokenProblem } from '../../../gateway/token-problem.ts'
import type { Client } from '../../../clients/client.ts'
import type { RevocationCause } from '../../../revocation/is-revoked.ts'
import { parseJson } from '../../../validation/parse-json.ts'
import { isObject, isText } from '../../../validation/predicates.ts'
import { findClients } from '../../front-door/clients-named-in-list.ts'
import { rightTo } from '../../front-door/permissions-on-clients.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'

/** Nothing about it is verified. */
interface DecodedToken {
  /** As a gateway receives it. */
  readonly token: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** RFC 7516 3.1. */
const ENCRYPTED_PARTS = 5

/** Decodes what a person has pasted, also with `Authorization:` or line breaks. @returns or what is wrong */
export function readToken(pasted: string): DecodedToken | TextName {
  const token = pasted.replace(/^\s*(authorization\s*:)?\s*(bearer\s)?/i, '').replaceAll(/[\s"']/g, '')
  if (token === '') return 'inspectorEmpty'
  if (token.length > MAX_TOKEN_LENGTH) return 'inspectorTooLong'
  const parts = token.split('.')
  if (parts.length === ENCRYPTED_PARTS) return 'inspectorEncrypted'
  if (parts.length !== 3) return 'inspectorNotJwt'
  const [header, claims] = parts.map(parse)
  return header && claims ? { token, header, claims } : 'inspectorNotJwt'
}

function parse(encoded: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^[\w-]*$/.test(encoded)) return undefined
  const value = parseJson(Buffer.from(encoded, 'base64url').toString())
  return isObject(value) ? value : undefined
}

export type TokenStatus =
  | { readonly is: 'valid' }
  /** Signature, issuer and audience are right. */
  | { readonly is: 'expired' }
  | { readonly is: 'revoked'; readonly cause: RevocationCause }
  | { readonly is: 'rejected'; readonly problem: RejectedFor; readonly claim?: string | undefined }

export type RejectedFor = Exclude<TokenProblem, 'expired'> | NonNullable<InvalidToken['also']>

export interface Inspection extends DecodedToken {
  readonly status: TokenStatus
  readonly client?: Client | undefined
  readonly scopes: readonly string[]
}

/** Inspects a token for a caller: operators may inspect all, others those of their account's clients. */
export async function inspect(services: ConsoleServices, { caller, has, may }: Call, decoded: DecodedToken) {
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
  // The tokens of a deleted API key still name the account.
  const wasOwnKey = isSigned && claims['access_mode'] === 'direct' && claims['account_id'] === accountId
  if (!has('operator')) {
    const isOwn = client ? client.accountId === accountId : wasOwnKey && clientId !== undefined
    if (!isOwn) return undefined
    if (!(await may(rightTo('read', client?.kind ?? 'apiKey'), client ?? { clientId }))) return undefined
  }
  const { scope } = claims
  const scopes = isText(scope) ? [...new Set(scope.split(' ').filter(Boolean))] : []
  return { ...decoded, status, client, scopes }
}

/** Valid, expired or revoked only if the signature was verified, except for a token of a revoked key. */
async function statusOf(
  { verifyToken, revoked }: ConsoleServices,
  { token, header }: DecodedToken,
): Promise<TokenStatus> {
  const outcome = await verifyToken(token)
  if (!('problem' in outcome)) {
    const cause = revoked.findCause(outcome)
    return cause ? { is: 'revoked', cause } : { is: 'valid' }
  }
  const { problem, claim, also } = outcome
  if (problem === 'expired') return { is: 'expired' }
  if (also !== undefined) return { is: 'rejected', problem: also }
  const { kid } = header
  if (problem === 'unknown-key' && isText(kid) && revoked.isKeyRevoked(kid))
    return { is: 'revoked', cause: { of: 'key' } }
  return { is: 'rejected', problem, claim }
}
