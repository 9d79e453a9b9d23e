import type { ChangeOptions } from '../host/change-options.ts'
import type { CallLimits } from './call-limits.ts'
import type { JwkSet } from './jwk-set.ts'

/** What API keys and applications have in common. */
interface ClientCommon {
  /** `client_id` in OAuth. */
  readonly clientId: string
  /** The account that owns the client. */
  readonly accountId: string
  /**
   * The user of `accountId` to whom the client belongs. If the host does not find this user any more, the client gets
   * no tokens. Undefined if the client belongs to the account.
   */
  readonly userId?: string | undefined
  /** The user of `accountId` who created the client; undefined if the host named no user. */
  readonly createdBy?: string | undefined
  /** Display name. */
  readonly name: string
  /** Ids of the client's products. A client without products gets no tokens. */
  readonly products: readonly string[]
  /** Scopes that were removed from the client, although one of its products has them. */
  readonly removedOperations: readonly string[]
  /** A disabled client is rejected as if it did not exist. */
  readonly disabled: boolean
  /** `operator` if only an operator may enable the client; undefined if its owner may. */
  readonly disabledBy?: 'operator' | undefined
  /**
   * The number of changes that removed access from the client or revoked its tokens. Tokens carry this number as
   * `access_epoch`. It starts at 0 and never falls. The client id is never reused, so no later client starts again at
   * 0.
   */
  readonly epoch: number
  /** Epoch seconds. */
  readonly createdAt: number
  /**
   * When the client expires, in epoch seconds. From then on, the client gets no tokens, and none of its tokens is
   * valid. The grants of an application stay. Undefined if the client never expires.
   */
  readonly expiresAt?: number | undefined
  /**
   * True while `expiresAt` is what `keyPolicy` set at the creation. Undefined if the expiry was given, or there is
   * none.
   */
  readonly expiresByDefault?: true | undefined
  /**
   * The addresses and networks from which the client and its tokens may be used, such as `203.0.113.0/24`. Undefined or
   * empty if they may be used from anywhere.
   */
  readonly allowedAddresses?: readonly string[] | undefined
  /** Limits of the client's own, instead of those of `createLimits()`. Undefined if it has none. */
  readonly limits?: CallLimits | undefined
  /**
   * The public keys with which the client may authenticate, beside its secrets or instead of them (`private_key_jwt`).
   * Undefined if it has none.
   */
  readonly jwks?: JwkSet | undefined
  /**
   * When the client last got a token, in epoch seconds, rounded down to the hour, but never earlier than
   * `createdAt`. For the key of a gateway, when it last authenticated. Undefined if it never did.
   */
  readonly lastUsedAt?: number | undefined
  /**
   * Why the client cannot authenticate: its secrets and keys leaked and were not replaced (`compromised`), or all its
   * secrets have expired and it has no key (`no-secret`). Undefined if it has a valid secret or a key, and for a public
   * application.
   */
  readonly noSecret?: 'compromised' | 'no-secret' | undefined
  /** The users to whom a valid secret of the client was shown. Undefined if the host named no user. */
  readonly secretShownTo?: readonly string[] | undefined
  /** The prefix and the last four characters of the newest valid secret. Undefined if it was imported. */
  readonly secretHint?: string | undefined
}

/** An API key: credentials for direct access (`client_credentials`) to the account that owns the key. */
export interface ApiKey extends ClientCommon {
  readonly kind: 'apiKey'
  /**
   * Whether the key belongs to an API behind a gateway. Such a key may introspect every access token (RFC
   * 7662) and receive revocations. Only operators and code set it.
   */
  readonly resourceServer: boolean
  /**
   * The resources whose access tokens the key may introspect; undefined if it may introspect all. Only keys with
   * `resourceServer` have it. The revocations that the key receives are those of all resources.
   */
  readonly resources?: readonly string[] | undefined
}

/** An application: credentials for delegated access to the accounts of users who authorized it. */
export interface Application extends ClientCommon {
  readonly kind: 'application'
  /** Where codes may be sent; compared character by character (RFC 9700 2.1). */
  readonly redirectUris: readonly string[]
  /** Where the browser may be sent after sign-out. */
  readonly postLogoutRedirectUris: readonly string[]
  /** Home page, shown at consent. */
  readonly homepageUri?: string | undefined
  /** Logo, shown at consent; https is required. */
  readonly logoUri?: string | undefined
  /** Privacy policy of the application, linked at consent. */
  readonly privacyUri?: string | undefined
  /** Terms of service of the application, linked at consent. */
  readonly termsUri?: string | undefined
  /**
   * Whether this is the host's own application, which needs no consent page. Set it from code only, never
   * from a form.
   */
  readonly firstParty: boolean
  /**
   * True for a public application, which cannot keep a secret: it runs in a browser, on a phone, or on the computer of
   * its user (RFC 6749 2.1). It has no secret and must use PKCE. Undefined for all other applications.
   */
  readonly isPublic?: true | undefined
  /**
   * Origins of a public application, beside the origins of its https redirect URIs. Its pages at these origins may call
   * the token endpoint. Undefined if there are none.
   */
  readonly origins?: readonly string[] | undefined
}

/** A client in the sense of OAuth. */
export type Client = ApiKey | Application

/**
 * Whether a client is the key of a gateway: an API key that is marked as a resource server and has no product. A
 * gateway in another process reads revocations with it, or introspects tokens. It gets no tokens itself, and needs
 * none.
 */
export function isGatewayKey(client: Client): boolean {
  return client.kind === 'apiKey' && client.resourceServer && client.products.length === 0
}

/** The input for a new API key, and the common part of the input for a new application. */
export interface NewClient<
  Scope extends string = string,
  Product extends string = string,
