import type { Context } from 'koa'
import { createPathLocator, locateReadings, type Location, type LocationBelow } from './canonical-path.ts'
import { readRequestPaths } from '../http/request-path.ts'

/**
 * `path` is the path that the handler sees. If a mount or a framework has removed a prefix, `alternatives`
 * are the other paths below {base_url} that the handler may see. `rewritten`: the handler sees a path outside
 * of {base_url}, but the original path or the path of a mount is below {base_url}.
 */
export type RequestLocation =
  | Exclude<Location, LocationBelow>
  | (LocationBelow & { readonly alternatives: readonly LocationBelow[] })
  | { readonly place: 'rewritten' }

/** Locates requests for the API at one address: `base`, as the host's app sees it. */
export function createRequestLocator(base: string) {
  const locatePath = createPathLocator(base)
  const segments = base.split('/').filter(Boolean)
  const outer = segments.slice(1).map((_, at) => `/${segments.slice(0, at + 1).join('/')}`)

  function locate(ctx: Context): RequestLocation {
    const { seen, others } = readRequestPaths(ctx, outer)
    const locations = seen.map((readings) => locateReadings(locatePath, readings))
    const [location, ...further] = locations.filter((each) => each.place === 'below')
    if (location !== undefined) {
      return { ...location, alternatives: further.filter(({ path }) => path !== location.path) }
    }
    const unclear = locations.find(({ place }) => place === 'unclear')
    if (unclear !== undefined) return unclear as Exclude<Location, LocationBelow>
    const isOutside = others.every((path) => locatePath(path).place === 'elsewhere')
    return { place: isOutside ? 'elsewhere' : 'rewritten' }
  }

  return {
    locatePath,
    locateRequest(ctx: Context): RequestLocation {
      try {
        return locate(ctx)
      } catch {
        // Node's URL parser throws for some targets in absolute form, also in routers that read `ctx.path`.
        return { place: 'unclear', problem: 'the request target is malformed' }
      }
    },
  }
}
