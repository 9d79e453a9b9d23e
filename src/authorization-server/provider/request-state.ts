import type { Context } from 'koa'
import type { AdapterPayload, KoaContextWithOIDC } from 'oidc-provider'
import type { Account } from '../../host/accounts.ts'
import type { Client } from '../../clients/client.ts'
import type { Stored } from '../../store/collection.ts'
import type { Listing } from '../../grants/grant-lifecycle.ts'
import type { GrantRecord } from '../../grants/grant-record.ts'
import type { FoundRefreshToken } from '../../grants/refresh-tokens/token-families.ts'

/** What is known about one request while oidc-provider works on it, so that nothing is asked for twice. */
export interface RequestState {
  /** The host's own context of this request, for the host's callbacks. */
  readonly host: Context
  /** Accounts that were looked up, by id (and user). */
  readonly accounts: Map<string, Promise<Account | undefined>>
  /** Clients that were looked up, by id. */
  readonly clients: Map<string, Client>
  /** The refresh token of this request, as it is being looked up. */
  refreshLookUp?:
    { readonly token: string; readonly found: Promise<FoundRefreshToken | undefined> } | undefined
  /** The refresh token that is being exchanged. */
  refreshToken?: FoundRefreshToken | undefined
  /** What it was exchanged for before, where the client tried again: the answer's refresh token. */
  repeatedRefreshToken?: string | undefined
  /** The grant that is to be asked for next, as it is being read. */
  grantLookUp?:
    { readonly grantId: string; readonly stored: Promise<Stored<GrantRecord> | undefined> } | undefined
  /** The grant that was read last. */
  grant?: { readonly grantId: string; readonly stored: Stored<GrantRecord> } | undefined
  /** Where the grant was listed whose code is exchanged. */
  listing?: Listing | undefined
  /** The authorization code that is exchanged, as it is being looked up. */
  code?: { readonly code: string; readonly found: Promise<AdapterPayload | undefined> } | undefined
  /** What the application may ask for, once worked out. */
  applicationScopes?: Promise<readonly string[]> | undefined
  /** The epoch of the catalog that the scopes of this request were worked out by. */
  catalogEpoch?: number | undefined
  /** The store was away when this request asked it. */
  unavailable?: Error | undefined
  /** Whether our session was compared with the host's. */
  isInSync?: boolean | undefined
}

const states = new WeakMap<object, RequestState>()

/** Remembers the host's context for a context of oidc-provider's. */
export function startRequest(ctx: object, host: Context): void {
  states.set(ctx, { host, accounts: new Map(), clients: new Map() })
}

/** The state of the request that `ctx` belongs to. */
export function requestState(ctx: KoaContextWithOIDC | Context): RequestState {
  const state = states.get(ctx)
  if (!state) throw new TypeError('this context did not come through the mount')
  return state
}
