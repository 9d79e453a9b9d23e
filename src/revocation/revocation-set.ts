import type { RevocableToken, Revocation } from './revocation.ts'

/** All revocations that are in force, in memory: what each call is checked against. */
export interface RevocationSet {
  /** Whether a token has been revoked: a few look-ups, no I/O. */
  isRevoked(token: RevocableToken): boolean
  /**
   * Below which `access_epoch` some tokens of a client are dead: that of the client itself is never lower. 0 if nothing
   * is known to be revoked, or if all of it is for good.
   */
  lowestEpoch(clientId: string): number
  /** Adds revocations. In any order and any number of times: a weaker one never undoes a stronger one. */
  add(revocations: readonly Revocation[]): void
  /** Forgets those that cover expired tokens only. @param now epoch seconds */
  prune(now: number): void
  /** Calls `listener`, which must not throw, after each `add` of something. @returns a function that ends it */
  onAdded(listener: () => void): () => void
  /** How many there are, each scope of a client for itself. */
  readonly size: number
  /** How many of them are of signing keys. */
  readonly revokedKeys: number
}

/** Seconds for which a revocation outlives what it covers, for a clock that is put forward and back again. */
const GRACE = 600

/** Tokens below an epoch; below Infinity all of them. */
interface Threshold {
  readonly below: number
  readonly until: number
}

interface RevokedClient {
  /** All tokens of the client. */
  all: Threshold | undefined
  /** Those that carry a scope, by scope. */
  readonly byScope: Map<string, Threshold>
}

/** Makes an empty set. */
export function createRevocationSet(): RevocationSet {
  /** By kind and id: until when. */
  const single = {
    token: new Map<string, number>(),
    grant: new Map<string, number>(),
    key: new Map<string, number>(),
  }
  const clients = new Map<string, RevokedClient>()
  /** How many thresholds they have together. */
  let clientThresholds = 0
  const operations = new Map<string, Threshold>()
  const listeners = new Set<() => void>()

  function addToClient(id: string, threshold: Threshold, scopes: readonly string[] | undefined): void {
    const client = clients.get(id) ?? { all: undefined, byScope: new Map<string, Threshold>() }
    clients.set(id, client)
    if (scopes === undefined) {
      if (client.all === undefined) clientThresholds += 1
      client.all = strongest(client.all, threshold)
    }
    for (const scope of scopes ?? []) {
      const known = client.byScope.get(scope)
      if (known === undefined) clientThresholds += 1
      client.byScope.set(scope, strongest(known, threshold))
    }
  }

  function pruneClient(client: RevokedClient, isOver: (until: number) => boolean): void {
    if (client.all && isOver(client.all.until)) {
      client.all = undefined
      clientThresholds -= 1
    }
    for (const [scope, { until }] of client.byScope) {
      if (isOver(until) && client.byScope.delete(scope)) clientThresholds -= 1
    }
  }

  function addOne(revocation: Revocation): void {
    const { id, until } = revocation
    if (revocation.of === 'operation') {
      operations.set(id, strongest(operations.get(id), { below: revocation.below, until }))
      return
    }
    if (revocation.of !== 'client') {
      const ids = single[revocation.of]
      ids.set(id, Math.max(ids.get(id) ?? 0, until))
      return
    }
    addToClient(id, { below: revocation.below ?? Infinity, until }, revocation.scopes)
  }

  function isClientRevoked({ clientId, scopes, claims }: RevocableToken): boolean {
    const client = clients.get(clientId)
    if (client === undefined) return false
    const epoch = counterOf(claims['access_epoch'])
    if (isBelow(epoch, client.all)) return true
    return client.byScope.size > 0 && scopes.some((scope) => isBelow(epoch, client.byScope.get(scope)))
  }

  function isOperationRevoked({ scopes, claims }: RevocableToken): boolean {
    if (operations.size === 0) return false
    const epoch = counterOf(claims['catalog_epoch'])
    return scopes.some((scope) => isBelow(epoch, operations.get(scope)))
  }

  return {
    isRevoked(token) {
      return (
        single.token.has(token.tokenId) ||
        (token.grantId !== undefined && single.grant.has(token.grantId)) ||
        single.key.has(token.keyId) ||
        isClientRevoked(token) ||
        isOperationRevoked(token)
      )
    },

    lowestEpoch(clientId) {
      const client = clients.get(clientId)
      if (client === undefined) return 0
      const thresholds = [...(client.all ? [client.all] : []), ...client.byScope.values()]
      return Math.max(0, ...thresholds.map(({ below }) => below).filter(Number.isFinite))
    },

    add(revocations) {
      if (revocations.length === 0) return
      for (const revocation of revocations) addOne(revocation)
      for (const listener of listeners) listener()
    },

    prune(now) {
      const isOver = (until: number) => until + GRACE <= now
      for (const ids of Object.values(single)) {
        for (const [id, until] of ids) if (isOver(until)) ids.delete(id)
      }
      for (const [scope, { until }] of operations) if (isOver(until)) operations.delete(scope)
      for (const [id, client] of clients) {
        pruneClient(client, isOver)
        if (client.all === undefined && client.byScope.size === 0) clients.delete(id)
      }
    },

    onAdded(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    get size() {
      return single.token.size + single.grant.size + single.key.size + operations.size + clientThresholds
    },
    get revokedKeys() {
      return single.key.size
    },
  }
}

/** The highest of both in each respect: kept too long rather than too short. */
function strongest(one: Threshold | undefined, other: Threshold): Threshold {
  if (one === undefined) return other
  return { below: Math.max(one.below, other.below), until: Math.max(one.until, other.until) }
}

function isBelow(epoch: number, threshold: Threshold | undefined): boolean {
  return threshold !== undefined && epoch < threshold.below
}

/** A token that does not say is from before there was anything to count. */
function counterOf(claim: unknown): number {
  return typeof claim === 'number' ? claim : 0
}
