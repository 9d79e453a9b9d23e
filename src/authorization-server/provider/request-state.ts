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

/** What the fast path did. oidc-provider reuses it, and so waits at most once for an unavailable store. */
export interface EarlyLookups {
  /** A failed lookup fails again with the same error. */
  readonly registry: ClientRegistry
  readonly accounts: KnownAccounts
  readonly refreshReads?: RefreshReads | undefined
  /** An answer that failed, so that oidc-provider writes its error. */
  readonly answer?: Promise<never>
}

/** The records of a refresh token that this service has made, and of its grant. They are read in one round trip. */
export interface RefreshReads {
  readonly found: Promise<FoundRefreshToken | undefined>
  /** Undefined if the token does not name a grant of ours. */
  readonly grant: Promise<Stored<GrantRecord> | undefined> | undefined
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
  refreshReads?: RefreshReads | undefined
  grant?: { readonly grantId: string; readonly stored: Promise<Stored<GrantRecord> | undefined> } | undefined
  /** Set only while a code is exchanged. */
  listing?: Listing | undefined
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
  const { refreshReads } = early ?? {}
  states.set(ctx, { host, early, deadline: rollbackDeadline(), accounts, clients: new Map(), refreshReads })
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

export function startLookups(registry: ClientRegistry, refreshReads?: RefreshReads): EarlyLookups {
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
    refreshReads,
  }
}

// These records are read early, at the same time as the client or the family, which saves two round trips.

export interface RefreshReaders {
  readonly families: TokenFamilies
  readonly refreshTokenFormat: RefreshTokenFormat
  readonly grantLifecycle: GrantLifecycle
}

interface Readers extends RefreshReaders {
  readonly codes: Collection<AdapterPayload>
}

/** Starts to read the code or refresh token. A failure is thrown where the record is awaited. */
export function prefetch(parts: Readers, ctx: KoaContextWithOIDC): void {
  if (ctx.oidc.route !== 'token') return
  const { grant_type: grantType, code, refresh_token: token } = ctx.oidc.body ?? {}
  if (grantType === 'authorization_code' && typeof code === 'string') getCode(parts, ctx, code).catch(ignore)
  if (grantType === 'refresh_token' && typeof token === 'string')
    requestState(ctx).refreshReads ??= startRefreshReads(parts, token)
}

/** What a request has read, so that nothing is read twice. A failure is thrown where the record is awaited. */
export function startRefreshReads(
  { families, refreshTokenFormat, grantLifecycle }: RefreshReaders,
  token: string,
): RefreshReads | undefined {
  // Strangers can make up tokens, so a token that we did not issue is read only after the client has authenticated.
  if (!refreshTokenFormat.isGenuine(token)) return undefined
  const { grantId } = refreshTokenFormat.parse(token) ?? {}
  const found = families.find(token)
  const grant = grantId === undefined ? undefined : grantLifecycle.records.read(grantId)
  found.catch(ignore)
  grant?.catch(ignore)
  return { found, grant }
}

export function getCode({ codes }: Readers, ctx: KoaContextWithOIDC, code: string) {
  const state = requestState(ctx)
  if (state.code?.code !== code) state.code = { code, payload: codes.get(digest(code)) }
  return state.code.payload
}

export function getGrant({ grantLifecycle }: Readers, ctx: KoaContextWithOIDC, grantId: string) {
  const state = requestState(ctx)
  if (state.grant?.grantId !== grantId) {
    state.grant = { grantId, stored: grantLifecycle.records.read(grantId) }
  }
  return state.grant.stored
}

function ignore(): void {}
