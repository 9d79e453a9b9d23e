import { randomBytes, randomUUID } from 'node:crypto'
import { Provider, type AllClientMetadata, type Client as ProviderClient } from 'oidc-provider'
import type { ApiKey, Application, Client } from '../../clients/client.ts'
import { requestState } from './request-state.ts'

/**
 * oidc-provider requires a secret for each client. It could use this secret as a signing key, so it must not
 * get the hash of the client's real secret. Instead it gets this random secret, which never leaves the
 * process. `seam/clients.ts` compares the secret that a client sends with the stored hash.
 */
const UNUSED_SECRET = randomBytes(32).toString('base64url')

/** An API key or application as oidc-provider sees it (RFC 7591 2). */
export function toClientMetadata(
  record:
    | Pick<Application, 'kind' | 'clientId' | 'redirectUris' | 'postLogoutRedirectUris'>
    | Pick<ApiKey, 'kind' | 'clientId'>,
): AllClientMetadata {
  const isApplication = record.kind === 'application'
  const redirectUris = isApplication ? [...record.redirectUris] : []
  return {
    client_id: record.clientId,
    client_secret: UNUSED_SECRET,
    grant_types: isApplication ? ['authorization_code', 'refresh_token'] : ['client_credentials'],
    // An application without a redirect URI can still refresh tokens. It gets no response type, because
    // oidc-provider rejects a client that has a response type and no redirect URI.
    response_types: redirectUris.length > 0 ? ['code'] : [],
    redirect_uris: redirectUris,
    post_logout_redirect_uris: isApplication ? [...record.postLogoutRedirectUris] : [],
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'RS256',
  }
}

/**
 * In place of every client that a sign-out request names and that is no enabled application. It has no address. So
 * strangers get the answers that they get for an application, and cannot find out which client ids exist.
 */
export const UNKNOWN_CLIENT = toClientMetadata({ kind: 'apiKey', clientId: randomUUID() })

/**
 * Our record of a client, as the registry returned it for this request. The record is not attached to
 * oidc-provider's client object, because that object is cached for later requests, and the record in it could
 * be outdated.
 */
export function recordOf(client: ProviderClient | undefined): Client {
  const record = client && Provider.ctx && requestState(Provider.ctx).clients.get(client.clientId)
  if (!record) throw new TypeError('this client did not come from the registry')
  return record
}
