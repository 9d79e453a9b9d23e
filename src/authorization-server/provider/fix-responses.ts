import type { Next } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'

export type ProviderResponse = KoaContextWithOIDC & { body: unknown }

export type FixResponse = (ctx: ProviderResponse) => void | Promise<void>

/** Corrects oidc-provider's responses, by route names, and removes its CORS headers. */
export function fixResponses(provider: Provider, fixes: Readonly<Record<string, FixResponse>>): void {
  provider.use(async function fixResponse(context: unknown, next: Next) {
    const ctx = context as ProviderResponse
    const hasCorsOfHost = Boolean(ctx.response.get('Access-Control-Allow-Origin'))
    await next()
    // `oidc` is set only if a route of oidc-provider matched.
    const route = (context as { oidc?: { route: string } }).oidc?.route
    if (route === undefined) return
    if (!hasCorsOfHost) removeCors(ctx)
    await fixes[route]?.(ctx)
  })
}

/** Only the CORS middleware of the host lets other origins read responses. */
function removeCors(ctx: ProviderResponse): void {
  ctx.remove('Access-Control-Allow-Origin')
  ctx.remove('Access-Control-Expose-Headers')
}

export function errorOf({ body }: ProviderResponse): string | undefined {
  return (body as { error?: string } | undefined)?.error
}

export function descriptionOf({ body }: ProviderResponse): string | undefined {
  return (body as { error_description?: string } | undefined)?.error_description
}
