import type { Configuration } from 'oidc-provider'
import type { EntryFields } from '../../../audit/entry.ts'
import type { Revocations } from '../../../revocation/revoke-tokens.ts'
import type { ProviderResponse } from '../fix-responses.ts'
import { explainMissingSecret } from '../missing-secret.ts'

// The revocation endpoint (RFC 7009). An access token is revoked alone. A refresh token is revoked with its
// whole grant, even if the token was used before (`models/refresh-tokens.ts`).

/**
 * A client may revoke only its own tokens. A token of another client is treated like an unknown token (RFC
 * 7009 2.2).
 */
export const revocation: NonNullable<NonNullable<Configuration['features']>['revocation']> = {
  enabled: true,
  allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
}

/** Revokes one access token by its id. `until` is when the token expires, in epoch seconds. */
export type RevokeAccessToken = (
  tokenId: string,
  until: number | undefined,
  entry: EntryFields,
) => Promise<void>

/**
 * Milliseconds for which a repeated revocation of the same token is not stored again. This saves memory,
 * because every process receives each stored revocation, and keeps it until the token expires.
 */
const REPEAT_INTERVAL_MS = 60_000

export function createRevokeAccessToken(revocations: Pick<Revocations, 'revokeToken'>): RevokeAccessToken {
  /** Revocations that are being stored, by token id. */
  const pending = new Map<string, Promise<void>>()
  /**
   * The time at which this process revoked each token, oldest first. The map contains times and no promises.
   * A promise would keep the asynchronous context of its request in memory, and with it the whole request.
   */
  const revokedAt = new Map<string, number>()

  async function store(tokenId: string, until: number | undefined, entry: EntryFields): Promise<void> {
    try {
      await revocations.revokeToken({ id: tokenId, until }, entry)
      revokedAt.set(tokenId, performance.now())
    } finally {
      pending.delete(tokenId)
    }
  }

  return async function revokeAccessToken(tokenId, until, entry) {
    for (const [id, at] of revokedAt) {
      if (performance.now() - at < REPEAT_INTERVAL_MS) break
      revokedAt.delete(id)
    }
    if (revokedAt.has(tokenId)) return
    const stored = pending.get(tokenId) ?? store(tokenId, until, entry)
    pending.set(tokenId, stored)
    await stored
  }
}

/** Replaces the body of a successful response by an empty JSON object, which client libraries can parse. */
export function fixRevocationResponse(ctx: ProviderResponse): void {
  ctx.set('Cache-Control', 'no-store')
  if (ctx.status === 200) ctx.body = {}
  explainMissingSecret(ctx)
}
