import type { Context } from 'koa'
import type { ConsentDecision } from '../../grants/consent-policy.ts'

/** What a browser is in the middle of: an authorization request that waits for a person. */
export interface PendingInteraction {
  /** Unguessable; part of the address and of a cookie. */
  readonly uid: string
  /** What is wanted of the person now. */
  readonly prompt: 'login' | 'consent'
  /** Epoch seconds. */
  readonly startedAt: number
  readonly application: {
    readonly clientId: string
    readonly name: string
    readonly homepageUri?: string | undefined
    readonly logoUri?: string | undefined
    /** What the host calls the developer; undefined if unknown. */
    readonly developerName?: string | undefined
    /** Ids of its products, so that an operation of several products is shown at the right one; any if unknown. */
    readonly products?: readonly string[] | undefined
  }
  /** Origin that the browser is sent to in the end; shown to the person. */
  readonly redirectOrigin: string
  /** Who the authorization is for; undefined while nobody is signed in. */
  readonly account?: {
    readonly accountId: string
    readonly userId?: string | undefined
    /** What to call them. */
    readonly name: string
    /** Their e-mail address or user name, if it is known and not the name. */
    readonly login?: string | undefined
  }
  /** Scopes that the request asks for and the application may ask for now, in their order. */
  readonly requestedScopes: readonly string[]
  /** What this account decided about this application before. */
  readonly remembered: { readonly granted: readonly string[]; readonly refused: readonly string[] }
  /** `ui_locales` of the request, in order of preference (OpenID Connect Core 3.1.2.1). */
  readonly uiLocales: readonly string[]
  /** `login_hint` of the request. */
  readonly loginHint?: string | undefined
  /** The person must prove anew who they are (`prompt=login`, `max_age`). */
  readonly reauthenticate: boolean
  /** Lifetime of the refresh token in seconds: how long the access goes on without use. */
  readonly accessLifetime: number
}

/**
 * What the pages need of the authorization server. Methods that answer with a URL mean: send the browser
 * there.
 */
export interface InteractionPort {
  /** The interaction that this browser is in at this address; undefined if it is over or somebody else's. */
  find(ctx: Context, uid: string): Promise<PendingInteraction | undefined>
  /** The person proved who they are. */
  signedIn(
    ctx: Context,
    pending: PendingInteraction,
    who: { accountId: string; userId?: string | undefined; signedInAt: number | undefined },
  ): Promise<URL>
  /** The person decided about the scopes; at least one is granted. */
  consented(ctx: Context, pending: PendingInteraction, decision: ConsentDecision): Promise<URL>
  /** The person declined (`access_denied`), or cannot be signed in as was asked (`login_required`). */
  failed(
    ctx: Context,
    pending: PendingInteraction,
    error: 'access_denied' | 'login_required',
    description: string,
  ): Promise<URL>
  /** Starts the same authorization request from the beginning; `forget` ends our own session first. */
  restart(ctx: Context, pending: PendingInteraction, options?: { forget: boolean }): Promise<URL>
}
