import type { Adapter, Client as ProviderClient, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { createLru } from '../../../async/lru.ts'
import { hasSecret } from '../../../clients/client-registry.ts'
import { readBasicCredentials } from '../../../http/basic-credentials.ts'
import { recordOf, currentContext, requestState } from '../request-state.ts'
import { disguiseToken } from './tokens.ts'

/**
 * Called when a client has authenticated. oidc-provider reads the parameters of the request before this call,
 * and uses them after it. So the function may change the parameters.
 */
export type ClientAuthenticated = (ctx: KoaContextWithOIDC, client: ProviderClient) => Promise<void>

/** Maximum number of cached clients, at about 2 kB each. */
const MAX_CACHED_CLIENTS = 10_000

/**
 * Caches the client objects that oidc-provider creates from client metadata. oidc-provider's own cache holds
 * one hundred clients. Creating a client takes ten times as long as finding it in the cache. So with
 * oidc-provider's own cache, issuing a token would take longer as soon as more than one hundred clients are
 * in use.
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
export function compareSecretsByHash(provider: Provider, clientAuthenticated: ClientAuthenticated): void {
  const { prototype } = provider.Client as unknown as { prototype: Record<string, unknown> }
  prototype['compareClientSecret'] = async function (this: ProviderClient, secret: string) {
    const ctx = currentContext()
    if (!isSecretOf(ctx, this, secret)) return false
    disguiseToken(ctx)
    await clientAuthenticated(ctx, this)
    return true
  }
}

/**
 * Whether a client sent a current secret. A secret in the Basic header is compared in its decoded form, and
 * then in the form that the client sent, because many clients do not encode their secret. Authentication
 * fails only if both forms are wrong.
 */
function isSecretOf(ctx: KoaContextWithOIDC, client: ProviderClient, secret: string): boolean {
  const authorization = requestState(ctx).host.get('Authorization')
  const { clientSecrets = [secret] } = readBasicCredentials(authorization) ?? {}
  const record = recordOf(client)
  return clientSecrets.some((candidate) => hasSecret(record, candidate))
}
