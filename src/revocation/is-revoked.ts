// Model: test/proof/models/revocation-feed.pml
import { isDocumentId, originOf } from '../validation/document-id.ts'
import type { RevocableToken, Revocation } from './revocation.ts'
import {
  addRevocation,
  ALL_TOKENS,
  createRevocationMaps,
  isBelow,
  isEpochRevoked,
  prune,
  type RevocationMaps,
  type Threshold,
} from './revocation-maps.ts'

export type RevocationCause =
  /** `host`: the host of the client's metadata document was blocked. */
  | { readonly of: 'token' | 'key' | 'host' }
  | {
      readonly of: 'grant'
      /** The scopes of the token that the user may not use any more; undefined if the grant was revoked. */
      readonly scopes?: readonly string[] | undefined
    }
  | {
      readonly of: 'client'
      /** Whether all tokens of the client are revoked permanently, because it was deleted. */
      readonly isPermanent: boolean
      /** The scopes whose tokens were revoked; undefined if all tokens of the client were revoked. */
      readonly scopes?: readonly string[] | undefined
    }
  | {
      readonly of: 'operation'
      /** The scopes of the token that no product of the service had any more. */
      readonly scopes: readonly string[]
    }

/** Decides whether a token is revoked, and by what: itself, its key, grant, client, host or operation. */
export function createRevocationSet() {
  const revoked = createRevocationMaps()
  const { own, ids, grantScopes, clients, operations } = revoked
  const listeners = new Set<() => void>()

  return {
    /** Takes a few map lookups and no I/O. */
    isTokenRevoked: (token: RevocableToken) => isTokenRevoked(revoked, token),
    /** What revoked a token. Slower than `isTokenRevoked`: use it only to inspect a token for a person. */
    findCause: (token: RevocableToken) => findCause(revoked, token),
    /** Permanently, because the client was deleted. */
    isClientRevoked: (clientId: string) => clients.get(clientId)?.get(ALL_TOKENS)?.below === Infinity,
    isEpochRevoked: (clientId: string, epoch: number) => isEpochRevoked(revoked, clientId, epoch),
    isGrantRevoked: (grantId: string) => ids.grant.has(grantId),
    /** The tokens that a client revoked one by one (RFC 7009), and no wider revocation covers, by grant or client. */
    countOwn: (holder: string): number => own.get(holder)?.size ?? 0,
    /** The revocations that `countOwn` counts, and the last one of all tokens of the client. */
    coveredByNextEpoch(clientId: string): readonly Revocation[] {
      const tokens = [...(own.get(clientId) ?? [])].map(([id, epoch]) => {
        return { of: 'token', id, clientId, epoch, until: ids.token.get(id) ?? 0 } as const
      })
      const last = clients.get(clientId)?.get(ALL_TOKENS)
      return last && last.below < Infinity ? [...tokens, { of: 'client', id: clientId, ...last }] : tokens
    },
    isKeyRevoked: (keyId: string) => ids.key.has(keyId),
    /** Whether no token for this grant may carry the scope now. `now` is in epoch seconds. */
    isGrantScopeRevoked: (grantId: string, scope: string, now: number) =>
      now < (grantScopes.get(grantId)?.get(scope) ?? 0),
    isScopeRevoked: (scope: string, epoch: number) => isBelow(epoch, operations.get(scope)),
    lowestValidCatalogEpoch: () => Math.max(0, ...[...operations.values()].map(({ below }) => below)),
    /**
     * The lowest `access_epoch` that no revocation of a client covers, except permanent ones. The new tokens of a
     * client record with a lower epoch would be rejected, so the record is outdated.
     */
    lowestValidEpoch(clientId: string): number {
      const thresholds = [...(clients.get(clientId)?.values() ?? [])]
      return Math.max(0, ...thresholds.map(({ below }) => below).filter(Number.isFinite))
    },

    add(revocations: readonly Revocation[]): void {
      if (revocations.length === 0) return
      for (const revocation of revocations) addRevocation(revoked, revocation)
      for (const listener of listeners) listener()
    },

    prune: (now: number) => prune(revoked, now),

    /** `listener` must not throw. The returned function unsubscribes. */
    onAdded(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    /** The number of revocations. A revocation of several scopes counts once for each scope. */
    get size(): number {
      let size = ids.token.size + ids.grant.size + ids.key.size + operations.size
      for (const scopes of [...clients.values(), ...grantScopes.values()]) size += scopes.size
      return size
    },
    get revokedKeys(): number {
      return ids.key.size
    },
  }
}

/** All revocations in force, in memory. The gateway checks every call against them. */
export type RevocationSet = ReturnType<typeof createRevocationSet>

function isTokenRevoked(revoked: RevocationMaps, token: RevocableToken): boolean {
  const { ids, grantScopes, clients, operations } = revoked
  const { tokenId, grantId, keyId, clientId, scopes, claims } = token
  if (ids.token.has(tokenId) || ids.key.has(keyId)) return true
  if (grantId !== undefined && ids.grant.has(grantId)) return true
  const ofClient = clients.get(clientId)
  const ofHost = isDocumentId(clientId) ? clients.get(originOf(clientId)) : undefined
  return (
    (grantScopes.size > 0 && revokedGrantScopes(revoked, token).length > 0) ||
    (ofClient !== undefined && isBelowAny(epochOf(claims['access_epoch']), ofClient, scopes)) ||
    (ofHost !== undefined && isBelowAny(epochOf(claims['access_epoch']), ofHost, scopes)) ||
    (operations.size > 0 && isBelowAny(epochOf(claims['catalog_epoch']), operations, scopes))
  )
}

function findCause(revoked: RevocationMaps, token: RevocableToken): RevocationCause | undefined {
  const { ids, clients, operations } = revoked
  const { tokenId, grantId, keyId, clientId, scopes, claims } = token
  if (ids.token.has(tokenId)) return { of: 'token' }
  if (ids.key.has(keyId)) return { of: 'key' }
  if (grantId !== undefined && ids.grant.has(grantId)) return { of: 'grant' }
  const ofGrant = revokedGrantScopes(revoked, token)
  if (ofGrant.length > 0) return { of: 'grant', scopes: ofGrant }
  const below = (claim: string, thresholds: ReadonlyMap<string, Threshold> = new Map()) => {
    const epoch = epochOf(claims[claim])
    return [ALL_TOKENS, ...scopes].filter((scope) => isBelow(epoch, thresholds.get(scope)))
  }
  const ofHost = isDocumentId(clientId) ? clients.get(originOf(clientId)) : undefined
  if (below('access_epoch', ofHost).length > 0) return { of: 'host' }
  const ofClient = below('access_epoch', clients.get(clientId))
  if (ofClient.includes(ALL_TOKENS)) {
    return { of: 'client', isPermanent: clients.get(clientId)?.get(ALL_TOKENS)?.below === Infinity }
  }
  if (ofClient.length > 0) return { of: 'client', isPermanent: false, scopes: ofClient }
  const withdrawn = below('catalog_epoch', operations)
  return withdrawn.length > 0 ? { of: 'operation', scopes: withdrawn } : undefined
}

/** A token that expires later than the revocation was issued when the user could use the operation again. */
function revokedGrantScopes({ grantScopes }: RevocationMaps, { grantId, scopes, expiresAt }: RevocableToken) {
  const ends = grantId === undefined ? undefined : grantScopes.get(grantId)
  return ends ? scopes.filter((scope) => expiresAt <= (ends.get(scope) ?? -Infinity)) : []
}

function isBelowAny(epoch: number, thresholds: ReadonlyMap<string, Threshold>, scopes: readonly string[]) {
  return (
    isBelow(epoch, thresholds.get(ALL_TOKENS)) ||
    scopes.some((scope) => isBelow(epoch, thresholds.get(scope)))
  )
}

/** A token without the claim has the epoch 0, because it was issued before the epoch was first raised. */
function epochOf(claim: unknown): number {
  return typeof claim === 'number' ? claim : 0
}
