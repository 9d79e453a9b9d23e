import type { Awaitable, None, Nullable } from '../validation/host-callback.ts'

/** What API keys and applications have in common. */
interface ClientCommon {
  /** `client_id` in OAuth. */
  readonly clientId: string
  /** The account that owns the client. */
  readonly accountId: string
  /** The user of that account who created the client; undefined if the host named no user. */
  readonly userId?: string | undefined
  /** Display name. */
  readonly name: string
  /** Ids of its products. A client without products cannot be used. */
  readonly products: readonly string[]
  /** Scopes that were removed from the client, although one of its products has them. */
  readonly removedOperations: readonly string[]
  /** A disabled client is rejected as if it did not exist. */
  readonly disabled: boolean
  /**
   * The number of changes that removed access from the client or revoked its tokens. Tokens carry it as
   * `access_epoch`. It starts at 0 and never falls. The client id is never reused, so no later client starts
   * again at 0.
   */
  readonly epoch: number
  /** Epoch seconds. */
  readonly createdAt: number
  /**
   * When the client last got a token, in epoch seconds, rounded down to the hour but never before
   * `createdAt`. Undefined if it never got a token.
   */
  readonly lastUsedAt?: number | undefined
}

/** An API key: credentials for direct access (`client_credentials`) to the account that owns the key. */
export interface ApiKey extends ClientCommon {
  readonly kind: 'apiKey'
  /**
   * Whether the key belongs to an API behind a gateway. Such a key may introspect every access token (RFC
   * 7662) and receive revocations. Set it from code only, never from a form.
   */
  readonly resourceServer: boolean
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
}

/** A client in the sense of OAuth. */
export type Client = ApiKey | Application

/** A row of a host's table. It must have the `Needed` fields of a client, and may have the other fields. */
type Row<C extends Client, Needed extends keyof C> = Pick<C, Needed> & Nullable<Partial<Omit<C, Needed>>>

type Needed = 'kind' | 'clientId' | 'accountId' | 'name' | 'products'

/**
 * An API key in one of the host's tables. A missing or null field has the value of a new key: no removed
 * operations, not disabled, not a resource server, `epoch` 0. All other columns are ignored. The whole row is
 * passed to `verifySecret`.
 */
export type HostApiKey = Row<ApiKey, Needed>

/**
 * An application in one of the host's tables. The defaults are those of `HostApiKey`; `firstParty` is false.
 */
export type HostApplication = Row<Application, Needed | 'redirectUris'>

/** A client in one of the host's tables. */
export type HostClient = HostApiKey | HostApplication

/**
 * The source of the clients. By default the store keeps the clients. A host with its own tables of API keys
 * and applications implements this interface instead.
 *
 * Never give the client id of a deleted client to another client, because tokens and grants refer to clients
 * by id.
 *
 * A change in your tables can remove access from a client. For example, you remove a product or an operation,
 * disable the client, or delete it. After such a change, call `gatehouse.tokens.revokeAll({ clientId })`.
 * Otherwise older tokens stay valid until they expire. If you count such changes yourself, store the count in
 * `epoch`. The value of `epoch` must never fall.
 *
 * The results of these methods are validated. An invalid result, such as a text for `products`, fails the
 * request with a GatehouseError `ERR_HOST_CALLBACK` that names the method.
 */
export interface Registry<C extends HostClient = HostClient> {
  /**
   * The client of exactly this id, or a falsy value. A client with another id is ignored, for example a
   * client that a case-insensitive lookup found. Return disabled clients too, with `disabled: true`.
   */
  find(clientId: string): Awaitable<C | None>
  /**
   * Whether `secret` is a current secret of `client`, which is the result of `find`. Compare in constant time
   * and store only hashes (SHA-256 is enough for random secrets of 256 bits).
   */
  verifySecret(client: C, secret: string): Awaitable<boolean>
  /**
   * All clients of exactly this account, including disabled clients, as an iterable or async iterable. Only
   * `tokens.revokeAll({ accountId })` and `accounts.changed(accountId)` need this method. A client of another
   * account is skipped.
   */
  list?: ((filter: { readonly accountId: string }) => Awaitable<Iterable<C> | AsyncIterable<C>>) | undefined
}
