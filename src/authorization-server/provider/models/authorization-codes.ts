import { Provider, type Adapter, type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import { createCollection } from '../../../store/collection.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import { isText, optional } from '../../../validation/shape.ts'
import { requestState } from '../request-state.ts'
import { modelAdapter, withoutId } from './adapter.ts'
import { payloadFields } from './payload-fields.ts'

const CODE = payloadFields('AuthorizationCode', {
  accountId: isText,
  clientId: isText,
  grantId: isText,
  redirectUri: optional(isText),
  codeChallenge: optional(isText),
  codeChallengeMethod: optional(isText),
})

/** Authorization codes, stored under their digest. */
export interface AuthorizationCodes {
  readonly adapter: Adapter
  /** Begins to look up the code of a request, if it presents one. */
  prefetch(ctx: KoaContextWithOIDC): void
}

/**
 * A code is used up by the start of its refresh family (`refresh-tokens.ts`), which is one atomic write and the
 * last one: so a failure of ours before that leaves it usable, and after it every further use is a replay.
 */
export function createAuthorizationCodes(store: Store): AuthorizationCodes {
  const codes = createCollection<AdapterPayload>(store, { name: 'code', version: 1, fields: CODE })

  /** Once a request. */
  function find(ctx: KoaContextWithOIDC, code: string): Promise<AdapterPayload | undefined> {
    const state = requestState(ctx)
    if (state.code?.code !== code) state.code = { code, found: codes.get(digest(code)) }
    return state.code.found
  }

  return {
    adapter: modelAdapter('AuthorizationCode', {
      upsert: (code, payload, ttl) => codes.set(digest(code), withoutId(payload), ttl),
      async find(code) {
        const payload = await (Provider.ctx ? find(Provider.ctx, code) : codes.get(digest(code)))
        return payload && { ...payload, jti: code }
      },
      consume: async () => {},
      // The grant is gone, and with it what the code stands for; the code itself expires within minutes.
      revokeByGrantId: async () => {},
    }),
    prefetch(ctx) {
      const { grant_type: grantType, code } = ctx.oidc.body ?? {}
      if (ctx.oidc.route !== 'token' || grantType !== 'authorization_code' || typeof code !== 'string') return
      // Whoever needs the code is told that it failed; if nobody does, nothing is lost.
      find(ctx, code).catch(() => {})
    },
  }
}
