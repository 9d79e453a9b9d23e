import { randomBytes, randomUUID } from 'node:crypto'
import {
  errors,
  type Adapter,
  type AllClientMetadata,
  type Client as ProviderClient,
  type KoaContextWithOIDC,
  type Provider,
} from 'oidc-provider'
import { createLru } from '../../../async/lru.ts'
import type { ApiKey, Application, Client } from '../../../clients/client.ts'
import { isMistypedSecret } from '../../../clients/secret-format.ts'
import { findSecretOf } from '../../../clients/client-registry.ts'
import { documentOf } from '../../../clients/documents/document-application.ts'
import { isDocumentId } from '../../../validation/document-id.ts'
import { keysOf } from '../../../clients/jwk-set.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { redirectKindOf } from '../../../clients/application-uris.ts'
import { isUsable } from '../../../clients/why-no-token.ts'
import { parsePart } from '../../../gateway/verify-own-token.ts'
import { readBasicCredentials } from '../../../http/basic-credentials.ts'
import { addressGroup } from '../../../http/rate-limit-group.ts'
import type { ProviderParts } from '../dependencies.ts'
import { currentContext, prefetch, recordOf, requestState } from '../request-state.ts'
import { CLIENT_ROUTES, FRONT_CHANNEL } from '../routes.ts'
import { disguiseToken } from '../seam/tokens.ts'
import { modelAdapter } from './adapter.ts'

/** oidc-provider requires a secret, and could use it as a signing key, so it does not get the hash of the real one. */
const UNUSED_SECRET = randomBytes(32).toString('base64url')

type AuthMethod = 'client_secret_basic' | 'private_key_jwt' | 'none'

/** An API key or application as oidc-provider sees it (RFC 7591 2). */
function toClientMetadata(
  record:
    | Pick<Application, 'kind' | 'clientId' | 'redirectUris' | 'postLogoutRedirectUris' | 'jwks'>
    | Pick<ApiKey, 'kind' | 'clientId' | 'jwks'>,
  method: AuthMethod = 'client_secret_basic',
  mayBeNative = false,
): AllClientMetadata {
  const isApplication = record.kind === 'application'
  const redirectUris = isApplication ? [...record.redirectUris] : []
  const logoutUris = isApplication ? [...record.postLogoutRedirectUris] : []
  const uris = [...redirectUris, ...logoutUris]
  return {
    client_id: record.clientId,
    ...(method === 'client_secret_basic' && { client_secret: UNUSED_SECRET }),
    ...(method === 'private_key_jwt' && { jwks: { keys: [...keysOf(record)] } }),
    grant_types: isApplication ? ['authorization_code', 'refresh_token'] : ['client_credentials'],
    // oidc-provider rejects a client that has a response type and no redirect URI.
    response_types: redirectUris.length > 0 ? ['code'] : [],
    redirect_uris: redirectUris,
    post_logout_redirect_uris: logoutUris,
    token_endpoint_auth_method: method,
    // A native application may use any port of a loopback address (RFC 8252 7.3), and private-use schemes.
    ...(mayBeNative &&
      !uris.every((uri) => redirectKindOf(uri) === 'https') && { application_type: 'native' }),
    id_token_signed_response_alg: 'RS256',
  }
}

function authMethodOf(
  client: Client,
  { oidc }: KoaContextWithOIDC,
  { privateKeyJwt }: ProviderParts['settings'],
): AuthMethod {
  if (isPublicClient(client)) return 'none'
  if (documentOf(client)) return 'private_key_jwt'
  const mayAssert = privateKeyJwt && keysOf(client).length > 0
  return mayAssert && oidc.params?.['client_assertion'] !== undefined
    ? 'private_key_jwt'
    : 'client_secret_basic'
}

/** At sign-out, strangers cannot distinguish an unknown id or an API key from an application. */
const UNKNOWN_CLIENT = toClientMetadata({ kind: 'apiKey', clientId: randomUUID() })

/**
 * API keys and applications as oidc-provider's clients. A request from a browser finds only applications, and a
 * sign-out request finds a client for every id: strangers cannot find out which `client_id` belongs to an API key.
 */
export function clients(parts: ProviderParts): Adapter {
  async function findUsable(ctx: KoaContextWithOIDC, clientId: string): Promise<Client | undefined> {
    prefetch(parts, ctx)
    requestState(ctx).sentClientId ??= clientId
    const { documents } = parts.features
    const identifiesItself = ctx.oidc.route === 'authorization' || ctx.oidc.route === 'token'
    if (documents && identifiesItself && isDocumentId(clientId))
      return resolveDocument(documents, ctx, clientId)
    const { early } = requestState(ctx)
    const record = await (early?.registry ?? parts.registry).find(clientId)
    if (!record) return undefined
    if (!isUsable(record, parts.settings)) {
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
      const mayBeNative = isPublicClient(record) || documentOf(record) !== undefined
      return toClientMetadata(record, authMethodOf(record, ctx, parts.settings), mayBeNative)
    },
  })
}

