import { createAuthorizer } from './authorize-token.ts'
import type { GatewayHooks } from './gateway-hooks.ts'
import { createPathLocator, type LocatePath } from './canonical-path.ts'
import type { GatewayDependencies } from './dependencies.ts'
import { createErrorResponses } from './error-responses.ts'
import { createFirstLoad } from './first-load.ts'

const REWRITTEN =
  'a request got 404: middleware above the gateway rewrites a path below {base_url} to a path that is outside of it, ' +
  'or that may belong to two operations; ' +
  'mount this middleware below the gateway, or exclude the path after the rewrite with the option `when` of middleware()'

/** What all entry points of one gateway share. */
export function createParts(dependencies: GatewayDependencies, hooks: GatewayHooks) {
  const errorResponses = createErrorResponses(dependencies.audience)
  const firstLoad = createFirstLoad(dependencies)
  const base = new URL(dependencies.audience).pathname
  const watchedPaths: { readonly prefix: string; readonly locatePath: LocatePath }[] = []
  let hasWarned = false
  return {
    dependencies,
    authorizer: createAuthorizer(dependencies, errorResponses, firstLoad),
    errorResponses,
    firstLoad,
    hooks,
    warnOfRewrite(): void {
      if (hasWarned) return
      hasWarned = true
      dependencies.logger.warn({ baseUrl: dependencies.audience }, REWRITTEN)
    },
    /** Path of {base_url}, as the host's app sees it; `/` for a whole host. */
    base,
    locatePath: createPathLocator(base),
    watchedPaths,
    /** @param path a path at which the host's app sees {base_url} */
    watchPath(path: string): void {
      const prefix = path.replace(/(?<!\/)\/+$/, '').toLowerCase()
      if (watchedPaths.some((watched) => watched.prefix === prefix)) return
      watchedPaths.push({ prefix, locatePath: createPathLocator(path) })
    },
  }
}

export type GatewayParts = ReturnType<typeof createParts>
