import type { Context } from 'koa'
import type { LocalizedText } from '../../catalog/definition.ts'
import type { Resource } from '../../catalog/resources.ts'
import type { Application } from '../../clients/client.ts'
import type { DocumentFacts } from '../../clients/documents/document-application.ts'
import type { SignedIn } from '../../host/accounts.ts'
import type { Person } from '../../host/subject.ts'
import type { ConsentDecision } from '../../grants/consent-decision.ts'

export interface Destination {
  /** The origin of the redirect URI; the scheme alone if it is a private-use scheme, such as `com.example.app:`. */
  readonly origin: string
  /** Set if a program on the computer, or an app, receives the redirect: another one may pretend to be it. */
  readonly local?: 'program' | 'app' | undefined
}

export interface PendingInteraction {
  /** Unguessable. It is part of the address and of a cookie. */
  readonly uid: string
  readonly prompt: 'login' | 'consent'
  /** In epoch seconds. */
  readonly startedAt: number
  readonly application: Pick<
    Application,
    'clientId' | 'name' | 'homepageUri' | 'logoUri' | 'privacyUri' | 'termsUri'
  > & {
    readonly developerName?: string | undefined
    /** If several have an operation, the page shows it once. Undefined: any product. */
    readonly products?: readonly string[] | undefined
    /** Undefined if a developer has registered the application. */
    readonly document?:
      | (Pick<DocumentFacts, 'host' | 'isVerified' | 'version' | 'epoch'> & {
          readonly hasChanged?: boolean | undefined
        })
      | undefined
  }
  /** Undefined if the resource does not exist any more. */
  readonly resource?: Pick<Resource, 'address' | 'catalog'> | undefined
  readonly resourceTitle?: LocalizedText | undefined
  readonly destination: Destination
  /** Undefined while no one is signed in. */
  readonly account?: Person & {
    readonly name: string
    /** The e-mail address or user name, if it is known and differs from the name. */
    readonly login?: string | undefined
  }
  /** The requested scopes that the application may have now, in the order of the request. */
  readonly requestedScopes: readonly string[]
  readonly storedConsent: { readonly granted: readonly string[]; readonly denied: readonly string[] }
  /** In order of preference (OpenID Connect Core 3.1.2.1). */
  readonly uiLocales: readonly string[]
  readonly loginHint?: string | undefined
  /** Whether the person must authenticate again (`prompt=login`, `max_age`). */
  readonly reauthenticate: boolean
  /** Seconds after which access ends if the application does not refresh its tokens. */
  readonly accessLifetime: number
}

/** What the pages need of the authorization server. The caller sends the browser to each returned URL. */
export interface InteractionPort {
  /** @returns undefined if the interaction is over or belongs to another browser */
  find(ctx: Context, uid: string): Promise<PendingInteraction | undefined>
  signedIn(ctx: Context, pending: PendingInteraction, person: SignedIn): Promise<URL>
  signInRejected(ctx: Context, pending: PendingInteraction): void
  /** @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`, `ERR_TOO_MANY_CLIENTS` (of approved documents) */
  approved(ctx: Context, pending: PendingInteraction, decision: ConsentDecision): Promise<URL>
  /** Ends the request: the person denied access, cannot be signed in as requested, or started too many grants. */
  failed(
    ctx: Context,
    pending: PendingInteraction,
    error: 'access_denied' | 'login_required' | 'temporarily_unavailable',
    description: string,
  ): Promise<URL>
  /** With `endSession`, the person is first signed out of our session. */
  restart(ctx: Context, pending: PendingInteraction, options?: { endSession: boolean }): Promise<URL>
}
