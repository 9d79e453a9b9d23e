import type { AdapterPayload, KoaContextWithOIDC } from 'oidc-provider'
import type { GrantRecord } from '../../grants/grant-record.ts'
import type { FoundRefreshToken } from '../../grants/refresh-tokens/token-families.ts'
import type { Stored } from '../../store/collection.ts'
import { digest } from '../../store/digest.ts'
import type { ProviderParts } from './dependencies.ts'
import { requestState } from './request-state.ts'

// The code, the refresh token and the grant of a request are read as early as possible, and usually only
// once. Reading early saves two round trips to the store. The code or refresh token is read at the same time
// as the client. The grant of a refresh token is read at the same time as the token's family.

type Parts = Pick<ProviderParts, 'codes' | 'families' | 'refreshTokenFormat' | 'grantLifecycle'>

/**
 * Starts to read the code or refresh token of a token request, and does not wait for the result. If the read
 * fails, the error is thrown where the record is awaited.
 */
export function prefetch(parts: Parts, ctx: KoaContextWithOIDC): void {
  if (ctx.oidc.route !== 'token') return
  const { grant_type: grantType, code, refresh_token: token } = ctx.oidc.body ?? {}
  if (grantType === 'authorization_code' && typeof code === 'string') getCode(parts, ctx, code).catch(ignore)
  if (grantType !== 'refresh_token' || typeof token !== 'string') return
  // Strangers can make up tokens. A token that we did not issue is not read here, but only after the client
  // has authenticated.
  if (parts.refreshTokenFormat.isGenuine(token)) readRefreshToken(parts, ctx, token, true).catch(ignore)
}

export function getCode(
  { codes }: Pick<Parts, 'codes'>,
  ctx: KoaContextWithOIDC,
  code: string,
): Promise<AdapterPayload | undefined> {
  const state = requestState(ctx)
  if (state.code?.code !== code) state.code = { code, payload: codes.get(digest(code)) }
  return state.code.payload
}

export function getRefreshToken(
  parts: Omit<Parts, 'codes'>,
  ctx: KoaContextWithOIDC,
  token: string,
): Promise<FoundRefreshToken | undefined> {
  const { refreshToken } = requestState(ctx)
  if (refreshToken?.token === token) return refreshToken.found
  return readRefreshToken(parts, ctx, token, parts.refreshTokenFormat.isGenuine(token))
}

/** Reads the refresh token. If we issued the token, this function also starts to read its grant. */
function readRefreshToken(
  parts: Omit<Parts, 'codes'>,
  ctx: KoaContextWithOIDC,
  token: string,
  isGenuine: boolean,
): Promise<FoundRefreshToken | undefined> {
  const found = parts.families.find(token)
  requestState(ctx).refreshToken = { token, found }
  const grantId = isGenuine ? parts.refreshTokenFormat.parse(token)?.grantId : undefined
  if (grantId !== undefined) getGrant(parts, ctx, grantId).catch(ignore)
  return found
}

export function getGrant(
  { grantLifecycle }: Pick<Parts, 'grantLifecycle'>,
  ctx: KoaContextWithOIDC,
  grantId: string,
): Promise<Stored<GrantRecord> | undefined> {
  const state = requestState(ctx)
  if (state.grant?.grantId !== grantId) {
    state.grant = { grantId, stored: grantLifecycle.records.read(grantId) }
  }
  return state.grant.stored
}

/** Ignores the failure of an early read. The failure is thrown again where the record is awaited. */
function ignore(): void {}
