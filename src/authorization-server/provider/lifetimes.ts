import type { Configuration } from 'oidc-provider'
import type { Client } from '../../clients/client.ts'
import { lifetimeWithin } from '../../clients/expiry.ts'
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

/** The configured lifetimes, in seconds. The default of `publicRefreshToken` is `refreshToken`. */
export type Lifetimes = Readonly<Record<keyof typeof LIFETIMES | 'publicRefreshToken', number>>

/** How long a refresh token of an application can be used after its last use, in seconds. */
export function refreshTokenLifetime(client: Client, lifetimes: Lifetimes): number {
  return isPublicClient(client) ? lifetimes.publicRefreshToken : lifetimes.refreshToken
}

/** Seconds that are added to the first lifetime of a grant as a margin. */
const GRANT_MARGIN_SECONDS = 60

/**
 * Lifetimes of oidc-provider's models, in seconds. An interaction is an authorization request that waits
 * until a person signs in or decides. Strangers can create thousands of interactions and sessions without
 * signing in. So an interaction without a signed-in person lives only as long as one sign-in may take. A
 * session without a signed-in person lives for `INTERACTION_SECONDS`, the longest lifetime of an interaction.
 */
export function modelLifetimes(lifetimes: Lifetimes): Configuration['ttl'] {
  return {
    AccessToken: (_ctx, _token, client) => lifetimeWithin(recordOf(client), lifetimes.delegatedAccessToken),
    AuthorizationCode: lifetimes.authorizationCode,
    ClientCredentials: (_ctx, _token, client) =>
      lifetimeWithin(recordOf(client), lifetimes.directAccessToken),
    // A new grant lives long enough for the person's decision and the exchange of the code. The first refresh token
    // extends it.
    Grant: INTERACTION_SECONDS + lifetimes.authorizationCode + GRANT_MARGIN_SECONDS,
    IdToken: lifetimes.idToken,
    Interaction: (_ctx, { session }) =>
      session?.accountId === undefined ? lifetimes.signIn : INTERACTION_SECONDS,
    RefreshToken: (_ctx, _token, client) => refreshTokenLifetime(recordOf(client), lifetimes),
    Session: (_ctx, session) => (session.accountId === undefined ? INTERACTION_SECONDS : lifetimes.session),
  }
}
