import type { Awaitable, None, Nullable } from '../validation/host-callback.ts'

/** What API keys and applications have in common. */
interface ClientCommon {
  /** `client_id` in OAuth. */
  readonly clientId: string
  /** The account that owns it. */
  readonly accountId: string
  /** The member of that account who created it, where accounts have several. */
  readonly userId?: string | undefined
  /** For people. */
  readonly name: string
  /** Ids of the products on it; without one it cannot be used. */
  readonly products: readonly string[]
  /** Scopes taken off it although a product on it has them. */
  readonly removedOperations: readonly string[]
  /** A disabled one is refused as if it did not exist. */
  readonly disabled: boolean
  /**
   * Counts what took something away from it; signed into its tokens as `access_epoch`. Starts at 0 and never
   * falls, since no other client ever gets the client id.
   */
  readonly epoch: number
  /** Epoch seconds. */
  readonly createdAt: number
  /**
   * When it last got a token, in epoch seconds rounded down to the hour, and never before `createdAt`; undefined if
   * never.
   */
  readonly lastUsedAt?: number | undefined
}

/** Credentials for direct access (`client_credentials`): acts on the account that owns it. */
export interface ApiKey extends ClientCommon {
  readonly kind: 'apiKey'
  /**
   * Whether it belongs to an API behind a gateway: then it may ask about every access token (RFC 7662), and hear which
   * were taken back. Only code can set it.
   */
  readonly resourceServer: boolean
}

/** Credentials for delegated access: acts on the accounts of users who authorized it. */
export interface Application extends ClientCommon {
  readonly kind: 'application'
  /** Where codes may be sent; compared character by character (RFC 9700 2.1). */
  readonly redirectUris: readonly string[]
  /** Where the browser may be sent after sign-out. */
  readonly postLogoutRedirectUris: readonly string[]
  /** Shown at consent. */
  readonly homepageUri?: string | undefined
  /** Shown at consent; https only. */
  readonly logoUri?: string | undefined
  /** The host's own application: no consent page. Only code can set it. */
  readonly firstParty: boolean
}

/** A client in the sense of OAuth. */
export type Client = ApiKey | Application

/** What a host's own row of an API key or application has at least. */
type Row<C extends Client, Needed extends keyof C> = Pick<C, Needed> & Nullable<Partial<Omit<C, Needed>>>

type Needed = 'kind' | 'clientId' | 'accountId' | 'name' | 'products'

/**
 * An API key in a table of the host's. What is left out or null is as with a new one: no removed operations, not
 * disabled, no resource server, `epoch` 0. Further columns are of no interest here, and come back at `verifySecret`.
 */
export type HostApiKey = Row<ApiKey, Needed>

/** An application in a table of the host's: as with `HostApiKey`, and not `firstParty`. */
export type HostApplication = Row<Application, Needed | 'redirectUris'>

/** A client in a table of the host's. */
export type HostClient = HostApiKey | HostApplication

/**
 * Who knows the clients. The default keeps them in the store; a host with its own tables of API keys and
 * applications hands over this role instead.
 *
 * Never give the client id of a deleted client to another one: tokens, and what users granted, go by it.
 *
 * After a change in your tables that takes something away from a client (a product, an operation, being enabled,
 * being there at all) call `gatehouse.tokens.revokeAll({ clientId })`, or tokens from before stay good until they
 * expire. If you count such changes yourself, do so in `epoch`; it must never fall.
 *
 * Answers are checked: one that cannot be, such as a text for `products`, fails the request with a GatehouseError
 * `ERR_HOST_CALLBACK` that names the callback.
 */
export interface Registry<C extends HostClient = HostClient> {
  /**
   * The client of exactly this id, or a falsy value; one with another id, such as by a look-up that ignores letter
   * case, counts as none. Disabled ones are returned too, with `disabled: true`.
   */
  find(clientId: string): Awaitable<C | None>
  /**
   * Whether `secret` is a current secret of `client`, which is what `find` answered. Compare in constant time and
   * store only hashes (SHA-256 is enough for random secrets of 256 bits).
   */
  verifySecret(client: C, secret: string): Awaitable<boolean>
  /**
   * All clients of exactly this account, disabled ones too, as a list or one after the other. Needed for
   * `tokens.revokeAll({ accountId })` and `accounts.changed(accountId)` alone. One of another account is passed
   * over.
   */
  list?: ((filter: { readonly accountId: string }) => Awaitable<Iterable<C> | AsyncIterable<C>>) | undefined
}
