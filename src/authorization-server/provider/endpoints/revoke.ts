import type { Configuration } from 'oidc-provider'
import type { RevokeOwnToken } from '../../../access/revoke-own-token.ts'
import type { ProviderResponse } from '../fix-responses.ts'

// The revocation endpoint (RFC 7009): an access token is revoked alone, a refresh token, used or not, with its grant.

/** A token of another client is treated like an unknown token (RFC 7009 2.2). */
export const revocation: NonNullable<NonNullable<Configuration['features']>['revocation']> = {
  enabled: true,
  allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
}

/** Every process would keep a repeated revocation in memory until the token expires. */
const REPEAT_INTERVAL_MS = 60_000

/** Revokes each token once, even if its client sends the same request many times. */
export function createRevokeAccessToken(revokeOwnToken: RevokeOwnToken): RevokeOwnToken {
  const pending = new Map<string, Promise<boolean>>()
  /** Oldest first. A promise here would keep the asynchronous context of its request in memory. */
  const revokedAt = new Map<string, number>()

  async function store(...[token, entry]: Parameters<RevokeOwnToken>): Promise<boolean> {
    try {
      const isRevoked = await revokeOwnToken(token, entry)
      if (isRevoked) revokedAt.set(token.id, performance.now())
      return isRevoked
    } finally {
      pending.delete(token.id)
    }
  }

  return async function revokeAccessToken(token, entry) {
    for (const [id, at] of revokedAt) {
      if (performance.now() - at < REPEAT_INTERVAL_MS) break
      revokedAt.delete(id)
    }
    if (revokedAt.has(token.id)) return true
    const stored = pending.get(token.id) ?? store(token, entry)
    pending.set(token.id, stored)
    return stored
  }
}

/** Client libraries expect a JSON object. */
export function fixRevocationResponse(ctx: ProviderResponse): void {
  ctx.set('Cache-Control', 'no-store')
  if (ctx.status === 200) ctx.body = {}
}
