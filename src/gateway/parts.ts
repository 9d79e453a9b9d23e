import type { AuthorizeRequest } from './authorize-request.ts'
import type { LocatorAt } from './path-locators.ts'
import type { Readiness } from './readiness.ts'
import type { ErrorResponses } from './error-responses.ts'

/** The parts that all entry points of one gateway share. */
export interface GatewayParts {
  readonly authorizeRequest: AuthorizeRequest
  readonly errorResponses: ErrorResponses
  readonly readiness: Readiness
  readonly locatorAt: LocatorAt
}
