import type { ConsentDecision } from './consent-decision.ts'

// Pure functions about consent. The consent page uses them. The authorization server uses them to decide
// whether it must ask a person.

/** What a person has decided about the scopes of an application so far. */
export type StoredConsent = ConsentDecision

/**
 * The status of a requested scope before a person is asked. `new`: the person has not decided about the scope
 * yet.
 */
export type ScopeStatus = 'new' | 'granted' | 'denied'

/**
 * Whether a person must be asked about a request. The person must be asked if the request demands it
 * (`prompt=consent`), or if at least one requested scope is new or was denied before. For an application of the host
 * itself, only `prompt=consent` counts.
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

/** Whether the checkbox of a scope is ticked before the person decides: yes, unless the person denied it before. */
export function isTickedAtFirst(status: ScopeStatus): boolean {
  return status !== 'denied'
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
