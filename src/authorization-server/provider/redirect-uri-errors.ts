import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { recordOf } from './client-metadata.ts'

/** The same for an unknown client, a disabled one and an API key, so that strangers cannot tell them apart. */
const NO_APPLICATION =
  'there is no application with this client_id: check the client_id, enable the application if it is disabled, and ' +
  'use an application instead of an API key, which acts on its own account only'

/**
 * What a developer can do about a request for authorization or sign-out that cannot be sent back to an application, where
 * oidc-provider says the same of several mistakes; undefined where it says enough.
 */
export function redirectUriError(ctx: KoaContextWithOIDC, error: Error): string | undefined {
  if (error instanceof errors.InvalidClient) return NO_APPLICATION
  if (!(error instanceof errors.InvalidRedirectUri) || !ctx.oidc.client) return undefined
  const client = recordOf(ctx.oidc.client)
  return client.kind === 'application' && client.redirectUris.length === 0
    ? 'no redirect URI is registered for this application yet'
    : 'redirect_uri is not one of those registered for this application; they are compared character by character'
}
