import type { Context } from 'koa'
import { Provider, type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import type { Account } from '../../host/accounts.ts'
import type { Client } from '../../clients/client.ts'
import type { EarlyLookups } from './early-lookups.ts'
import type { Stored } from '../../store/collection.ts'
import type { Listing } from '../../grants/grant-lifecycle.ts'
import type { GrantRecord } from '../../grants/grant-record.ts'
import { rollbackDeadline } from '../../grants/refresh-tokens/late-writes.ts'
import type { FoundRefreshToken } from '../../grants/refresh-tokens/token-families.ts'

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
  readonly accounts: Map<string, Promise<Account | undefined>>
  /** Clients that this request has looked up, by id. */
  readonly clients: Map<string, Client>
  /** The authorization code that this request presents. */
  code?: { readonly code: string; readonly payload: Promise<AdapterPayload | undefined> } | undefined
  /** The refresh token that this request presents. */
  refreshToken?:
    { readonly token: string; readonly found: Promise<FoundRefreshToken | undefined> } | undefined
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
 * oidc-provider's context of the current request, for the adapters of oidc-provider's models. Our pages also
 * call some of these adapters, and then there is no such context. So adapter code that serves our pages must
 * not call this function.
 *
 * @throws {TypeError} if oidc-provider is not handling a request
 */
export function currentContext(): KoaContextWithOIDC {
  const { ctx } = Provider
  if (!ctx) throw new TypeError('this model can be used only while oidc-provider handles a request')
  return ctx
}
