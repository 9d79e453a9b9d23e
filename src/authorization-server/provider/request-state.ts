import type { Context } from 'koa'
import {
  Provider,
  type AdapterPayload,
  type Client as ProviderClient,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import type { KnownAccounts } from '../../host/find-once.ts'
import type { Client } from '../../clients/client.ts'
import type { UsedCredential } from '../../clients/stored-secrets.ts'
import type { ClientRegistry, StoredClient } from '../../clients/client-registry.ts'
import type { Collection, Stored } from '../../store/collection.ts'
import { digest } from '../../store/digest.ts'
import type { GrantLifecycle, Listing } from '../../grants/grant-lifecycle.ts'
import type { GrantRecord } from '../../grants/grant-record.ts'
import { rollbackDeadline } from '../../grants/refresh-tokens/uncertain-writes.ts'
import type { FoundRefreshToken, TokenFamilies } from '../../grants/refresh-tokens/token-families.ts'
import type { RefreshTokenFormat } from '../../grants/refresh-tokens/token-format.ts'

/** Lookups of the fast path. oidc-provider reuses them, and so waits at most once for an unavailable store. */
export interface EarlyLookups {
  /** A failed lookup fails again with the same error. */
  readonly registry: ClientRegistry
  readonly accounts: KnownAccounts
}

/** What one request has read, so that no record and no account is read twice. */
export interface RequestState {
  readonly host: Context
  readonly early: EarlyLookups | undefined
  /** When this request stops waiting for the rollback of a late write; see `rollbackDeadline`. */
  readonly deadline: number
  readonly accounts: KnownAccounts
  /** By client id. */
  readonly clients: Map<string, Client>
  /** oidc-provider does not find disabled clients. */
  unusableClient?: Client | undefined
  /** Whether or not the client exists. */
  sentClientId?: string | undefined
  credential?: UsedCredential | undefined
  isMistyped?: boolean | undefined
  code?: { readonly code: string; readonly payload: Promise<AdapterPayload | undefined> } | undefined
  refreshToken?:
    | { readonly token: string; readonly found: Promise<FoundRefreshToken | undefined> }
    | undefined
  grant?: { readonly grantId: string; readonly stored: Promise<Stored<GrantRecord> | undefined> } | undefined
  /** Set only while a code is exchanged. */
  listing?: Listing | undefined
  /** Set if the client retried within the grace period. */
  repeatedRefreshToken?: string | undefined
  applicationScopes?: Promise<readonly string[]> | undefined
  catalogEpoch?: number | undefined
  /** For the developer of the client. */
  documentProblem?: string | undefined
  unavailable?: Error | undefined
  isSessionSynced?: boolean | undefined
}

const states = new WeakMap<object, RequestState>()

export function startRequest(ctx: object, host: Context, early?: EarlyLookups): void {
  const accounts = early?.accounts ?? new Map()
  states.set(ctx, { host, early, deadline: rollbackDeadline(), accounts, clients: new Map() })
}

export function requestState(ctx: KoaContextWithOIDC | Context): RequestState {
  const state = states.get(ctx)
  if (!state) throw new TypeError('startRequest() was not called for this context')
  return state
}

/** @throws {TypeError} if oidc-provider is not handling a request: our pages also use some models */
export function currentContext(): KoaContextWithOIDC {
  const { ctx } = Provider
  if (!ctx) throw new TypeError('this model can be used only while oidc-provider handles a request')
  return ctx
}

/** oidc-provider's client object is cached for later requests, when our record may be outdated. */
export function recordOf(client: ProviderClient | undefined, ctx = Provider.ctx): Client {
  const record = client && ctx && requestState(ctx).clients.get(client.clientId)
  if (!record) throw new TypeError('this client did not come from the registry')
  return record
}

export function startLookups(registry: ClientRegistry): EarlyLookups {
  const clients = new Map<string, Promise<StoredClient | undefined>>()
  return {
    registry: {
      find(clientId) {
        const client = clients.get(clientId) ?? registry.find(clientId)
        clients.set(clientId, client)
        return client
      },
    },
    accounts: new Map(),
  }
}

// These records are read early, at the same time as the client or the family, which saves two round trips.

interface Readers {
  readonly codes: Collection<AdapterPayload>
  readonly families: TokenFamilies
  readonly refreshTokenFormat: RefreshTokenFormat
  readonly grantLifecycle: GrantLifecycle
}

/** Starts to read the code or refresh token. A failure is thrown where the record is awaited. */
export function prefetch(parts: Readers, ctx: KoaContextWithOIDC): void {
  if (ctx.oidc.route !== 'token') return
  const { grant_type: grantType, code, refresh_token: token } = ctx.oidc.body ?? {}
  if (grantType === 'authorization_code' && typeof code === 'string') getCode(parts, ctx, code).catch(ignore)
  if (grantType !== 'refresh_token' || typeof token !== 'string') return
  // Strangers can make up tokens, so a token that we did not issue is read only after the client has authenticated.
  if (parts.refreshTokenFormat.isGenuine(token)) getRefreshToken(parts, ctx, token).catch(ignore)
}

export function getCode(
  { codes }: Readers,
  ctx: KoaContextWithOIDC,
  code: string,
): Promise<AdapterPayload | undefined> {
  const state = requestState(ctx)
  if (state.code?.code !== code) state.code = { code, payload: codes.get(digest(code)) }
  return state.code.payload
}

/** If we issued the token, this function also starts to read its grant. */
export function getRefreshToken(
  parts: Readers,
  ctx: KoaContextWithOIDC,
  token: string,
): Promise<FoundRefreshToken | undefined> {
  const state = requestState(ctx)
  if (state.refreshToken?.token !== token) {
    state.refreshToken = { token, found: parts.families.find(token) }
    const { refreshTokenFormat: format } = parts
    const grantId = format.isGenuine(token) ? format.parse(token)?.grantId : undefined
    if (grantId !== undefined) getGrant(parts, ctx, grantId).catch(ignore)
  }
  return state.refreshToken.found
}

export function getGrant(
  { grantLifecycle }: Readers,
  ctx: KoaContextWithOIDC,
  grantId: string,
): Promise<Stored<GrantRecord> | undefined> {
  const state = requestState(ctx)
  if (state.grant?.grantId !== grantId) {
    state.grant = { grantId, stored: grantLifecycle.records.read(grantId) }
  }
  return state.grant.stored
}

function ignore(): void {}
