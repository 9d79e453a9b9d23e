import { type Adapter, type AdapterPayload } from 'oidc-provider'
import type { Collection } from '../../../store/collection.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import { optional, stringRule } from '../../../validation/rules.ts'
import type { ProviderParts } from '../dependencies.ts'
import { getCode, currentContext } from '../request-state.ts'
import { modelAdapter, withoutId, payloadCollection } from './adapter.ts'

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

/**
 * The adapter for authorization codes. Its method `consume` does nothing, because `redeemCode` consumes a
 * code when it starts the refresh token family of the code.
 */
export function authorizationCodes(parts: Pick<ProviderParts, 'codes'>): Adapter {
  return modelAdapter('AuthorizationCode', {
    upsert: (code, payload, ttl) => parts.codes.set(digest(code), withoutId(payload), ttl),
    async find(code) {
      const payload = await getCode(parts, currentContext(), code)
      // The store decides whether a code has expired, because the clocks of two processes may differ by more than the
      // lifetime of a code. Relies on: oidc-provider only compares `exp` with the clock of this process.
      return payload && { ...payload, exp: Infinity, jti: code }
    },
    consume: async () => {},
    // The code need not be deleted here, because it is useless without its grant, which has been deleted. The code
    // expires within minutes.
    revokeByGrantId: async () => {},
  })
}
