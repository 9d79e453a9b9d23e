// Pure policy, for the pages that ask and for the authorization server that decides whether they must.

/** What a person decided. Each requested scope is in one of the two. */
export interface ConsentDecision {
  readonly granted: readonly string[]
  readonly refused: readonly string[]
}

/** What an account decided about an application before. */
export interface StoredConsent {
  readonly granted: readonly string[]
  readonly refused: readonly string[]
}

/** How a scope stands before a person is asked about it. */
export type ScopeStatus = 'new' | 'granted' | 'refused'

/** A sign-in without it would not be one: whoever approves a request that asks for it grants it. */
export const MANDATORY_SCOPE = 'openid'

/**
 * Whether a person must be asked: always with `prompt=consent`, otherwise only for what is new, or was refused
 * and is asked for again.
 */
export function isConsentNeeded(request: {
  readonly requested: readonly string[]
  readonly remembered: StoredConsent
  readonly promptConsent: boolean
}): boolean {
  const { requested, remembered, promptConsent } = request
  return promptConsent || requested.some((scope) => scopeStatus(scope, remembered) !== 'granted')
}

/** How a requested scope stands. A refusal outweighs an approval, should a record hold both. */
export function scopeStatus(scope: string, remembered: StoredConsent): ScopeStatus {
  if (remembered.refused.includes(scope)) return 'refused'
  return remembered.granted.includes(scope) ? 'granted' : 'new'
}

/**
 * Whether the page proposes a scope: what was refused before must be chosen again on purpose, everything else
 * is ticked.
 */
export function isPreselected(scope: string, remembered: StoredConsent): boolean {
  return scopeStatus(scope, remembered) !== 'refused'
}

/**
 * The decision of a person who approved: each requested scope is granted if it was ticked, and refused
 * otherwise. What a form names beyond the request counts for nothing.
 */
export function decide(requested: readonly string[], ticked: readonly string[]): ConsentDecision {
  const isGranted = (scope: string) => scope === MANDATORY_SCOPE || ticked.includes(scope)
  return {
    granted: requested.filter((scope) => isGranted(scope)),
    refused: requested.filter((scope) => !isGranted(scope)),
  }
}

/** What is to be remembered after a decision: it replaces what was known of its scopes, and nothing else. */
export function mergeConsent(remembered: StoredConsent, decision: ConsentDecision): StoredConsent {
  const merge = (before: readonly string[], now: readonly string[], otherwise: readonly string[]) => [
    ...new Set([...before.filter((scope) => !otherwise.includes(scope)), ...now]),
  ]
  return {
    granted: merge(remembered.granted, decision.granted, decision.refused),
    refused: merge(remembered.refused, decision.refused, decision.granted),
  }
}
