import type { Context } from 'koa'
import {
  Provider,
  type AdapterPayload,
  type Client as ProviderClient,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import type { Account } from '../../host/accounts.ts'
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

/**
 * The lookups that the fast path for direct access has made for one request. If the fast path passes the request on to
 * oidc-provider, the lookups are not repeated: each request looks up its client and account once, and waits at most
 * once for an unavailable store.
 */
export interface EarlyLookups {
  /** The registry, with the results of this request. A failed lookup fails again with the same error. */
  readonly registry: ClientRegistry
  readonly accounts: KnownAccounts
}

/** The accounts that one request has looked up. */
export type KnownAccounts = Map<string, Promise<Account | undefined>>

/**
 * Data about one request, kept while oidc-provider handles that request. So no record and no account is read
 * twice.
 */
export interface RequestState {
  /** The host's own Koa context of this request. The host's callbacks receive it. */
  readonly host: Context
  /** The lookups of the fast path for direct access, if it passed this request on. */
  readonly early: EarlyLookups | undefined
  /** When this request stops waiting for the rollback of a late write; see `rollbackDeadline`. */
  readonly deadline: number
  /** Accounts that this request looks up, by account and user id. */
  readonly accounts: KnownAccounts
  /** Clients that this request has looked up, by id. */
  readonly clients: Map<string, Client>
  /** The disabled client that this request names. oidc-provider does not find disabled clients. */
  unusableClient?: Client | undefined
  /** The client id that the request names, whether or not the client exists. */
  sentClientId?: string | undefined
  /** The secret or key with which the client authenticated. */
  credential?: UsedCredential | undefined
  /** Whether the wrong secret in this request looks like a mistyped or cut-off secret of this service. */
  isMistyped?: boolean | undefined
  /** The authorization code that this request presents. */
  code?: { readonly code: string; readonly payload: Promise<AdapterPayload | undefined> } | undefined
  /** The refresh token that this request presents. */
  refreshToken?:
    | { readonly token: string; readonly found: Promise<FoundRefreshToken | undefined> }
    | undefined
  /** The grant of the code or refresh token that this request presents. */
  grant?: { readonly grantId: string; readonly stored: Promise<Stored<GrantRecord> | undefined> } | undefined
  /** The grant's entry in the index of grants; set only while a code is exchanged. */
  listing?: Listing | undefined
  /** The refresh token to send again in the response, if the client retried within the grace period. */
  repeatedRefreshToken?: string | undefined
  /** The scopes that the application may request at the time of this request. */
  applicationScopes?: Promise<readonly string[]> | undefined
  /** The epoch of the catalog from which the scopes of this request were resolved. */
  catalogEpoch?: number | undefined
  /** Why the metadata document of the client cannot be used, for the developer of the client. */
  documentProblem?: string | undefined
  /** The first failure of the store in this request. */
  unavailable?: Error | undefined
  /** Whether this request has already synchronized our session with the host's session. */
  isSessionSynced?: boolean | undefined
}

const states = new WeakMap<object, RequestState>()

/** Starts the state of a request: `ctx` is oidc-provider's context, `host` is the host's context. */
export function startRequest(ctx: object, host: Context, early?: EarlyLookups): void {
  const accounts = early?.accounts ?? new Map()
  states.set(ctx, { host, early, deadline: rollbackDeadline(), accounts, clients: new Map() })
}

/** The state of the request that `ctx` belongs to. */
export function requestState(ctx: KoaContextWithOIDC | Context): RequestState {
  const state = states.get(ctx)
  if (!state) throw new TypeError('startRequest() was not called for this context')
  return state
}

/**
 * oidc-provider's context of the current request, for the adapters of oidc-provider's models. Our pages also call
 * some of these adapters, without such a context. Adapter code that serves our pages must not call this function.
 *
 * @throws {TypeError} if oidc-provider is not handling a request
 */
export function currentContext(): KoaContextWithOIDC {
  const { ctx } = Provider
  if (!ctx) throw new TypeError('this model can be used only while oidc-provider handles a request')
  return ctx
}

/**
 * Our record of a client, as the registry returned it for this request. The record is not attached to oidc-provider's
 * client object. oidc-provider's object is cached for later requests, and the record could be outdated by then.
 *
 * @param ctx needed outside of oidc-provider's own middleware
 */
export function recordOf(client: ProviderClient | undefined, ctx = Provider.ctx): Client {
  const record = client && ctx && requestState(ctx).clients.get(client.clientId)
  if (!record) throw new TypeError('this client did not come from the registry')
  return record
}

/** Starts the lookups of one request. */
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

// The code, the refresh token and the grant of a request are read as early as possible. This saves two round
// trips to the store. The code or refresh token is read at the same time as the client. The grant of a refresh
// token is read at the same time as the token's family.

/** The parts that read the records of a request. */
interface Readers {
  readonly codes: Collection<AdapterPayload>
  readonly families: TokenFamilies
  readonly refreshTokenFormat: RefreshTokenFormat
  readonly grantLifecycle: GrantLifecycle
}

/**
 * Starts to read the code or refresh token of a token request, and does not wait for the result. If the read
 * fails, the error is thrown where the record is awaited.
 */
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

/** Reads the refresh token. If we issued the token, this function also starts to read its grant. */
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

/** Ignores the failure of an early read. The failure is thrown again where the record is awaited. */
function ignore(): void {}
