import type { AdapterPayload, KoaContextWithOIDC } from 'oidc-provider'
import type { GrantRecord } from '../../grants/grant-record.ts'
import type { FoundRefreshToken, TokenFamilies } from '../../grants/refresh-tokens/token-families.ts'
import type { RefreshTokenFormat } from '../../grants/refresh-tokens/token-format.ts'
import type { Collection, Stored } from '../../store/collection.ts'
import { digest } from '../../store/digest.ts'
import { requestState } from './request-state.ts'

/**
 * Reads each record at most once per request, and as early as possible. That saves two round trips to the store: the
 * code or refresh token is read together with the client, and the grant of a refresh token together with its family.
 */
export interface RequestReads {
  /** Starts to read what a token request presents. Failures appear when the record is needed. */
  prefetch(ctx: KoaContextWithOIDC): void
  getCode(ctx: KoaContextWithOIDC, code: string): Promise<AdapterPayload | undefined>
  /** The refresh token. Also starts to read its grant, if we issued the token. */
  getRefreshToken(ctx: KoaContextWithOIDC, token: string): Promise<FoundRefreshToken | undefined>
  getGrant(ctx: KoaContextWithOIDC, grantId: string): Promise<Stored<GrantRecord> | undefined>
}

export function createRequestReads(parts: {
  readonly codes: Collection<AdapterPayload>
  readonly families: Pick<TokenFamilies, 'find'>
  readonly refreshTokenFormat: RefreshTokenFormat
  readonly grants: Collection<GrantRecord>
}): RequestReads {
  const { codes, families, refreshTokenFormat, grants } = parts

  function getCode(ctx: KoaContextWithOIDC, code: string) {
    const state = requestState(ctx)
    if (state.code?.code !== code) state.code = { code, payload: codes.get(digest(code)) }
    return state.code.payload
  }

  function getRefreshToken(ctx: KoaContextWithOIDC, token: string) {
    const state = requestState(ctx)
    if (state.refreshToken?.token !== token) {
      state.refreshToken = { token, found: families.find(token) }
      const grantId = refreshTokenFormat.parse(token)?.grantId
      if (grantId !== undefined && refreshTokenFormat.isGenuine(token)) {
        getGrant(ctx, grantId).catch(ignore)
      }
    }
    return state.refreshToken.found
  }

  function getGrant(ctx: KoaContextWithOIDC, grantId: string) {
    const state = requestState(ctx)
    if (state.grant?.grantId !== grantId) state.grant = { grantId, stored: grants.read(grantId) }
    return state.grant.stored
  }

  return {
    getCode,
    getRefreshToken,
    getGrant,
    prefetch(ctx) {
      if (ctx.oidc.route !== 'token') return
      const { grant_type: grantType, code, refresh_token: token } = ctx.oidc.body ?? {}
      if (grantType === 'authorization_code' && typeof code === 'string') getCode(ctx, code).catch(ignore)
      // Strangers can make up tokens. Those that we did not issue cause no read before the client has authenticated.
      if (grantType === 'refresh_token' && typeof token === 'string' && refreshTokenFormat.isGenuine(token)) {
        getRefreshToken(ctx, token).catch(ignore)
      }
    },
  }
}

/** A read that fails ahead of time fails again for the code that awaits it. */
function ignore(): void {}