/** @returns undefined if the document cannot be used, for the reason in the state of the request */
async function resolveDocument(
  documents: NonNullable<ProviderParts['features']['documents']>,
  ctx: KoaContextWithOIDC,
  clientId: string,
): Promise<Client | undefined> {
  const [header = ''] = String(ctx.oidc.params?.['client_assertion']).split('.')
  const { kid } = parsePart(header) ?? {}
  const sender = addressGroup(requestState(ctx).host.ip)
  const resolved = await documents.resolve(clientId, typeof kid === 'string' ? kid : undefined, sender)
  if ('application' in resolved) return resolved.application
  requestState(ctx).documentProblem = resolved.problem
  return undefined
}

/** oidc-provider uses the parameters of the request after this call, so it may change them. */
export type ClientAuthenticated = (ctx: KoaContextWithOIDC, client: ProviderClient) => Promise<void>

export function whenAuthenticated(
  { secretUsed }: ProviderParts,
  complete: ClientAuthenticated,
): ClientAuthenticated {
  return async function authenticated(ctx, client) {
    const { credential } = requestState(ctx)
    // A token request records the use together with the use of the client, in one round trip.
    if (credential && ctx.oidc.route !== 'token') secretUsed(recordOf(client), credential)
    disguiseToken(ctx)
    await complete(ctx, client)
  }
}

/** Client objects of about 2 kB each. */
const MAX_CACHED_CLIENTS = 10_000

/** Client objects of about 25 kB each: strangers write these documents. */
const MAX_CACHED_DOCUMENTS = 500

/**
 * oidc-provider's own cache holds only one hundred clients, and creating one takes ten times as long as finding it.
 *
 * Relies on: oidc-provider finds clients only with `Client.find(id)`, which gets the metadata from
 * `Client.adapter.find(id)`. `new Client(metadata)` checks the metadata. No code changes a client object.
 */
export function cacheClients({ Client }: Provider, authenticated: ClientAuthenticated): void {
  const { adapter } = Client as unknown as { adapter: Adapter }
  const ClientModel = Client as unknown as new (metadata: object) => ProviderClient
  const registered = createLru<string, ProviderClient>(MAX_CACHED_CLIENTS)
  const withDocuments = createLru<string, ProviderClient>(MAX_CACHED_DOCUMENTS)
  Client.find = async (id: unknown) => {
    const metadata = typeof id === 'string' ? await adapter.find(id) : undefined
    if (!metadata) return undefined
    const key = JSON.stringify(metadata)
    const cache = isDocumentId(String(id)) ? withDocuments : registered
    const client = cache.get(key) ?? new ClientModel(metadata)
    cache.set(key, client)
    if (client.clientAuthMethod === 'none') await acceptPublicClient(client, authenticated)
    return client
  }
}

/**
 * A public application has no credentials, so it counts as authenticated when it is found.
 *
 * Relies on: at the endpoints where clients authenticate, oidc-provider first finds the client that authenticates, and
 * then sets it as the client of the request.
 */
async function acceptPublicClient(client: ProviderClient, authenticated: ClientAuthenticated): Promise<void> {
  const ctx = currentContext()
  if (ctx.oidc.client !== undefined || !CLIENT_ROUTES.some((name) => name === ctx.oidc.route)) return
  if (ctx.oidc.route === 'introspection') {
    throw new errors.InvalidClientAuth('a public application cannot introspect tokens')
  }
  await authenticated(ctx, client)
}

/** Relies on: client authentication awaits `client.compareClientSecret(secret)` inside the request's context. */
export function compareSecretsByHash(
  provider: Provider,
  { secretPrefix }: ProviderParts['settings'],
  authenticated: ClientAuthenticated,
): void {
  const { prototype } = provider.Client as unknown as { prototype: Record<string, unknown> }
  prototype['compareClientSecret'] = async function (this: ProviderClient, secret: string) {
    const ctx = currentContext()
    const candidates = candidatesIn(ctx, secret)
    const found = findSecretOf(recordOf(this), candidates)
    if (!found) {
      requestState(ctx).isMistyped = candidates.some((each) => isMistypedSecret(each, secretPrefix))
      return false
    }
    requestState(ctx).credential = found
    await authenticated(ctx, this)
    return true
  }
}

/** Decoded, or unchanged: many clients do not encode their secret. */
export function candidatesIn(ctx: KoaContextWithOIDC, secret: string): readonly string[] {
  const authorization = requestState(ctx).host.get('Authorization')
  return readBasicCredentials(authorization)?.clientSecrets ?? [secret]
}
