import type { Pages } from '../authorization-server/interaction/pages.ts'
import { GatehouseError } from '../errors.ts'
import type { GatewayHooks } from '../gateway/gateway-hooks.ts'
import type { VerifyToken } from '../gateway/verify-token.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import type { Gatehouse } from './gatehouse.ts'
import type { Parts } from './parts.ts'

interface Rest extends Pick<Gatehouse, 'tokens' | 'health'> {
  /** The pages of the authorization server, for the preview of the consent page. */
  readonly pages: Pages
  /** The HMAC keys of CSRF tokens, newest first. */
  readonly csrfKeys: readonly Uint8Array[]
  /** Verifies an access token of this service, without the revocations. */
  readonly verifyToken: VerifyToken
  signingKey(): Promise<SigningJwk>
  readonly gatewayHooks: GatewayHooks
  begin(): void
  /** Waits until the service has started, but not longer than a request may wait. */
  ready(): Promise<unknown>
  /** @throws {GatehouseError} `ERR_CLOSED` after `close()` */
  requireOpen(): void
}

/** The inner services do not wait for the start, so an optional part calls `ready` first. */
export type Internals = ReturnType<typeof collectInternals>

const internals = new WeakMap<object, Internals>()

function collectInternals(parts: Parts, rest: Rest) {
  const { issuer, audience, defaultLocale, branding } = parts.settings
  return {
    ...parts,
    ...rest,
    store: parts.durable,
    /** The same data, for writes that may be lost together with a server of the store. */
    plainStore: parts.store,
    /** Undefined if the host manages the signing keys. */
    exportableKeys: parts.keys.exportable,
    issuer,
    audience,
    defaultLocale,
    branding,
  }
}

export function registerInternals(gatehouse: object, parts: Parts, rest: Rest): void {
  internals.set(gatehouse, collectInternals(parts, rest))
}

/**
 * The inner parts of a gatehouse. `caller` is the function that the host called, for the error.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `createGatehouse` did not create the gatehouse
 */
export function internalsOf(gatehouse: object, caller: string): Internals {
  const parts = internals.get(gatehouse)
  if (parts) return parts
  throw new GatehouseError('ERR_INVALID_ARGUMENT', `${caller} takes a gatehouse of createGatehouse()`)
}