> extends ChangeOptions {
  /** The account that owns the client. */
  readonly accountId: string
  /**
   * The user of `accountId` to whom the client belongs. If the host does not find this user any more, the client gets
   * no tokens. @default none: the client belongs to the account
   */
  readonly userId?: string | undefined
  /** The user of `accountId` who creates the client, and to whom its new secret is shown. @default `userId` */
  readonly createdBy?: string | undefined
  /** Display name; at most 120 characters. */
  readonly name: string
  /** Ids of the client's products. @default none: the client cannot be used until a product is added */
  readonly products?: readonly Product[] | undefined
  /** Operations that the client must not have, although one of its products has them. @default none */
  readonly removedOperations?: readonly Scope[] | undefined
  /**
   * An existing `client_id` to import: 1 to 200 letters, digits and `._~@=-`. The id of a deleted client is
   * rejected. @default a new id
   */
  readonly clientId?: string | undefined
  /**
   * When the client expires, in epoch seconds: in the future, at most 100 years ahead, and within `keyPolicy`.
   * Null for never. @default the default of `keyPolicy`; without it, and for the key of a gateway, never
   */
  readonly expiresAt?: number | null | undefined
  /** IPv4 and IPv6 addresses and networks, at most 20: see `Client`. @default any address */
  readonly allowedAddresses?: readonly string[] | undefined
}

/** The input for a new API key. */
export interface NewApiKey<Scope extends string = string, Product extends string = string> extends NewClient<
  Scope,
  Product
> {
  /**
   * Whether the key belongs to an API behind a gateway. Such a key may introspect every access token and
   * receive revocations. Without products, it is the key of a gateway: it gets no tokens, and never expires unless you
   * give `expiresAt`, because `keyPolicy` does not apply to it. Never take this value from a form of a developer.
   * @default false
   */
  readonly resourceServer?: boolean | undefined
  /**
   * The resources whose access tokens the key may introspect: `audience` and addresses of the option `resources`. It
   * needs `resourceServer: true`. @default all resources
   */
  readonly resources?: readonly string[] | undefined
}

/** The input for a new application. */
export interface NewApplication<
  Scope extends string = string,
  Product extends string = string,
> extends NewClient<Scope, Product> {
  /**
   * Redirect URIs to which codes may be sent; at most 20. Each URI must start with `https:`, or with `http:`
   * if its host is a loopback host. It must not contain a fragment, a wildcard, a user name or a password.
   * URIs are compared character by character. For a public application, the scheme may also be a domain name in reverse
   * order (`com.example.app:/callback`, RFC 8252 7.1), and a loopback host may have any port (RFC 8252 7.3).
   * @default none: no user can authorize the application until a URI is set
   */
  readonly redirectUris?: readonly string[] | undefined
  /** Where the browser may be sent after sign-out; the rules of `redirectUris` apply. @default none */
  readonly postLogoutRedirectUris?: readonly string[] | undefined
  /** Home page, shown at consent. @default none */
  readonly homepageUri?: string | undefined
  /** Logo, shown at consent; must start with `https:`. @default none */
  readonly logoUri?: string | undefined
  /** Privacy policy of the application, linked at consent. @default none */
  readonly privacyUri?: string | undefined
  /** Terms of service of the application, linked at consent. @default none */
  readonly termsUri?: string | undefined
  /**
   * Whether the application is the host's own, so that users are not asked for consent. Never take this value
   * from a form. @default false
   */
  readonly firstParty?: boolean | undefined
  /**
   * Whether the application cannot keep a secret: a page in a browser, an app on a phone, or a program on the
   * computer of its user. It gets no secret and must use PKCE. It stays public. The option `publicApplications` is
   * needed.
   * @default false
   */
  readonly isPublic?: boolean | undefined
  /**
   * Origins of a public application whose pages may call the token endpoint, such as `http://localhost:5173`; at most
   * 20. The origins of its https redirect URIs need no entry. @default none
   */
  readonly origins?: readonly string[] | undefined
  /** Only API keys can be resource servers. */
  readonly resourceServer?: undefined
  /** Only resource servers have it. */
  readonly resources?: undefined
}

/** The fields of an API key that can be changed. An application has these fields, and more. */
export interface ClientChanges {
  /** Display name; at most 120 characters. */
  readonly name?: string | undefined
  /**
   * When the client expires, in epoch seconds, as in `NewClient`; null for never. All access tokens of the client are
   * revoked if they could outlive the new time: if it is earlier than the previous time, and earlier than the end of the
   * longest lifetime of its tokens, plus one hour.
   */
  readonly expiresAt?: number | null | undefined
  /** As in `NewClient`; empty for any address. Each change revokes all access tokens of the client. */
  readonly allowedAddresses?: readonly string[] | undefined
}

/** The fields of an application that can be changed together. */
export interface ApplicationChanges extends ClientChanges {
  /** The whole list of redirect URIs; the rules of `NewApplication` apply. */
  readonly redirectUris?: readonly string[] | undefined
  /** The whole list of URIs for the redirect after sign-out. */
  readonly postLogoutRedirectUris?: readonly string[] | undefined
  /** The whole list of origins of a public application. */
  readonly origins?: readonly string[] | undefined
  /** Home page, shown at consent; null removes it. */
  readonly homepageUri?: string | null | undefined
  /** Logo, shown at consent; null removes it. */
  readonly logoUri?: string | null | undefined
  /** Privacy policy of the application, linked at consent; null removes it. */
  readonly privacyUri?: string | null | undefined
  /** Terms of service of the application, linked at consent; null removes it. */
  readonly termsUri?: string | null | undefined
}
