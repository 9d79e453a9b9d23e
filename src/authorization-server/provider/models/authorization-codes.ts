import { Provider, type Adapter, type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import { createCollection } from '../../../store/collection.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import { optional, stringRule } from '../../../validation/rules.ts'
import { requestState } from '../request-state.ts'
import { modelAdapter, withoutId } from './adapter.ts'
import { payloadFields } from './payload-fields.ts'

const CODE = payloadFields('AuthorizationCode', {
  accountId: stringRule,
  clientId: stringRule,
  grantId: stringRule,
  redirectUri: optional(stringRule),
  codeChallenge: optional(stringRule),
  codeChallengeMethod: optional(stringRule),
})

/** Authorization codes, stored under their digest. */
export interface AuthorizationCodes {
  readonly adapter: Adapter
  /** Starts looking up the code of a request, if the request presents one. */
  prefetch(ctx: KoaContextWithOIDC): void
}

/**
 * A code is consumed by starting its refresh token family (`refresh-tokens.ts`), which is one atomic write and the
 * last one. A failure on our side before that write leaves the code usable; every use after it is a replay.
 */
export function createAuthorizationCodes(store: Store): AuthorizationCodes {
  const codes = createCollection<AdapterPayload>(store, { name: 'code', version: 1, fields: CODE })

  /** Looks the code up once per request. */
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
      // The code is useless without its grant, which has been deleted; the code itself expires within minutes.
      revokeByGrantId: async () => {},
    }),
    prefetch(ctx) {
      const { grant_type: grantType, code } = ctx.oidc.body ?? {}
      if (ctx.oidc.route !== 'token' || grantType !== 'authorization_code' || typeof code !== 'string') return
      // The caller that awaits the code receives the error. If no caller does, the failure has no effect.
      find(ctx, code).catch(() => {})
    },
  }
}
