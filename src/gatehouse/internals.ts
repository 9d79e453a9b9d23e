import type { Pages } from '../authorization-server/interaction/pages.ts'
import { GatehouseError } from '../errors.ts'
import type { GatewayHooks } from '../gateway/gateway-hooks.ts'
import type { VerifyToken } from '../gateway/verify-token.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import type { Gatehouse } from './gatehouse.ts'
import type { Clients } from './wire-clients.ts'
import type { Core } from './wire-core.ts'
import type { PersonalData } from './wire-erasures.ts'
import type { Authorizations } from './wire-grants.ts'

interface Rest extends Pick<Gatehouse, 'tokens' | 'health' | 'clientDocuments'> {
  readonly keys: KeySource
  /** The pages of the authorization server, for the preview of the consent page. */
  readonly pages: Pages
  /** The HMAC keys of CSRF tokens, newest first. */
  readonly csrfKeys: readonly Uint8Array[]
  /** Verifies an access token of this service, without the revocations. */
  readonly verifyToken: VerifyToken
  signingKey(): Promise<SigningJwk>
  /** Where optional parts connect to the gateway of this process. */
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

function collectInternals(
  core: Core,
  clients: Clients,
  authorizations: Authorizations,
  personalData: PersonalData,
  rest: Rest,
) {
  const { settings } = core
  const { issuer, audience, defaultLocale, branding } = settings
  const { list, rotate, revoke, exportable } = rest.keys
  return {
    ...core,
    ...clients,
    ...authorizations,
    ...personalData,
    ...rest,
    store: core.durable,
    /** The same data, for writes that may be lost together with a server of the store. */
    plainStore: core.store,
    signingKeys: { list, rotate, revoke },
    /** Undefined if the host manages the signing keys. */
    exportableKeys: exportable,
    issuer,
    audience,
    defaultLocale,
    branding,
  }
}

export function registerInternals(gatehouse: object, ...parts: Parameters<typeof collectInternals>): void {
  internals.set(gatehouse, collectInternals(...parts))
}

/**
 * The inner parts of a gatehouse.
 *
 * @param caller the function that the host called, for the error
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `createGatehouse` did not create the gatehouse
 */
export function internalsOf(gatehouse: object, caller: string): Internals {
  const parts = internals.get(gatehouse)
  if (parts) return parts
  throw new GatehouseError('ERR_INVALID_ARGUMENT', `${caller} takes a gatehouse of createGatehouse()`)
}
