import type { Configuration } from 'oidc-provider'
import type { Client } from '../../clients/client.ts'
import { lifetimeWithin } from '../../clients/expiry-policy.ts'
import { isPublicClient } from '../../clients/public-applications.ts'
import { recordOf } from './request-state.ts'

const DAY = 86_400

/** Seconds for which an authorization request waits for the decision of a signed-in person. */
export const INTERACTION_SECONDS = 3600

/** The option `lifetimes`, in seconds. */
export const LIFETIMES = {
  directAccessToken: { byDefault: 10 * DAY, max: 366 * DAY },
  delegatedAccessToken: { byDefault: 3600, max: 31 * DAY },
  refreshToken: { byDefault: 30 * DAY, max: 3660 * DAY },
  // RFC 6749 4.1.2 recommends ten minutes at most.
  authorizationCode: { byDefault: 60, max: 600 },
  idToken: { byDefault: 3600, max: 31 * DAY },
  // A sign-in is part of an interaction, so it cannot take longer.
  signIn: { byDefault: 1200, max: INTERACTION_SECONDS },
  session: { byDefault: 14 * DAY, max: 366 * DAY },
}

/** In seconds. The default of `publicRefreshToken` is `refreshToken`. */
export type Lifetimes = Readonly<Record<keyof typeof LIFETIMES | 'publicRefreshToken', number>>

/** Seconds for which a refresh token can be used after its last use. */
export function refreshTokenLifetime(client: Client, lifetimes: Lifetimes): number {
  return isPublicClient(client) ? lifetimes.publicRefreshToken : lifetimes.refreshToken
}

const GRANT_MARGIN_SECONDS = 60

/**
 * How long tokens, codes, grants and sessions live, in seconds. Strangers can create thousands of interactions and
 * sessions without signing in, so those without a person live only as long as a sign-in, or an interaction, may take.
 */
export function modelLifetimes(lifetimes: Lifetimes): Configuration['ttl'] {
  return {
    AccessToken: (_ctx, _token, client) => lifetimeWithin(recordOf(client), lifetimes.delegatedAccessToken),
    AuthorizationCode: lifetimes.authorizationCode,
    // For the person's decision and the exchange of the code. The first refresh token extends it.
    Grant: INTERACTION_SECONDS + lifetimes.authorizationCode + GRANT_MARGIN_SECONDS,
    IdToken: lifetimes.idToken,
    Interaction: (_ctx, { session }) =>
      session?.accountId === undefined ? lifetimes.signIn : INTERACTION_SECONDS,
    RefreshToken: (_ctx, _token, client) => refreshTokenLifetime(recordOf(client), lifetimes),
    Session: (_ctx, session) => (session.accountId === undefined ? INTERACTION_SECONDS : lifetimes.session),
  }
}
