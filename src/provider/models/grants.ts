import type { Adapter, AdapterPayload } from 'oidc-provider'
import { createCollection } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { modelAdapter } from './adapter.ts'

/** What accounts authorized applications to do. A grant id is no credential: tokens carry it in the clear. */
export interface Grants {
  readonly adapter: Adapter
  /**
   * Lets a grant live until `exp` (epoch seconds), if it would end before `atLeast`.
   *
   * @returns false if it is gone: what was taken back never comes to life again
   */
  keepAlive(grantId: string, options: { atLeast: number; exp: number }): Promise<boolean>
  delete(grantId: string): Promise<boolean>
}

export function createGrants(store: Store): Grants {
  const grants = createCollection<AdapterPayload>(store, { name: 'grant', version: 1 })
  return {
    adapter: modelAdapter('Grant', {
      async upsert(grantId, payload, ttl) {
        if (await grants.create(grantId, payload, ttl)) return
        throw new TypeError('a grant is saved once; afterwards it is only kept alive or deleted')
      },
      find: (grantId) => grants.get(grantId),
      async destroy(grantId) {
        await grants.delete(grantId)
      },
    }),
    async keepAlive(grantId, { atLeast, exp }) {
      const ttl = exp - Math.floor(Date.now() / 1000)
      const grant = await grants.update(
        grantId,
        (payload) => ((payload.exp ?? 0) < atLeast ? { ...payload, exp } : undefined),
        ttl,
      )
      return grant !== undefined
    },
    delete: (grantId) => grants.delete(grantId),
  }
}
