import { answerDocument } from '../../../http/public-document.ts'
import type { ProviderParts } from '../dependencies.ts'
import type { FixResponse } from '../fix-responses.ts'

/** The metadata changes with the products. */
const MAX_AGE_SECONDS = 60

/** Completes the metadata of the authorization server (OpenID Connect Discovery 1.0, 3; RFC 8414 2), cached for a minute. */
export function createFixMetadata({ settings, catalog, features }: ProviderParts): FixResponse {
  // No ID token has a session id.
  const absentClaims = settings.namesUsers ? ['sid'] : ['sid', 'user_id']

  return function fixMetadata(ctx) {
    if (ctx.status !== 200) return
    const document = ctx.body as {
      token_endpoint_auth_methods_supported?: readonly string[]
      token_endpoint_auth_signing_alg_values_supported?: readonly string[]
      claims_supported?: readonly string[]
    }
    const authMethods = document.token_endpoint_auth_methods_supported
    const algorithms = document.token_endpoint_auth_signing_alg_values_supported
    const fixed = {
      ...document,
      revocation_endpoint_auth_methods_supported: authMethods,
      introspection_endpoint_auth_methods_supported: authMethods?.filter((method) => method !== 'none'),
      ...(algorithms && {
        revocation_endpoint_auth_signing_alg_values_supported: algorithms,
        introspection_endpoint_auth_signing_alg_values_supported: algorithms,
      }),
      ...(features.documents && { client_id_metadata_document_supported: true }),
      scopes_supported: [...settings.openIdScopes, ...catalog.current.operations.keys()],
      response_modes_supported: ['query'],
      claims_parameter_supported: false,
      claims_supported: document.claims_supported?.filter((claim) => !absentClaims.includes(claim)),
      // A resource server that is configured with the issuer alone uses this list for access tokens.
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    }
    answerDocument(ctx, JSON.stringify(fixed), { maxAge: MAX_AGE_SECONDS })
  }
}
