import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { recordOf } from '../../client-metadata.ts'

/**
 * One description for an unknown client, a disabled client and an API key, so that strangers cannot
 * distinguish them.
 */
const NO_APPLICATION =
  'there is no application with this client_id: check the client_id, enable the application if it is disabled, and ' +
  'use an application instead of an API key, which acts on its own account only'

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
