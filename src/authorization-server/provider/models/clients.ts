import { randomBytes, randomUUID } from 'node:crypto'
import type {
  Adapter,
  AllClientMetadata,
  Client as ProviderClient,
  KoaContextWithOIDC,
  Provider,
} from 'oidc-provider'
import { createLru } from '../../../async/lru.ts'
import type { ApiKey, Application, Client } from '../../../clients/client.ts'
import { isMistypedSecret } from '../../../clients/secret-format.ts'
import { findSecretOf } from '../../../clients/authenticate-client.ts'
import { whyUnusable } from '../../../clients/why-no-token.ts'
import { readBasicCredentials } from '../../../http/basic-credentials.ts'
import type { ProviderParts } from '../dependencies.ts'
import { currentContext, prefetch, recordOf, requestState } from '../request-state.ts'
import { FRONT_CHANNEL } from '../routes.ts'
import { disguiseToken } from '../seam/tokens.ts'
import { modelAdapter } from './adapter.ts'

/**
 * oidc-provider requires a secret for each client. It could use this secret as a signing key, so it must not
 * get the hash of the client's real secret. Instead it gets this random secret, which never leaves the
 * process. `compareSecretsByHash` compares the secret that a client sends with the stored hash.
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
 * oidc-provider gets this client if a sign-out request names an API key, a disabled application or an unknown id.
 * So strangers get the same response as for an application, and cannot find out which client ids exist.
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
    if (!record) return undefined
    if (whyUnusable(record)) {
      requestState(ctx).unusableClient = record
      return undefined
    }
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

/**
 * Called when a client has authenticated. oidc-provider reads the parameters of the request before this call, and uses
 * the parameters after this call. So the function may change them.
 */
export type ClientAuthenticated = (ctx: KoaContextWithOIDC, client: ProviderClient) => Promise<void>

/** Maximum number of cached clients, at about 2 kB each. */
const MAX_CACHED_CLIENTS = 10_000

/**
 * Caches the client objects that oidc-provider creates from client metadata. oidc-provider's own cache holds only one
 * hundred clients. Creating a client object takes ten times as long as finding it in a cache.
 *
 * Relies on: oidc-provider finds clients only with `Client.find(id)`, which gets the metadata from
 * `Client.adapter.find(id)`. `new Client(metadata)` checks the metadata. No code changes a client object.
 */
export function cacheClients({ Client }: Provider): void {
  const { adapter } = Client as unknown as { adapter: Adapter }
  const ClientModel = Client as unknown as new (metadata: object) => ProviderClient
  const cache = createLru<string, ProviderClient>(MAX_CACHED_CLIENTS)
  Client.find = async (id: unknown) => {
    const metadata = typeof id === 'string' ? await adapter.find(id) : undefined
    if (!metadata) return undefined
    const key = JSON.stringify(metadata)
    const cached = cache.get(key)
    if (cached) return cached
    const client = new ClientModel(metadata)
    cache.set(key, client)
    return client
  }
}

/**
 * Compares client secrets with their hashes, because only the hashes are stored.
 *
 * Relies on: client authentication awaits `client.compareClientSecret(secret)` inside the request's context.
 */
export function compareSecretsByHash(
  provider: Provider,
  parts: Pick<ProviderParts, 'settings' | 'secretUsed'>,
  clientAuthenticated: ClientAuthenticated,
): void {
  const { prototype } = provider.Client as unknown as { prototype: Record<string, unknown> }
  prototype['compareClientSecret'] = async function (this: ProviderClient, secret: string) {
    const ctx = currentContext()
    const candidates = candidatesIn(ctx, secret)
    const found = findSecretOf(recordOf(this), candidates)
    if (!found) {
      const { secretPrefix } = parts.settings
      requestState(ctx).isMistyped = candidates.some((each) => isMistypedSecret(each, secretPrefix))
      return false
    }
    // A token request records the use together with the use of the client, in one round trip.
    if (ctx.oidc.route === 'token') requestState(ctx).secret = found
    else parts.secretUsed(found)
    disguiseToken(ctx)
    await clientAuthenticated(ctx, this)
    return true
  }
}

/** The two possible readings of a sent secret: decoded, or unchanged. Many clients do not encode their secret. */
function candidatesIn(ctx: KoaContextWithOIDC, secret: string): readonly string[] {
  const authorization = requestState(ctx).host.get('Authorization')
  return readBasicCredentials(authorization)?.clientSecrets ?? [secret]
}
