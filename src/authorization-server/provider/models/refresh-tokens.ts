import { errors, Provider, type Adapter, type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import { personOf } from '../../../host/subject.ts'
import type { FoundRefreshToken } from '../../../grants/refresh-tokens/token-families.ts'
import { recordOf } from '../client-metadata.ts'
import type { ProviderDependencies } from '../dependencies.ts'
import type { RevokeGrant } from '../revoke-grant.ts'
import type { LimitGrants } from '../limit-grants.ts'
import { requestState } from '../request-state.ts'
import { isIntrospection, isRevocation, isTokenRequest } from '../request-kind.ts'
import { isRotation, tokenAsIssued } from '../seam.ts'
import { modelAdapter, withoutId } from './adapter.ts'
import type { Grants } from './grants.ts'

/** Refresh tokens, kept as families. */
export interface RefreshTokens {
  readonly adapter: Adapter
  /** Begins to look up the refresh token of a request, if it presents one of ours. */
  prefetch(ctx: KoaContextWithOIDC): void
}

/**
 * Refresh tokens as families. oidc-provider consumes, then saves, which loses the family when something fails
 * in between; here consuming does nothing, and saving the next token is the one write that exchanges it.
 */
export function createRefreshTokens(
  parts: Pick<ProviderDependencies, 'families' | 'refreshTokenFormat' | 'events' | 'clientUsed'> & {
    readonly grants: Grants
    readonly revokeGrant: RevokeGrant
    readonly limitGrants: LimitGrants
  },
): RefreshTokens {
  const { families, refreshTokenFormat, events, clientUsed, grants, revokeGrant, limitGrants } = parts
  /** What is being ended, by grant id. */
  const ending = new Map<string, Promise<void>>()

  /** One of many that are used at once ends the grant, and all wait for it. */
  function endOnce(grantId: string): Promise<void> {
    const end = ending.get(grantId) ?? revokeGrant(grantId).finally(() => ending.delete(grantId))
    ending.set(grantId, end)
    return end
  }

  async function endForReuse(event: 'refresh_token.reused' | 'code.reused', payload: AdapterPayload) {
    await endOnce(payload.grantId ?? '')
    events.emit(event, whoseOf(payload))
  }

  /**
   * What was good when it was found cannot be exchanged any more: it was used meanwhile, or the grant was withdrawn,
   * and nobody has used anything twice. Ended in either case: whoever withdrew it may not have come as far as the
   * access tokens.
   */
  async function endAfterRace(event: 'refresh_token.reused' | 'code.reused', payload: AdapterPayload) {
    const { grantId = '' } = payload
    if (await families.isRevoked(grantId)) await endOnce(grantId)
    else await endForReuse(event, payload)
  }

  /**
   * Once a request. The grant, which the token names and which is asked for next, is read at the same time, unless
   * anybody could have made up the token.
   */
  function lookUp(ctx: KoaContextWithOIDC, token: string): Promise<FoundRefreshToken | undefined> {
    const state = requestState(ctx)
    if (state.refreshLookUp?.token !== token) {
      state.refreshLookUp = { token, found: families.find(token) }
      const grantId = refreshTokenFormat.parse(token)?.grantId
      if (grantId !== undefined && !isRevocation() && refreshTokenFormat.isGenuine(token)) {
        grants.prefetch(ctx, grantId)
      }
    }
    return state.refreshLookUp.found
  }

  const adapter = modelAdapter('RefreshToken', {
    async upsert(token, payload, ttl = 0) {
      const ctx = Provider.ctx
      if (!ctx) throw new TypeError('a refresh token is only issued in a request')
      // What can be known by now is known: that the client gets a token is noted together with the last write.
      const noteUse = () => clientUsed(recordOf(ctx.oidc.client))
      if (isRotation(ctx)) {
        const previous = requestState(ctx).refreshToken
        if (!previous)
          throw new TypeError('the refresh token that is exchanged was not found by this request')
        noteUse()
        const exchange = await families.rotate(previous, token, withoutId(payload), ttl)
        if (exchange?.isRetry) {
          requestState(ctx).repeatedRefreshToken = exchange.next
          events.emit('refresh_token.retried', whoseOf(payload))
        }
        if (exchange) return
        await endAfterRace('refresh_token.reused', payload)
        throw new errors.InvalidGrant('refresh token already used')
      }
      const { grantId = '' } = payload
      // Before the code is used up, so that it can be tried again if this fails.
      if (!(await grants.activate(grantId))) throw new errors.InvalidGrant('grant not found')
      noteUse()
      const { listing } = requestState(ctx)
      // Asked together with the write.
      const mayExceedLimit = listing?.mayExceedLimit()
      if (await families.start(token, withoutId(payload), ttl)) {
        if (listing) void mayExceedLimit?.then((isMeant) => isMeant && limitGrants(listing))
        return
      }
      await endAfterRace('code.reused', payload)
      throw new errors.InvalidGrant('authorization code already used')
    },

    async find(token) {
      const issued = tokenAsIssued(token)
      const looked = await (Provider.ctx ? lookUp(Provider.ctx, issued) : families.find(issued))
      // Not before its client is known to be who it says: to look again and again costs more than to ask.
      const isDoubtful = looked?.state === 'used' && isTokenRequest()
      const found = isDoubtful ? await families.findForRotation(issued) : looked
      if (!found) return undefined
      if (Provider.ctx) requestState(Provider.ctx).refreshToken = found
      // What was exchanged may be sent again at most, but is no living token to those who ask about it.
      const isUsable = found.state === 'current' || (found.state === 'retryable' && !isIntrospection())
      const consumed = isUsable ? {} : { consumed: true }
      // Whose grant is not known there, of that nothing more is ended than by `destroy`.
      const grant = isRevocation() ? { grantId: undefined } : {}
      return { ...found.payload, jti: token, ...consumed, ...grant }
    },

    consume: async () => {},

    // oidc-provider calls this for a token that was used before, and for one that a client hands back. That may be
    // one that was used before, too: what counts is that it is genuine.
    async destroy() {
      const found = Provider.ctx && requestState(Provider.ctx).refreshToken
      if (!found) return
      if (!isRevocation()) return endForReuse('refresh_token.reused', found.payload)
      const { grantId = '' } = found.payload as AdapterPayload
      await revokeGrant(grantId)
    },

    // Of a token that was used before `destroy` ends the grant, in the order in which nothing can be lost.
    async revokeByGrantId(grantId) {
      if (!isTokenRequest()) await families.revoke(grantId)
    },
  })

  return {
    adapter,
    prefetch(ctx) {
      const { grant_type: grantType, refresh_token: token } = ctx.oidc.body ?? {}
      if (ctx.oidc.route !== 'token' || grantType !== 'refresh_token' || typeof token !== 'string') return
      if (!refreshTokenFormat.isGenuine(token)) return
      // Whoever needs the token is told that it failed; if nobody does, nothing is lost.
      lookUp(ctx, token).catch(() => {})
    },
  }
}

/** Whose a refresh token or code is, for events. What oidc-provider knows as the account id is the subject. */
function whoseOf({ grantId = '', clientId = '', accountId = '' }: AdapterPayload) {
  return { grantId, clientId, ...personOf(accountId) }
}
