import type { CurrentCatalog } from '../catalog/catalog.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'

/** The inner parts of a gatehouse that `koa-gatehouse/testing` needs. */
export interface Internals {
  readonly settings: Pick<ResolvedOptions, 'issuer' | 'audience' | 'lifetimes' | 'store'>
  readonly catalog: CurrentCatalog
  /** The active key of access tokens. */
  signingKey(): Promise<SigningJwk>
}

const internals = new WeakMap<object, Internals>()

/**
 * Registers the inner parts of a gatehouse for `internalsOf`. The parts stay hidden from callers of the
 * gatehouse.
 */
export function registerInternals(gatehouse: object, parts: Internals): void {
  internals.set(gatehouse, parts)
}

/** The inner parts of a gatehouse, or undefined if `createGatehouse` did not create it. */
export function internalsOf(gatehouse: object): Internals | undefined {
  return internals.get(gatehouse)
}
