/** The decision of a person. Each requested scope is in exactly one of the two lists. */
export interface ConsentDecision {
  readonly granted: readonly string[]
  readonly denied: readonly string[]
}

/** Every sign-in needs this scope. A person who approves a request with it cannot deny it. */
export const MANDATORY_SCOPE = 'openid'

/** What an approval grants and denies. Ignores ticked scopes that were not requested. Undefined if none is left. */
export function decide(requested: readonly string[], ticked: readonly string[]): ConsentDecision | undefined {
  const isGranted = (scope: string) => scope === MANDATORY_SCOPE || ticked.includes(scope)
  const granted = requested.filter((scope) => isGranted(scope))
  return granted.length === 0
    ? undefined
    : { granted, denied: requested.filter((scope) => !isGranted(scope)) }
}

/** The consent to store: a decision replaces the stored decisions about the same scopes. */
export function mergeConsent(stored: ConsentDecision, decision: ConsentDecision): ConsentDecision {
  const merge = (before: readonly string[], now: readonly string[], otherwise: readonly string[]) => [
    ...new Set([...before.filter((scope) => !otherwise.includes(scope)), ...now]),
  ]
  return {
    granted: merge(stored.granted, decision.granted, decision.denied),
    denied: merge(stored.denied, decision.denied, decision.granted),
  }
}
