// Pure policy. The consent page uses it, and so does the authorization server to decide whether a person must
// be asked.

/** What a person decided. Each requested scope is in one of the two lists. */
export interface ConsentDecision {
  readonly granted: readonly string[]
  readonly denied: readonly string[]
}

/** What an account decided about an application before. */
export interface StoredConsent {
  readonly granted: readonly string[]
  readonly denied: readonly string[]
}

/** The status of a scope before a person is asked about it. */
export type ScopeStatus = 'new' | 'granted' | 'denied'

/** Without this scope a sign-in is no sign-in: a person who approves a request for it always grants it. */
export const MANDATORY_SCOPE = 'openid'

/**
 * Whether a person must be asked: always with `prompt=consent`, otherwise only if a scope is new, or was
 * denied before
 * and is requested again.
 */
export function isConsentNeeded(request: {
  readonly requested: readonly string[]
  readonly remembered: StoredConsent
  readonly promptConsent: boolean
}): boolean {
  const { requested, remembered, promptConsent } = request
  return promptConsent || requested.some((scope) => scopeStatus(scope, remembered) !== 'granted')
}

/** The status of a requested scope. A denial outweighs an approval if a record holds both. */
export function scopeStatus(scope: string, remembered: StoredConsent): ScopeStatus {
  if (remembered.denied.includes(scope)) return 'denied'
  return remembered.granted.includes(scope) ? 'granted' : 'new'
}

/**
 * Whether the page preselects a scope. A person must tick a scope that was denied before; every other scope
 * is ticked.
 */
export function isPreselected(scope: string, remembered: StoredConsent): boolean {
  return scopeStatus(scope, remembered) !== 'denied'
}

/**
 * The decision of a person who approved: each requested scope is granted if it was ticked, and denied
 * otherwise. Scopes
 * in the form that were not requested are ignored.
 */
export function decide(requested: readonly string[], ticked: readonly string[]): ConsentDecision {
  const isGranted = (scope: string) => scope === MANDATORY_SCOPE || ticked.includes(scope)
  return {
    granted: requested.filter((scope) => isGranted(scope)),
    denied: requested.filter((scope) => !isGranted(scope)),
  }
}

/**
 * The consent to store after a decision. It replaces what was stored about the scopes of the decision, and
 * keeps the
 * rest.
 */
export function mergeConsent(remembered: StoredConsent, decision: ConsentDecision): StoredConsent {
  const merge = (before: readonly string[], now: readonly string[], otherwise: readonly string[]) => [
    ...new Set([...before.filter((scope) => !otherwise.includes(scope)), ...now]),
  ]
  return {
    granted: merge(remembered.granted, decision.granted, decision.denied),
    denied: merge(remembered.denied, decision.denied, decision.granted),
  }
}
