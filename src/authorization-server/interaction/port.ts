import type { Context } from 'koa'
import type { LocalizedText } from '../../catalog/definition.ts'
import type { Resource } from '../../catalog/resources.ts'
import type { SignedIn } from '../../host/accounts.ts'
import type { ConsentDecision } from '../../grants/consent-decision.ts'

/** Where the browser is sent in the end, as the consent page says it. */
export interface Destination {
  /** The origin of the redirect URI; the scheme alone if it is a private-use scheme, such as `com.example.app:`. */
  readonly origin: string
  /**
   * `program`: a program on the computer of the person; `app`: an app that is installed on the device. Any other program
   * may pretend to be this one. Undefined for a website.
   */
  readonly local?: 'program' | 'app' | undefined
}

/** A pending authorization request that waits for a person. */
export interface PendingInteraction {
  /** An unguessable id. It is part of the address and of a cookie. */
  readonly uid: string
  readonly prompt: 'login' | 'consent'
  /** When the interaction began, in epoch seconds. */
  readonly startedAt: number
  readonly application: {
    readonly clientId: string
    readonly name: string
    readonly homepageUri?: string | undefined
    readonly logoUri?: string | undefined
    readonly privacyUri?: string | undefined
    readonly termsUri?: string | undefined
    /** The developer's name, as the host knows it; undefined if the host knows no name. */
    readonly developerName?: string | undefined
    /**
     * Ids of the application's products. If several products contain an operation, the page shows the operation under
     * one of these products. If `products` is undefined, the page may choose any product that contains the operation.
     */
    readonly products?: readonly string[] | undefined
    /** Undefined if a developer has registered the application. Then its name is the name that the developer gave it. */
    readonly document?:
      | {
          /** The host of the document. */
          readonly host: string
          /** Whether the host of this service vouches for the name. */
          readonly isVerified: boolean
          /** The version of the document that the page shows. */
          readonly version: string
          /** How often the host was blocked. */
          readonly epoch: number
          /** Whether the document has changed since the last decision of this person. */
          readonly hasChanged?: boolean | undefined
        }
      | undefined
  }
  /** The resource of the request; undefined if it does not exist any more. */
  readonly resource?: Pick<Resource, 'address' | 'catalog'> | undefined
  /** The name of the resource; undefined for the API at {base_url}. */
  readonly resourceTitle?: LocalizedText | undefined
  /** Where the browser is sent in the end. The page shows it. */
  readonly destination: Destination
  /** The account that the authorization is for; undefined while no one is signed in. */
  readonly account?: {
    readonly accountId: string
    readonly userId?: string | undefined
    readonly name: string
    /** The person's e-mail address or user name, if it is known and differs from the name. */
    readonly login?: string | undefined
  }
  /** The requested scopes that the application may have now, in the order of the request. */
  readonly requestedScopes: readonly string[]
  /** Earlier decisions of this person about this application at this resource. */
  readonly storedConsent: { readonly granted: readonly string[]; readonly denied: readonly string[] }
  /** `ui_locales` of the request, in order of preference (OpenID Connect Core 3.1.2.1). */
  readonly uiLocales: readonly string[]
  readonly loginHint?: string | undefined
  /** Whether the person must authenticate again (`prompt=login`, `max_age`). */
  readonly reauthenticate: boolean
  /** Seconds after which access ends if the application does not refresh its tokens. */
  readonly accessLifetime: number
}

/**
 * The methods of the authorization server that the pages need. If a method returns a URL, the caller must
 * send the browser to this URL.
 */
export interface InteractionPort {
  /**
   * Finds the interaction with this id; undefined if the interaction is over or belongs to another browser.
   */
  find(ctx: Context, uid: string): Promise<PendingInteraction | undefined>
  /** Continues after the person has authenticated. */
  signedIn(ctx: Context, pending: PendingInteraction, person: SignedIn): Promise<URL>
  /** Reports that the host rejected the credentials of a person. */
  signInRejected(ctx: Context, pending: PendingInteraction): void
  /**
   * Continues after the person has approved the request, with at least one granted scope.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`; `ERR_TOO_MANY_CLIENTS` if the person may approve no new document
   */
  approved(ctx: Context, pending: PendingInteraction, decision: ConsentDecision): Promise<URL>
  /** Ends the request: the person denied access, cannot be signed in as requested, or started too many grants. */
  failed(
    ctx: Context,
    pending: PendingInteraction,
    error: 'access_denied' | 'login_required' | 'temporarily_unavailable',
    description: string,
  ): Promise<URL>
  /** Starts the same authorization request again. With `endSession`, the person is first signed out of our session. */
  restart(ctx: Context, pending: PendingInteraction, options?: { endSession: boolean }): Promise<URL>
}
