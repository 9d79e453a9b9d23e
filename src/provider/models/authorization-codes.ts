import type { Adapter, AdapterPayload } from 'oidc-provider'
import { createCollection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { digest } from '../../store/digest.ts'
import { modelAdapter, withoutId } from './adapter.ts'

/**
 * Authorization codes, stored under their digest. A code is used up by the start of its refresh family
 * (`refresh-tokens.ts`), which is one atomic write and the last one: so a failure of ours before that leaves
 * it usable, and after it every further use is a replay.
 */
export function authorizationCodes(store: Store): Adapter {
  const codes = createCollection<AdapterPayload>(store, { name: 'code', version: 1 })
  return modelAdapter('AuthorizationCode', {
    upsert: (code, payload, ttl) => codes.set(digest(code), withoutId(payload), ttl),
    async find(code) {
      const payload = await codes.get(digest(code))
      return payload && { ...payload, jti: code }
    },
    consume: async () => {},
    // The grant is gone, and with it what the code stands for; the code itself expires within a minute.
    revokeByGrantId: async () => {},
  })
}
