import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { recordOf } from '../../client-metadata.ts'

/**
 * One description for an unknown client, a disabled client and an API key, so that strangers cannot
 * distinguish them.
 */
const NO_APPLICATION =
  'no enabled application has this client_id; check the client_id, or enable the application. An API key cannot be ' +
  'used here, because it acts on the account of its owner only'

/**
 * Describes what the developer can do about an error of an authorization or sign-out request, if the error
 * cannot be redirected to the application. Returns undefined if oidc-provider's own description is specific
 * enough.
 */
export function redirectUriError(ctx: KoaContextWithOIDC, error: Error): string | undefined {
  if (error instanceof errors.InvalidClient) return NO_APPLICATION
  if (!(error instanceof errors.InvalidRedirectUri) || !ctx.oidc.client) return undefined
  const client = recordOf(ctx.oidc.client)
  return client.kind === 'application' && client.redirectUris.length === 0
    ? 'no redirect URI is registered for this application yet'
    : 'redirect_uri is not registered for this application; redirect URIs are compared character by character'
}
