import type { ListedGrant } from './grant-index.ts'

/** One authorization of one application by one account. */
export interface Grant {
  readonly grantId: string
  /** The application. */
  readonly clientId: string
  /** The account that authorized it. */
  readonly accountId: string
  /** The user of that account who authorized it, where the host named one. */
  readonly userId?: string | undefined
  /**
   * What was authorized. A token may carry less: what the application's products and its KYC level allow now.
   */
  readonly scopes: readonly string[]
  /** Epoch seconds. */
  readonly authorizedAt: number
  /** Epoch seconds of its last known use, updated once a day; undefined if it was never used. */
  readonly lastUsedAt?: number | undefined
  /** Epoch seconds at which it expires unless it is used before; at most a day late. */
  readonly expiresAt: number
}

/** A page of a list of grants. */
export interface GrantPage {
  readonly items: Grant[]
  /** The `cursor` of the next page; undefined at the end. */
  readonly cursor?: string | undefined
}

/** A grant as hosts see it. @param audience the resource server whose scopes are listed */
export function toGrant({ grantId, record }: ListedGrant, audience: string): Grant {
  const { clientId, accountId, userId, resources, iat, exp, usedAt } = record
  return {
    grantId,
    clientId,
    accountId,
    ...(userId !== undefined && { userId }),
    scopes: resources?.[audience]?.split(' ').filter(Boolean) ?? [],
    authorizedAt: iat,
    ...(usedAt !== undefined && { lastUsedAt: usedAt }),
    expiresAt: exp,
  }
}
