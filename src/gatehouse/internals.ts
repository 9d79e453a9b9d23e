import type { CurrentCatalog } from '../catalog/catalog.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import type { Store } from '../store/contract.ts'
import type { Settings } from '../options/resolved-options.ts'

/** What `koa-gatehouse/testing` needs of a gatehouse and nobody else does. */
export interface Internals {
  readonly settings: Pick<Settings, 'issuer' | 'audience' | 'lifetimes'>
  readonly store: Store
  readonly catalog: CurrentCatalog
  /** The key that signs access tokens now. */
  signingKey(): Promise<SigningJwk>
}

const internals = new WeakMap<object, Internals>()

/** Makes the inner parts of a gatehouse known to `internalsOf`, and to nobody who has only the gatehouse. */
export function registerInternals(gatehouse: object, parts: Internals): void {
  internals.set(gatehouse, parts)
}

/** The inner parts of a gatehouse, or undefined if it was not made by `createGatehouse`. */
export function internalsOf(gatehouse: object): Internals | undefined {
  return internals.get(gatehouse)
}
