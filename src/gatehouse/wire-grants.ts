import { deriveKey } from '../keys/derive-key.ts'
import { createConsentStore } from '../grants/consent-store.ts'
import { createGrantService } from '../grants/grant-service.ts'
import { createGrantLifecycle } from '../grants/grant-lifecycle.ts'
import { createTokenFamilies } from '../grants/refresh-tokens/token-families.ts'
import { createGracePeriod } from '../grants/refresh-tokens/grace-period.ts'
import { createRefreshTokenFormat } from '../grants/refresh-tokens/token-format.ts'
import type { Base } from './wire-core.ts'

/** Wires grants, their refresh tokens, and stored consents. */
export function createAuthorizations({ settings, durable, events, logger, revocations }: Base) {
  const { secrets, lifetimes, refreshTokenGraceSeconds, audience } = settings
  const refreshTokenFormat = createRefreshTokenFormat(
    secrets.map((secret) => deriveKey(secret, 'refresh-tokens')),
  )
  const gracePeriod =
    refreshTokenGraceSeconds === 0
      ? undefined
      : createGracePeriod({
          seconds: refreshTokenGraceSeconds,
          keys: secrets.map((secret) => deriveKey(secret, 'refresh-retries')),
        })
  const families = createTokenFamilies(durable, refreshTokenFormat, {
    tombstoneTtl: lifetimes.authorizationCode + 60,
    gracePeriod,
  })
  const grantLifecycle = createGrantLifecycle(durable, lifetimes)
  const consents = createConsentStore(durable, lifetimes.storedConsent, grantLifecycle.consentVersions)
  const { grants, grantsOfUsers, resumeGrant, resumeAccount } = createGrantService({
    lifecycle: grantLifecycle,
    families,
    consents,
    revocations,
    events,
    logger,
    audience,
  })
  return {
    refreshTokenFormat,
    families,
    grantLifecycle,
    consents,
    grants,
    grantsOfUsers,
    resumeGrant,
    resumeAccount,
  }
}
