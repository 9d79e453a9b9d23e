import type { Admission } from './admission.ts'
import type { LocatorAt } from './path-locators.ts'
import type { Readiness } from './readiness.ts'
import type { Refusals } from './refusal.ts'

/** What one gateway has once, and all its ways in share. */
export interface GatewayParts {
  readonly admission: Admission
  readonly refusals: Refusals
  readonly readiness: Readiness
  readonly locatorAt: LocatorAt
}
