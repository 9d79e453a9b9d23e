import {
  errors,
  type Adapter,
  type AdapterPayload,
  type Client,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import type { Client as ClientRecord } from '../../../../clients/client.ts'
import { documentOf } from '../../../../clients/documents/document-application.ts'
import type { GrantRecord } from '../../../../grants/grant-record.ts'
import { revokeAfterRace } from '../../../../grants/refresh-tokens/revoke-reused.ts'
import { personOf } from '../../../../host/subject.ts'
import { requesterOf } from '../../../../audit/entry.ts'
import type { Collection } from '../../../../store/collection.ts'
import type { Store } from '../../../../store/contract.ts'
import { digest } from '../../../../store/digest.ts'
import { optional, stringRule } from '../../../../validation/rules.ts'
import { currentContext, recordOf, getCode, getGrant, requestState } from '../../request-state.ts'
import type { ProviderParts } from '../../dependencies.ts'
import { modelAdapter, payloadCollection, withoutId } from '../../models/adapter.ts'

// A code exchange (RFC 6749 4.1.3), step by step. oidc-provider calls the steps in this order.

/**
 * 1. The client has authenticated. `redirect_uri` may be missing (OAuth 2.1 4.1.3): oidc-provider fills in
 * the only one of an application, and this function the one that received the code.
 */
export async function fillInRedirectUri(
  parts: ProviderParts,
  ctx: KoaContextWithOIDC,
  { clientId, applicationType, redirectUris = [] }: Client,
  params: Record<string, unknown>,
): Promise<void> {
  if (params['redirect_uri'] !== undefined) return
  // The redirect URI of a native application may have another port than the registered one.
  if (redirectUris.length < 2 && applicationType !== 'native') return
  const code = typeof params['code'] === 'string' ? await getCode(parts, ctx, params['code']) : undefined
  // oidc-provider rejects an unknown code, or a code of another client, with any redirect URI.
  params['redirect_uri'] = code?.clientId === clientId ? code.redirectUri : redirectUris[0]
}

/**
 * 2. oidc-provider is reading the grant. To save a round trip, it is added to the index of grants at the same
 * time. If the exchange fails, readers skip the entry, and it is deleted with the grant.
 *
 * Relies on: oidc-provider reads the grant only after it has found that the code belongs to this client.
 */
export async function listGrant({ grantLifecycle }: ProviderParts, ctx: KoaContextWithOIDC, grantId: string) {
  const state = requestState(ctx)
  const code = await state.code?.payload
  if (code?.grantId !== grantId) return
  const { accountId: subject = '', clientId = '', iat = 0 } = code
  state.listing = await grantLifecycle.list({
    ...personOf(subject),
    clientId,
    grantId,
    listedAt: iat * 1000,
  })
}

/**
 * 3. oidc-provider saves the first refresh token. One atomic write starts the family and consumes the code:
 * after a failure before it, the code is usable.
 * @throws invalid_grant if the grant was revoked, or if the code was used: its grant is then revoked
 */
export async function redeemCode(
  parts: ProviderParts,
  ctx: KoaContextWithOIDC,
  token: string,
  payload: AdapterPayload,
  ttl: number,
): Promise<void> {
  const { grantId = '' } = payload
  const { listing, deadline, host } = requestState(ctx)
  const grant = await getGrant(parts, ctx, grantId)
  requireSameHostEpoch(recordOf(ctx.oidc.client), grant?.record)
  if (!(await parts.grantLifecycle.activate(grantId, grant, listing))) {
    throw new errors.InvalidGrant('grant not found')
  }
  // In the same round trip as the write that follows.
  parts.clientUsed(recordOf(ctx.oidc.client), requestState(ctx).credential)
  const mayExceedLimit = listing?.mayExceedLimit()
  if (!(await parts.families.start(token, payload, ttl, deadline))) {
    await revokeAfterRace(parts, 'code.reused', payload, requesterOf(host))
    throw new errors.InvalidGrant('authorization code already used')
  }
  if (listing) void mayExceedLimit?.then((exceeds) => exceeds && parts.limitGrants(listing))
}

/** Grants of a blocked host are deleted in the background: some exist when the host is unblocked. */
export function requireSameHostEpoch(client: ClientRecord, grant: GrantRecord | undefined): void {
  const document = documentOf(client)
  if (!document || !grant || grant.versions?.host === String(document.epoch)) return
  throw new errors.InvalidGrant('grant not found')
}

const CODE = {
  accountId: stringRule,
  clientId: stringRule,
  grantId: stringRule,
  redirectUri: optional(stringRule),
  codeChallenge: optional(stringRule),
  codeChallengeMethod: optional(stringRule),
}

/** Authorization codes, stored under their digest. */
export function codeCollection(store: Store): Collection<AdapterPayload> {
  return payloadCollection(store, 'code', 'AuthorizationCode', CODE)
}

/** `consume` does nothing, because `redeemCode` consumes a code when it starts the refresh token family. */
export function authorizationCodes(parts: ProviderParts): Adapter {
  return modelAdapter('AuthorizationCode', {
    upsert: (code, payload, ttl) => parts.codes.set(digest(code), withoutId(payload), ttl),
    async find(code) {
      const payload = await getCode(parts, currentContext(), code)
      // The store decides whether a code has expired, because the clocks of two processes may differ by more than the
      // lifetime of a code. Relies on: oidc-provider only compares `exp` with the clock of this process.
      return payload && { ...payload, exp: Infinity, jti: code }
    },
    consume: async () => {},
    // The code is useless without its grant, which has been deleted, and expires within minutes.
    revokeByGrantId: async () => {},
  })
}
