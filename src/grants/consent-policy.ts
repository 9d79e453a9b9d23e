// Pure functions about consent. The consent page uses them. The authorization server uses them to decide
// whether it must ask a person.

/** The decision of a person. Each requested scope is in exactly one of the two lists. */
export interface ConsentDecision {
  readonly granted: readonly string[]
  readonly denied: readonly string[]
}

/** What a person has decided about the scopes of an application so far. */
export type StoredConsent = ConsentDecision

/**
 * The status of a requested scope before a person is asked. `new`: the person has not decided about the scope
 * yet.
 */
export type ScopeStatus = 'new' | 'granted' | 'denied'

/**
 * Every sign-in needs this scope. If a request contains it, a person who approves the request cannot deny it.
 */
export const MANDATORY_SCOPE = 'openid'

/**
 * Whether a person must be asked about a request: if the request demands it (`prompt=consent`), or if at least one
 * requested scope is new or was denied before. For an application of the host itself, no approval is needed.
 */
export function isConsentNeeded(
  requested: readonly string[],
  stored: StoredConsent,
  { isDemanded = false, isFirstParty = false } = {},
): boolean {
  const isApproved = () => requested.every((scope) => scopeStatus(scope, stored) === 'granted')
  return isDemanded || !(isFirstParty || isApproved())
}

/**
 * The status of a requested scope. If a record contains an approval and a denial of the scope, the denial
 * counts.
 */
export function scopeStatus(scope: string, stored: StoredConsent): ScopeStatus {
  if (stored.denied.includes(scope)) return 'denied'
  return stored.granted.includes(scope) ? 'granted' : 'new'
}

/** Whether the consent page preselects a scope: true unless the person denied the scope before. */
export function isPreselected(scope: string, stored: StoredConsent): boolean {
  return scopeStatus(scope, stored) !== 'denied'
}

/**
 * The decision of a person who approved a request. A requested scope is granted if it is mandatory or if the
 * person ticked it. All other requested scopes are denied. Ticked scopes that were not requested are ignored.
 *
 * @returns undefined if nothing is granted: at least one scope must be ticked
 */
export function decide(requested: readonly string[], ticked: readonly string[]): ConsentDecision | undefined {
  const isGranted = (scope: string) => scope === MANDATORY_SCOPE || ticked.includes(scope)
  const granted = requested.filter((scope) => isGranted(scope))
  return granted.length === 0
    ? undefined
    : { granted, denied: requested.filter((scope) => !isGranted(scope)) }
}

/**
 * The consent to store after a decision. The new decision replaces the stored decisions about the same
 * scopes.
 */
export function mergeConsent(stored: StoredConsent, decision: ConsentDecision): StoredConsent {
  const merge = (before: readonly string[], now: readonly string[], otherwise: readonly string[]) => [
    ...new Set([...before.filter((scope) => !otherwise.includes(scope)), ...now]),
  ]
  return {
    granted: merge(stored.granted, decision.granted, decision.denied),
    denied: merge(stored.denied, decision.denied, decision.granted),
  }
}
