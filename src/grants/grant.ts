import type { ListedGrant } from './grant-index.ts'

/** What one account authorized one application to do, once. */
export interface Grant {
  readonly grantId: string
  /** The application. */
  readonly clientId: string
  /** The account that authorized it. */
  readonly accountId: string
  /** The member of that account who did, where the host named one. */
  readonly userId?: string | undefined
  /** What was authorized. A token may carry less: what the application's products and its KYC level allow now. */
  readonly scopes: readonly string[]
  /** Epoch seconds. */
  readonly authorizedAt: number
  /** Epoch seconds of its last known use, noted once a day; undefined if it was never used. */
  readonly lastUsedAt?: number | undefined
  /** Epoch seconds at which it is over, unless it is used before; late by a day at most. */
  readonly expiresAt: number
}

/** A part of a list of grants. */
export interface GrantPage {
  readonly items: Grant[]
  /** What to hand over as `cursor` for the next page; undefined at the end. */
  readonly cursor?: string | undefined
}

/** A grant as hosts see it. @param audience whose scopes they are */
export function toGrant({ grantId, record }: ListedGrant, audience: string): Grant {
  const { clientId, accountId, userId, resources, iat, exp, prolongedAt } = record
  return {
    grantId,
    clientId,
    accountId,
    ...(userId !== undefined && { userId }),
    scopes: resources?.[audience]?.split(' ').filter(Boolean) ?? [],
    authorizedAt: iat,
    ...(prolongedAt !== undefined && { lastUsedAt: prolongedAt }),
    expiresAt: exp,
  }
}
