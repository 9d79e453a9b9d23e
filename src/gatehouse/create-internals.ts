import type { Pages } from '../authorization-server/interaction/pages.ts'
import type { VerifyToken } from '../gateway/verify-token.ts'
import { deriveKey } from '../keys/derive-key.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import type { Gatehouse } from './gatehouse.ts'
import type { Clients } from './wire-clients.ts'
import type { Core } from './wire-core.ts'
import type { Authorizations } from './wire-grants.ts'

/** What `createInternals` needs besides the wired parts. */
interface Rest extends Pick<Gatehouse, 'tokens' | 'health'> {
  readonly keys: KeySource
  /** The pages of the authorization server, for the preview of the consent page. */
  readonly pages: Pages
  /** Verifies an access token of this service, without the revocations. */
  readonly verifyToken: VerifyToken
  /** The active key of access tokens. */
  signingKey(): Promise<SigningJwk>
  /** Starts the service in the background. */
  begin(): void
  /** Waits until the service has started, as long as a request may wait. */
  ready(): Promise<unknown>
  /** @throws {GatehouseError} `ERR_CLOSED` after `close()` */
  requireOpen(): void
}

/**
 * What the optional parts, each with an entry of its own, use of a gatehouse. The services here do not wait until the
 * gatehouse has started, so a part calls `ready` before them.
 */
export type Internals = ReturnType<typeof createInternals>

/** Collects what the optional parts use. Does no I/O. */
export function createInternals(core: Core, clients: Clients, authorizations: Authorizations, rest: Rest) {
  const { settings, durable, audit, accounts, catalog, events, logger } = core
  const { longestLifetime, revocationLog, revocations, revoked } = core
  const { apiKeys, applications, registry, clientTokens } = clients
  const { connections, grantLifecycle, grants } = authorizations
  const { list, rotate, revoke, exportable } = rest.keys
  return {
    ...rest,
    settings,
    store: durable,
    audit,
    accounts,
    catalog,
    events,
    logger,
    longestLifetime,
    revocationLog,
    revocations,
    revoked,
    apiKeys,
    applications,
    registry,
    clientTokens,
    connections,
    grantLifecycle,
    grants,
    signingKeys: { list, rotate, revoke },
    /** Undefined if the host manages the signing keys. */
    exportableKeys: exportable,
    /** The HMAC keys of CSRF tokens, newest first. */
    csrfKeys: settings.secrets.map((secret) => deriveKey(secret, 'csrf')),
    issuer: settings.issuer,
    audience: settings.audience,
    defaultLocale: settings.defaultLocale,
    branding: settings.branding,
  }
}
