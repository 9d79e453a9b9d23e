import { deriveKey } from '../keys/derive-key.ts'
import { createRememberedConsents } from '../provider/remembered-consents.ts'
import { createGrantService } from '../taking-back/grants.ts'
import { createGrantLives } from '../tokens/grants/grant-lives.ts'
import { createRefreshFamilies } from '../tokens/refresh-families.ts'
import { createRefreshRetries } from '../tokens/refresh-retries.ts'
import { createRefreshTokenFormat } from '../tokens/refresh-token.ts'
import type { Base } from './base.ts'

/** What users have authorized: grants, their refresh tokens, and the decisions that are remembered. */
export function createAuthorizations({ settings, durable, events, logger, revocations }: Base) {
  const { secrets, lifetimes, refreshRetrySeconds, audience } = settings
  const refreshTokenFormat = createRefreshTokenFormat(
    secrets.map((secret) => deriveKey(secret, 'refresh-tokens')),
  )
  const retries =
    refreshRetrySeconds === 0
      ? undefined
      : createRefreshRetries({
          seconds: refreshRetrySeconds,
          keys: secrets.map((secret) => deriveKey(secret, 'refresh-retries')),
        })
  const families = createRefreshFamilies(durable, refreshTokenFormat, {
    restartable: lifetimes.authorizationCode + 60,
    retries,
  })
  const grantLives = createGrantLives(durable, lifetimes)
  const consents = createRememberedConsents(durable, lifetimes.rememberedConsent, grantLives.epochs)
  const { grants, grantsOfUsers, finishGrant, finishAccount } = createGrantService({
    lives: grantLives,
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
    grantLives,
    consents,
    grants,
    grantsOfUsers,
    finishGrant,
    finishAccount,
  }
}
