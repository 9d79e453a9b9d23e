import { randomBytes, randomUUID } from 'node:crypto'
import type { Adapter, AllClientMetadata, KoaContextWithOIDC } from 'oidc-provider'
import type { ApiKey, Application, Client } from '../../../clients/client.ts'
import type { ProviderParts } from '../dependencies.ts'
import { currentContext, prefetch, requestState } from '../request-state.ts'
import { FRONT_CHANNEL } from '../routes.ts'
import { modelAdapter } from './adapter.ts'

/**
 * oidc-provider requires a secret for each client. It could use this secret as a signing key, so it must not
 * get the hash of the client's real secret. Instead it gets this random secret, which never leaves the
 * process. `seam/clients.ts` compares the secret that a client sends with the stored hash.
 */
const UNUSED_SECRET = randomBytes(32).toString('base64url')

/** An API key or application as oidc-provider sees it (RFC 7591 2). */
function toClientMetadata(
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
const UNKNOWN_CLIENT = toClientMetadata({ kind: 'apiKey', clientId: randomUUID() })

/**
 * API keys and applications as oidc-provider's clients. oidc-provider does not find a disabled client. In a
 * request from a browser, oidc-provider finds only applications. So strangers cannot find out which
 * `client_id` belongs to an API key. In a sign-out request, oidc-provider finds a client for every id.
 */
export function clients(parts: Parameters<typeof prefetch>[0] & Pick<ProviderParts, 'registry'>): Adapter {
  async function findUsable(ctx: KoaContextWithOIDC, clientId: string): Promise<Client | undefined> {
    prefetch(parts, ctx)
    const { early } = requestState(ctx)
    const record = await (early?.registry ?? parts.registry).find(clientId)
    if (!record || record.disabled) return undefined
    return record.kind === 'apiKey' && FRONT_CHANNEL.test(ctx.oidc.route) ? undefined : record
  }

  return modelAdapter('Client', {
    async find(clientId) {
      const ctx = currentContext()
      const record = await findUsable(ctx, clientId)
      if (!record) return ctx.oidc.route.startsWith('end_session') ? UNKNOWN_CLIENT : undefined
      requestState(ctx).clients.set(clientId, record)
      return toClientMetadata(record)
    },
  })
}
