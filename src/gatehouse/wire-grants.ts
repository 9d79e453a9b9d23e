import { deriveKey } from '../keys/derive-key.ts'
import { createConnections } from '../grants/connections.ts'
import { createConsentStore } from '../grants/consent-store.ts'
import { createGrantService } from '../grants/grant-service.ts'
import { createGrantLifecycle } from '../grants/grant-lifecycle.ts'
import { createRevokeLostOperations } from '../grants/revoke-lost-operations.ts'
import { createTokenFamilies } from '../grants/refresh-tokens/token-families.ts'
import { createGracePeriod } from '../grants/refresh-tokens/grace-period.ts'
import { createRefreshTokenFormat } from '../grants/refresh-tokens/token-format.ts'
import type { Core } from './wire-core.ts'

/** Grants, their refresh tokens, and stored consents. */
export type Authorizations = ReturnType<typeof createAuthorizations>

/** Wires grants, their refresh tokens, and stored consents. */
export function createAuthorizations(core: Core) {
  const { settings, durable } = core
  const { secrets, lifetimes, refreshTokenGraceSeconds: seconds, audience, openIdScopes } = settings
  const refreshTokenFormat = createRefreshTokenFormat(
    secrets.map((secret) => deriveKey(secret, 'refresh-tokens')),
  )
  const gracePeriod = createGracePeriod({
    seconds,
    keys: secrets.map((secret) => deriveKey(secret, 'refresh-retries')),
  })
  const families = createTokenFamilies(durable, refreshTokenFormat, {
    tombstoneTtl: lifetimes.authorizationCode + 60,
    gracePeriod,
    now: core.storeClock.now,
  })
  const grantLifecycle = createGrantLifecycle(durable, lifetimes)
  const consents = createConsentStore(durable, grantLifecycle.consentVersions, audience)
  const parts = {
    ...core,
    lifecycle: grantLifecycle,
    index: grantLifecycle.index,
    families,
    consents,
    audience,
  }
  return {
    ...createGrantService(parts),
    revokeLostOperations: createRevokeLostOperations({ ...parts, openIdScopes }),
    connections: createConnections(parts),
    refreshTokenFormat,
    families,
    grantLifecycle,
    consents,
  }
}
