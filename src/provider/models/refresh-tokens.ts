import { errors, Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import type { EventSink } from '../../host/events.ts'
import type { RefreshFamilies } from '../../tokens/refresh-families.ts'
import { requestState } from '../request-state.ts'
import { isRotation } from '../seam.ts'
import { modelAdapter, withoutId } from './adapter.ts'
import type { Grants } from './grants.ts'

/**
 * Refresh tokens as families. oidc-provider consumes, then saves, which loses the family when something fails
 * in between; here consuming does nothing, and saving the next token is the one write that exchanges it.
 */
export function refreshTokens(families: RefreshFamilies, grants: Grants, events: EventSink): Adapter {
  async function endForReuse(event: 'refresh_token.reused' | 'code.reused', payload: AdapterPayload) {
    const { grantId = '', clientId = '', accountId = '' } = payload
    await Promise.all([families.end(grantId), grants.delete(grantId)])
    events.emit(event, { clientId, accountId, grantId })
  }

  return modelAdapter('RefreshToken', {
    async upsert(token, payload, ttl = 0) {
      const ctx = Provider.ctx
      if (!ctx) throw new TypeError('a refresh token is only issued in a request')
      if (isRotation(ctx)) {
        const previous = requestState(ctx).refreshToken
        if (!previous)
          throw new TypeError('the refresh token that is exchanged was not found by this request')
        if (await families.rotate(previous, token, withoutId(payload), ttl)) return
        await endForReuse('refresh_token.reused', payload)
        throw new errors.InvalidGrant('refresh token already used')
      }
      const { grantId = '' } = payload
      // Before the code is used up, so that it can be tried again if this fails.
      if (!(await grants.keepAlive(grantId))) throw new errors.InvalidGrant('grant not found')
      if (await families.start(token, withoutId(payload), ttl)) return
      await endForReuse('code.reused', payload)
      throw new errors.InvalidGrant('authorization code already used')
    },

    async find(token) {
      const found = await families.find(token)
      if (!found) return undefined
      if (Provider.ctx) requestState(Provider.ctx).refreshToken = found
      return { ...found.payload, jti: token, ...(found.state === 'used' ? { consumed: true } : {}) }
    },

    consume: async () => {},

    // oidc-provider calls this for a token that was used before.
    async destroy() {
      const found = Provider.ctx && requestState(Provider.ctx).refreshToken
      if (found) await endForReuse('refresh_token.reused', found.payload)
    },

    revokeByGrantId: (grantId) => families.end(grantId),
  })
}
