import type { Lru } from '../async/lru.ts'
import type { Authorizer } from './authorize-request.ts'
import type { LocatePath } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'
import type { ErrorResponses } from './error-responses.ts'
import type { Readiness } from './readiness.ts'

/** The parts that all entry points of one gateway share. */
export interface GatewayParts {
  readonly dependencies: GatewayDependencies
  readonly authorizer: Authorizer
  readonly errorResponses: ErrorResponses
  readonly readiness: Readiness
  /** Path of {base_url}; `/` for a whole host. */
  readonly base: string
  /** Locators of {base_url} by mount path, for `authenticate()`. */
  readonly locators: Lru<string, LocatePath>
}
