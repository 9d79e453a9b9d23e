import type { ListedGrant } from './grant-index.ts'

/** One authorization of one application by one account. */
export interface Grant {
  readonly grantId: string
  readonly clientId: string
  /** The account that authorized the application. */
  readonly accountId: string
  /** The user of that account who authorized the application; undefined if the host named no user. */
  readonly userId?: string | undefined
  /** The resource that the application may use: your `audience`, or the address of one of your `resources`. */
  readonly resource: string
  /**
   * The authorized scopes at this resource. A token carries a scope only if the application's products and the KYC
   * level of its developer allow the scope when the token is issued.
   */
  readonly scopes: readonly string[]
  /** When the account authorized the application, in epoch seconds. */
  readonly authorizedAt: number
  /** Epoch seconds of the last known use, updated at most once a day; undefined if the grant was never used. */
  readonly lastUsedAt?: number | undefined
  /**
   * Epoch seconds at which the grant expires if it is not used again. The last refresh token of the grant may expire
   * up to a day before the grant.
   */
  readonly expiresAt: number
}

/** A page of a list of grants. */
export interface GrantPage {
  readonly items: Grant[]
  /** Pass it as `cursor` to read the next page. Undefined on the last page. */
  readonly cursor?: string | undefined
}

/** A grant in the form that hosts receive. `audience` is the resource of a grant whose record names none. */
export function toGrant({ grantId, record }: ListedGrant, audience: string): Grant {
  const { clientId, accountId, userId, resources = {}, iat, exp, usedAt } = record
  // Each authorization request names one resource, so each grant has one.
  const [resource = audience, scopes = ''] = Object.entries(resources)[0] ?? []
  return {
    grantId,
    clientId,
    accountId,
    ...(userId !== undefined && { userId }),
    resource,
    scopes: scopes.split(' ').filter(Boolean),
    authorizedAt: iat,
    ...(usedAt !== undefined && { lastUsedAt: usedAt }),
    expiresAt: exp,
  }
}
