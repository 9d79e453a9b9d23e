import { CLOCK_CORRECTION_SECONDS } from '../async/clock-tolerances.ts'
import type { Revocation } from './revocation.ts'

/** Revokes all tokens whose `access_epoch` or `catalog_epoch` is lower than `below` (may be `Infinity`). */
export interface Threshold {
  readonly below: number
  /** Unix time in seconds at which all tokens below the threshold have expired. */
  readonly until: number
}

/** No scope equals this key, because a scope is never empty. */
export const ALL_TOKENS = ''

export function createRevocationMaps() {
  return {
    /** The epochs of tokens that their own client revoked, by grant, or by client id without a grant, then by `jti`. */
    own: new Map<string, Map<string, number>>(),
    /** The `until` of each revoked token, grant and key, by its id. */
    ids: {
      token: new Map<string, number>(),
      grant: new Map<string, number>(),
      key: new Map<string, number>(),
    },
    /** The `until` of each revoked scope of a grant, by grant, then by scope. The grant itself is not revoked. */
    grantScopes: new Map<string, Map<string, number>>(),
    /** The map key `ALL_TOKENS` replaces the scope if a threshold applies to every scope. */
    clients: new Map<string, Map<string, Threshold>>(),
    operations: new Map<string, Threshold>(),
  }
}

export type RevocationMaps = ReturnType<typeof createRevocationMaps>

/** The revocations in memory. A weaker revocation never undoes a stronger revocation. */
export function addRevocation(revoked: RevocationMaps, revocation: Revocation): void {
  const { ids, grantScopes, clients, operations } = revoked
  const { of, id, until } = revocation
  if (of === 'operation') raise(operations, id, { below: revocation.below, until })
  else if (of === 'token' && revocation.clientId !== undefined)
    addOwn(revoked, { ...revocation, clientId: revocation.clientId })
  else if (of === 'client') {
    const thresholds = clients.get(id) ?? new Map<string, Threshold>()
    clients.set(id, thresholds)
    for (const scope of revocation.scopes ?? [ALL_TOKENS]) {
      raise(thresholds, scope, { below: revocation.below ?? Infinity, until })
    }
    removeOutdated(revoked, id)
  } else if (of === 'grant' && revocation.scopes) {
    const ends = grantScopes.get(id) ?? new Map<string, number>()
    grantScopes.set(id, ends)
    for (const scope of revocation.scopes) ends.set(scope, Math.max(ends.get(scope) ?? 0, until))
  } else {
    ids[of].set(id, Math.max(ids[of].get(id) ?? 0, until))
    if (of === 'grant') removeOutdated(revoked, id)
  }
}

function addOwn(
  revoked: RevocationMaps,
  token: Extract<Revocation, { of: 'token' }> & { readonly clientId: string },
): void {
  const { own, ids } = revoked
  const { id, clientId, grantId, epoch = 0, until } = token
  if (isEpochRevoked(revoked, clientId, epoch) || ids.grant.has(grantId ?? '')) return
  const holder = grantId ?? clientId
  own.set(holder, (own.get(holder) ?? new Map<string, number>()).set(id, epoch))
  ids.token.set(id, Math.max(ids.token.get(id) ?? 0, until))
}

function removeOutdated(revoked: RevocationMaps, holder: string): void {
  const { own, ids } = revoked
  const tokens = own.get(holder) ?? new Map<string, number>()
  for (const [id, epoch] of tokens) {
    if (!ids.grant.has(holder) && !isEpochRevoked(revoked, holder, epoch)) continue
    tokens.delete(id)
    ids.token.delete(id)
  }
  if (tokens.size === 0) own.delete(holder)
}

export function prune({ own, ids, grantScopes, clients, operations }: RevocationMaps, now: number): void {
  const isOver = (until: number) => until + CLOCK_CORRECTION_SECONDS <= now
  for (const revoked of Object.values(ids)) {
    for (const [id, until] of revoked) if (isOver(until)) revoked.delete(id)
  }
  for (const [holder, tokens] of own) {
    for (const id of tokens.keys()) if (!ids.token.has(id)) tokens.delete(id)
    if (tokens.size === 0) own.delete(holder)
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
}

export function isEpochRevoked({ clients }: RevocationMaps, clientId: string, epoch: number): boolean {
  return isBelow(epoch, clients.get(clientId)?.get(ALL_TOKENS))
}

export function isBelow(epoch: number, threshold: Threshold | undefined): boolean {
  return threshold !== undefined && epoch < threshold.below
}

/** A revocation may thus be kept longer than necessary, which is safe. */
function raise(thresholds: Map<string, Threshold>, key: string, { below, until }: Threshold): void {
  const known = thresholds.get(key) ?? { below: 0, until: 0 }
  thresholds.set(key, { below: Math.max(known.below, below), until: Math.max(known.until, until) })
}
