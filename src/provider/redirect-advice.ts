import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { recordOf } from './client-metadata.ts'

/**
 * What a developer can do about an authorization request that cannot be sent back to an application, where
 * oidc-provider says the same of several mistakes; undefined where it says enough.
 */
export function redirectAdvice(ctx: KoaContextWithOIDC, error: Error): string | undefined {
  if (ctx.oidc.route !== 'authorization') return undefined
  if (error instanceof errors.InvalidClient) return 'there is no application with this client_id'
  if (!(error instanceof errors.InvalidRedirectUri) || !ctx.oidc.client) return undefined
  const client = recordOf(ctx.oidc.client)
  if (client.kind === 'apiKey') {
    return 'this client_id is that of an API key, which acts on its own account only; use an application'
  }
  return client.redirectUris.length === 0
    ? 'no redirect URI is registered for this application yet'
    : 'redirect_uri is not one of those registered for this application; they are compared character by character'
}
