import type { ConsentDecision } from './consent-decision.ts'

/** `new`: the person has not decided about the scope yet. */
export type ScopeStatus = 'new' | 'granted' | 'denied'

/**
 * Whether a person must be asked about a request. The person must be asked if the request demands it
 * (`prompt=consent`), or if at least one requested scope is new or was denied before. For an application of the host
 * itself, only `prompt=consent` counts.
 */
export function isConsentNeeded(
  requested: readonly string[],
  stored: ConsentDecision,
  { isDemanded = false, isFirstParty = false } = {},
): boolean {
  const isApproved = () => requested.every((scope) => scopeStatus(scope, stored) === 'granted')
  return isDemanded || !(isFirstParty || isApproved())
}

/** If a record contains an approval and a denial of the scope, the denial counts. */
export function scopeStatus(scope: string, stored: ConsentDecision): ScopeStatus {
  if (stored.denied.includes(scope)) return 'denied'
  return stored.granted.includes(scope) ? 'granted' : 'new'
}
