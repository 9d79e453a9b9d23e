import type { Context } from 'koa'
import type { SignedIn } from '../../host/accounts.ts'
import type { ConsentDecision } from '../../grants/consent-policy.ts'

/** A pending authorization request that waits for a person. */
export interface PendingInteraction {
  /** Unguessable; part of the address and of a cookie. */
  readonly uid: string
  /** The step that is due now. */
  readonly prompt: 'login' | 'consent'
  /** Epoch seconds. */
  readonly startedAt: number
  readonly application: {
    readonly clientId: string
    readonly name: string
    readonly homepageUri?: string | undefined
    readonly logoUri?: string | undefined
    /** The host's name for the developer; undefined if unknown. */
    readonly developerName?: string | undefined
    /**
     * Ids of its products, so that an operation of several products is shown under the right one; any product
     * if unknown.
     */
    readonly products?: readonly string[] | undefined
  }
  /** Origin to which the browser is finally sent; shown to the person. */
  readonly redirectOrigin: string
  /** The account that the authorization is for; undefined while no one is signed in. */
  readonly account?: {
    readonly accountId: string
    readonly userId?: string | undefined
    /** Display name of the person. */
    readonly name: string
    /** Their e-mail address or user name, if it is known and differs from the name. */
    readonly login?: string | undefined
  }
  /** Scopes that the request contains and the application may request now, in their order. */
  readonly requestedScopes: readonly string[]
  /** Earlier decisions of this account about this application. */
  readonly storedConsent: { readonly granted: readonly string[]; readonly denied: readonly string[] }
  /** `ui_locales` of the request, in order of preference (OpenID Connect Core 3.1.2.1). */
  readonly uiLocales: readonly string[]
  /** `login_hint` of the request. */
  readonly loginHint?: string | undefined
  /** The person must authenticate again (`prompt=login`, `max_age`). */
  readonly reauthenticate: boolean
  /** Lifetime of the refresh token in seconds: how long access continues without use. */
  readonly accessLifetime: number
}

/**
 * The methods of the authorization server that the pages need. If a method returns a URL, the caller sends the
 * browser there.
 */
export interface InteractionPort {
  /**
   * The interaction of this browser at this address; undefined if it is over or belongs to another browser.
   */
  find(ctx: Context, uid: string): Promise<PendingInteraction | undefined>
  /** The person has authenticated. */
  signedIn(ctx: Context, pending: PendingInteraction, person: SignedIn): Promise<URL>
  /** The person approved the request; at least one scope is granted. */
  approved(ctx: Context, pending: PendingInteraction, decision: ConsentDecision): Promise<URL>
  /** The person denied access (`access_denied`), or cannot be signed in as requested (`login_required`). */
  failed(
    ctx: Context,
    pending: PendingInteraction,
    error: 'access_denied' | 'login_required',
    description: string,
  ): Promise<URL>
  /** Starts the same authorization request from the beginning; `endSession` ends our own session first. */
  restart(ctx: Context, pending: PendingInteraction, options?: { endSession: boolean }): Promise<URL>
}
