import { CLOCK_CORRECTION_SECONDS } from '../async/clock-tolerances.ts'
import type { RevocableToken, Revocation } from './revocation.ts'

/**
 * Revokes all tokens whose epoch (the claim `access_epoch` or `catalog_epoch`) is lower than `below`.
 * `Infinity` revokes all tokens.
 */
interface Threshold {
  readonly below: number
  /** Unix time in seconds at which all tokens below the threshold have expired. */
  readonly until: number
}

/** What revoked a token. */
export type RevocationCause =
  | { readonly of: 'token' | 'key' }
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

/**
 * The map key of a threshold that applies to all scopes. No scope equals this key, because a scope is never
 * empty.
 */
const ALL_TOKENS = ''

/** Creates an empty set. */
export function createRevocationSet() {
  /** The epochs of the tokens that clients revoked by themselves, by client, then by `jti`. */
  const own = new Map<string, Map<string, number>>()
  /** The `until` of each revoked id. */
  const ids = {
    token: new Map<string, number>(),
    grant: new Map<string, number>(),
    key: new Map<string, number>(),
  }
  /** The `until` of each revoked scope of a grant that is not revoked itself, by grant, then by scope. */
  const grantScopes = new Map<string, Map<string, number>>()
  /**
   * The thresholds by client, then by scope. The map key `ALL_TOKENS` replaces the scope if a threshold
   * applies to every scope.
   */
  const clients = new Map<string, Map<string, Threshold>>()
  /** The thresholds for the tokens of all clients, by scope. */
  const operations = new Map<string, Threshold>()
  const listeners = new Set<() => void>()

  function addRevocation(revocation: Revocation): void {
    const { of, id, until } = revocation
    if (of === 'operation') raise(operations, id, { below: revocation.below, until })
    else if (of === 'token' && revocation.clientId !== undefined) addOwn(revocation.clientId, revocation)
    else if (of === 'client') {
      const thresholds = clients.get(id) ?? new Map<string, Threshold>()
      clients.set(id, thresholds)
      for (const scope of revocation.scopes ?? [ALL_TOKENS]) {
        raise(thresholds, scope, { below: revocation.below ?? Infinity, until })
      }
      removeOutdated(id)
    } else if (of === 'grant' && revocation.scopes) {
      const ends = grantScopes.get(id) ?? new Map<string, number>()
      grantScopes.set(id, ends)
      for (const scope of revocation.scopes) ends.set(scope, Math.max(ends.get(scope) ?? 0, until))
    } else ids[of].set(id, Math.max(ids[of].get(id) ?? 0, until))
  }

  /** Adds a token that its client revoked, unless a revocation of the client covers the token already. */
  function addOwn(
    clientId: string,
    {
      id,
      epoch = 0,
      until,
    }: { readonly id: string; readonly epoch?: number | undefined; readonly until: number },
  ): void {
    if (isEpochRevoked(clientId, epoch)) return
    const tokens = own.get(clientId) ?? new Map<string, number>()
    own.set(clientId, tokens.set(id, epoch))
    ids.token.set(id, Math.max(ids.token.get(id) ?? 0, until))
  }

  /** Removes the tokens that a client revoked by itself, and that a revocation of the client covers now. */
  function removeOutdated(clientId: string): void {
    const tokens = own.get(clientId) ?? new Map<string, number>()
    for (const [id, epoch] of tokens) {
      if (!isEpochRevoked(clientId, epoch)) continue
      tokens.delete(id)
      ids.token.delete(id)
    }
    if (tokens.size === 0) own.delete(clientId)
  }

  function isEpochRevoked(clientId: string, epoch: number): boolean {
    return isBelow(epoch, clients.get(clientId)?.get(ALL_TOKENS))
  }

  /**
   * The revoked scopes of a token of a grant. A token that expires after the revocation was issued later, when
   * the operation had been given back.
   */
  function revokedGrantScopes({ grantId, scopes, expiresAt }: RevocableToken): readonly string[] {
    const ends = grantId === undefined ? undefined : grantScopes.get(grantId)
    return ends ? scopes.filter((scope) => expiresAt <= (ends.get(scope) ?? -Infinity)) : []
  }

  return {
    /** Whether a token is revoked. Takes a few map lookups and no I/O. */
    isTokenRevoked(token: RevocableToken): boolean {
      const { tokenId, grantId, keyId, clientId, scopes, claims } = token
      if (ids.token.has(tokenId) || ids.key.has(keyId)) return true
      if (grantId !== undefined && ids.grant.has(grantId)) return true
      const ofClient = clients.get(clientId)
      return (
        (grantScopes.size > 0 && revokedGrantScopes(token).length > 0) ||
        (ofClient !== undefined && isBelowAny(epochOf(claims['access_epoch']), ofClient, scopes)) ||
        (operations.size > 0 && isBelowAny(epochOf(claims['catalog_epoch']), operations, scopes))
      )
    },
    /**
     * Says what revoked a token; undefined if `isTokenRevoked` is false. It takes longer than `isTokenRevoked`, and
     * is for people who ask about one token.
     */
    findCause(token: RevocableToken): RevocationCause | undefined {
      const { tokenId, grantId, keyId, clientId, scopes, claims } = token
      if (ids.token.has(tokenId)) return { of: 'token' }
      if (ids.key.has(keyId)) return { of: 'key' }
      if (grantId !== undefined && ids.grant.has(grantId)) return { of: 'grant' }
      const ofGrant = revokedGrantScopes(token)
      if (ofGrant.length > 0) return { of: 'grant', scopes: ofGrant }
      const below = (claim: string, thresholds: ReadonlyMap<string, Threshold> = new Map()) => {
        const epoch = epochOf(claims[claim])
        return [ALL_TOKENS, ...scopes].filter((scope) => isBelow(epoch, thresholds.get(scope)))
      }
      const ofClient = below('access_epoch', clients.get(clientId))
      if (ofClient.includes(ALL_TOKENS)) {
        return { of: 'client', isPermanent: clients.get(clientId)?.get(ALL_TOKENS)?.below === Infinity }
      }
      if (ofClient.length > 0) return { of: 'client', isPermanent: false, scopes: ofClient }
      const withdrawn = below('catalog_epoch', operations)
      return withdrawn.length > 0 ? { of: 'operation', scopes: withdrawn } : undefined
    },
    /** Whether all tokens of a client are revoked permanently, because the client was deleted. */
    isClientRevoked: (clientId: string) => clients.get(clientId)?.get(ALL_TOKENS)?.below === Infinity,
    /** Whether all tokens of a client with this `access_epoch` are revoked. */
    isEpochRevoked,
    /** The number of tokens in force that a client revoked by itself, and that no revocation of the client covers. */
    countOwn: (clientId: string): number => own.get(clientId)?.size ?? 0,
    /** The revocations that a higher epoch of a client covers: those that `countOwn` counts, and that of its last epoch. */
    coveredByNextEpoch(clientId: string): readonly Revocation[] {
      const tokens = [...(own.get(clientId) ?? [])].map(([id, epoch]) => {
        return { of: 'token', id, clientId, epoch, until: ids.token.get(id) ?? 0 } as const
      })
      const last = clients.get(clientId)?.get(ALL_TOKENS)
      return last && last.below < Infinity ? [...tokens, { of: 'client', id: clientId, ...last }] : tokens
    },
    /** Whether all tokens of a signing key are revoked. @param keyId `kid` */
    isKeyRevoked: (keyId: string) => ids.key.has(keyId),
    /**
     * Whether a scope of a grant is revoked, so that no token for this grant may carry it now.
     *
     * @param now Unix time in seconds
     */
    isGrantScopeRevoked: (grantId: string, scope: string, now: number) =>
      now < (grantScopes.get(grantId)?.get(scope) ?? 0),
    /** Whether the tokens that carry a scope are revoked if their `catalog_epoch` is `epoch`. */
    isScopeRevoked: (scope: string, epoch: number) => isBelow(epoch, operations.get(scope)),
    /** The lowest `catalog_epoch` that no revocation of an operation covers. */
    lowestValidCatalogEpoch: () => Math.max(0, ...[...operations.values()].map(({ below }) => below)),
    /**
     * The lowest `access_epoch` that no revocation of a client covers. Permanent revocations, which cover
     * every epoch, are ignored. The result is 0 if the client has no revocations besides permanent ones. A
     * client record with a lower epoch is outdated: tokens issued from it would be rejected.
     */
    lowestValidEpoch(clientId: string): number {
      const thresholds = [...(clients.get(clientId)?.values() ?? [])]
      return Math.max(0, ...thresholds.map(({ below }) => below).filter(Number.isFinite))
    },

    /**
     * Adds revocations, in any order and any number of times. A weaker revocation never undoes a stronger
     * revocation.
     */
    add(revocations: readonly Revocation[]): void {
      if (revocations.length === 0) return
      revocations.forEach(addRevocation)
      for (const listener of listeners) listener()
    },

    /** Removes revocations that cover only expired tokens. @param now Unix time in seconds */
    prune(now: number): void {
      const isOver = (until: number) => until + CLOCK_CORRECTION_SECONDS <= now
      for (const revoked of Object.values(ids)) {
        for (const [id, until] of revoked) if (isOver(until)) revoked.delete(id)
      }
      for (const [clientId, tokens] of own) {
        for (const id of tokens.keys()) if (!ids.token.has(id)) tokens.delete(id)
        if (tokens.size === 0) own.delete(clientId)
      }
      for (const thresholds of [operations, ...clients.values()]) {
        for (const [scope, { until }] of thresholds) if (isOver(until)) thresholds.delete(scope)
      }
      for (const ends of grantScopes.values()) {
        for (const [scope, until] of ends) if (isOver(until)) ends.delete(scope)
      }
      for (const each of [clients, grantScopes]) {
        for (const [id, { size }] of each) if (size === 0) each.delete(id)
      }
    },

    /**
     * Calls `listener`, which must not throw, after revocations were added. @returns a function that
     * unsubscribes
     */
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
    /** The number of revoked signing keys. */
    get revokedKeys(): number {
      return ids.key.size
    },
  }
}

/** All revocations in force, in memory. The gateway checks every call against them. */
export type RevocationSet = ReturnType<typeof createRevocationSet>

function isBelowAny(
  epoch: number,
  thresholds: ReadonlyMap<string, Threshold>,
  scopes: readonly string[],
): boolean {
  return (
    isBelow(epoch, thresholds.get(ALL_TOKENS)) ||
    scopes.some((scope) => isBelow(epoch, thresholds.get(scope)))
  )
}

/**
 * Raises a threshold: each field becomes the higher of its old and its new value. A revocation may thus be
 * kept longer than necessary, which is safe.
 */
function raise(thresholds: Map<string, Threshold>, key: string, { below, until }: Threshold): void {
  const known = thresholds.get(key) ?? { below: 0, until: 0 }
  thresholds.set(key, { below: Math.max(known.below, below), until: Math.max(known.until, until) })
}

function isBelow(epoch: number, threshold: Threshold | undefined): boolean {
  return threshold !== undefined && epoch < threshold.below
}

/**
 * The epoch in a claim; 0 if the token lacks the claim. Such a token was issued before the epoch was raised
 * for the first time.
 */
function epochOf(claim: unknown): number {
  return typeof claim === 'number' ? claim : 0
}
