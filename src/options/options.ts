import type { ProductSource } from '../catalog/definition.ts'
import type { Accounts } from '../host/accounts.ts'
import type { Logger } from '../host/logger.ts'
import type { Texts } from '../authorization-server/interaction/texts.ts'
import type { Registry } from '../clients/client.ts'
import type { Store } from '../store/contract.ts'

/** Lifetimes, all in whole seconds. */
export interface Lifetimes {
  /** Access token of an API key. @default 864000 (10 days) */
  readonly directAccessToken?: number | undefined
  /** Access token of an application. @default 3600 (1 hour) */
  readonly delegatedAccessToken?: number | undefined
  /** Refresh token, counted from its last use. @default 2592000 (30 days) */
  readonly refreshToken?: number | undefined
  /** Authorization code, at most 600 (RFC 6749 4.1.2). @default 60 */
  readonly authorizationCode?: number | undefined
  /** ID token. @default 3600 (1 hour) */
  readonly idToken?: number | undefined
  /**
   * Time in which a person may sign in, from the authorization request on; never longer than `interaction`. After that
   * the page asks the person to start again at the application. @default 1200 (20 minutes)
   */
  readonly signIn?: number | undefined
  /** Time in which a signed-in person may decide. @default 3600 (1 hour) */
  readonly interaction?: number | undefined
  /** Our own session in the browser. @default 1209600 (14 days) */
  readonly session?: number | undefined
  /** Time for which a user's decision about an application is stored. @default 31536000 (365 days) */
  readonly storedConsent?: number | undefined
}

/** Rate limit of the built-in sign-in page, counted in each process. */
export interface SignInAttempts {
  /**
   * Attempts for one authorization request, and for one identifier from one address (of IPv6 from one /64); at most 100.
   *
   * @default 10
   */
  readonly max?: number | undefined
  /** Seconds after the first attempt until the count is reset; at least 60. @default 900 (15 minutes) */
  readonly windowSeconds?: number | undefined
}

/** How a gateway receives revocations. */
export interface RevocationOptions {
  /** Seconds between two polls. This limits the delay of a revocation whose message was lost; up to 60. @default 5 */
  readonly pollIntervalSeconds?: number | undefined
  /**
   * What to do while revocations are stale. `serve` keeps using the known revocations, and reports the state (event
   * `revocations.stale`, `health()`). `reject` rejects every token with 503 once `maxStalenessSeconds` have passed.
   * @default 'serve'
   */
  readonly whenStale?: 'serve' | 'reject' | undefined
  /** Seconds without fresh revocations after which `reject` rejects tokens. @default 60 */
  readonly maxStalenessSeconds?: number | undefined
}

/** Schedule of the rotation of signing keys. */
export interface RotationSchedule {
  /** Seconds for which a key signs before the next key is activated. @default 7776000 (90 days) */
  readonly rotateAfterSeconds?: number | undefined
  /**
   * Seconds for which a key is published before it signs, so that every verifier has it by then; less than
   * `rotateAfterSeconds`. @default 86400 (1 day)
   */
  readonly publishAheadSeconds?: number | undefined
}

/** Signing keys that the host keeps itself. */
export interface HostKeys {
  /**
   * A JWK Set (RFC 7517 5) with private keys for ES256 and RS256. The first key of each algorithm signs. The others
   * are published, so that tokens signed with them stay valid.
   */
  readonly jwks: { readonly keys: readonly object[] }
}

/** How the pages look. */
export interface Branding {
  /** Name of the host's service. @default the host name of `issuer` */
  readonly name?: string | undefined
  /** Address of a logo, `https:` or a path on the issuer's own origin. */
  readonly logo?: string | undefined
  /** Accent colour of buttons and links as `#rrggbb`. Text on it is black or white, whichever reads better. @default '#1a56db' */
  readonly accentColor?: string | undefined
}

/**
 * The options of `createGatehouse`.
 *
 * Unknown options are rejected, so that a typing error is never taken for a default.
 */
export interface GatehouseOptions<
  Level extends string = string,
  Products extends ProductSource = ProductSource,
> {
  /**
   * {auth_url}: address of the authorization service for browsers and clients, without a trailing slash, query or
   * fragment. `https:`, or `http:` on loopback. All addresses in documents, tokens and redirects are built from it.
   */
  readonly issuer: string
  /**
   * {base_url}: address of the API behind the gateway, in the same form as `issuer`; `aud` of access tokens. It must
   * not equal `issuer` or be above it, because the gateway guards everything below.
   */
  readonly audience: string
  /**
   * At least 32 random bytes, from which all keys are derived that protect stored data. A list rotates the secret,
   * newest first. `openssl rand -base64 48` makes one. It may be omitted only with a store that loses all data when
   * the process ends.
   */
  readonly secret?: string | readonly string[] | undefined
  /** The store of all data: `redisStore(client)` or `memoryStore()`. */
  readonly store: Store
  /**
   * The products, or a function that loads them from the host's database. Products in a separate file keep their types
   * with `as const satisfies ProductDefinitions`.
   */
  readonly products: Products
  /** The names of the host's KYC levels, lowest first. @default [] */
  readonly kycLevels?: readonly Level[] | undefined
  /**
   * The host's accounts. Delegated access needs to know which person is signed in: by `current` with `signInUrl`, or
   * by `authenticate`. Without both, direct access works, and authorization requests end with an error page.
   */
  readonly accounts: Accounts<NoInfer<Level>>
  /** For a host that keeps its own API keys and applications. @default the clients in the store */
  readonly registry?: Registry | undefined
  /**
   * Path at which the host's app receives requests for the authorization service, if a proxy changes paths; `''` is
   * the root. @default the path of `issuer`
   */
  readonly mountPath?: string | undefined
  /** Lifetimes in seconds. */
  readonly lifetimes?: Lifetimes | undefined
  /** Reject authorization requests without PKCE (RFC 7636). @default false */
  readonly requirePkce?: boolean | undefined
  /**
   * Seconds in which a client that lost the response to a refresh may send the same refresh token again. It then gets
   * the same new refresh token with a fresh access token. At most 60; with 0 every second use counts as theft.
   * @default 0
   */
  readonly refreshTokenGraceSeconds?: number | undefined
  /** How the gateway receives revocations. */
  readonly revocations?: RevocationOptions | undefined
  /** The rotation schedule of the signing keys, or the host's own keys. */
  readonly signingKeys?: RotationSchedule | HostKeys | undefined
  /** Maximum bytes of `scope` in a token; a product that would exceed them cannot be added. @default 4096 */
  readonly maxScopeBytes?: number | undefined
  /**
   * Milliseconds after which a call to the store counts as failed, and its request gets 503. `durability.timeoutMs` of
   * a store that waits for replicas must be lower. @default 1000
   */
  readonly storeTimeoutMs?: number | undefined
  /** Milliseconds after which loading the products counts as failed, where a function loads them. @default 30000 */
  readonly productsTimeoutMs?: number | undefined
  /** Milliseconds that a request waits for store, products and keys at the start, before it gets 503. @default 1500 */
  readonly startTimeoutMs?: number | undefined
  /**
   * Bytes of verified access tokens in the gateway's cache, so that only the first call with a token costs a signature
   * check; 0 disables the cache. @default 8388608 (8 MiB)
   */
  readonly tokenCacheBytes?: number | undefined
  /** Rate limit of the built-in sign-in page. */
  readonly signInAttempts?: SignInAttempts | undefined
  /**
   * Maximum number of pending authorization requests from one address, counted in each process. Further ones get 429
   * until one is completed or `lifetimes.signIn` has passed. 0 is no limit. An address is `ctx.ip`, for IPv6 its first
   * 64 bits: behind a proxy set `app.proxy = true`, otherwise all people share the address of the proxy.
   * @default 1000
   */
  readonly maxPendingInteractions?: number | undefined
  /**
   * OpenID Connect scopes and the claims of each at the user info endpoint; replaces the default.
   *
   * @default profile and email with their standard claims (OpenID Connect Core 5.4)
   */
  readonly claims?: { readonly [scope: string]: readonly string[] } | undefined
  /** How the pages look. */
  readonly branding?: Branding | undefined
  /**
   * Texts of the pages by locale. Missing texts are English, sentence by sentence, and are reported to `logger` once.
   */
  readonly texts?: { readonly [locale: string]: Partial<Texts> } | undefined
  /** Locale of a person who accepts none of the available ones. @default 'en' */
  readonly defaultLocale?: string | undefined
  /** Where operators' messages go. @default nowhere */
  readonly logger?: Logger | undefined
}

/** The source of revocations for a gateway in another process. */
export type RevocationFeed =
  | {
      /** The store of the authorization service: the quickest source, for processes that can connect to it. */
      readonly store: Store
      /** Milliseconds after which a call to the store, or a request for revocations, counts as failed. @default 2000 */
      readonly timeoutMs?: number | undefined
    }
  | {
      /** An API key that is marked as a resource server (`apiKeys.setResourceServer`). */
      readonly clientId: string
      readonly clientSecret: string
      /** Address of the revocations. @default `${issuer}/oauth2/revocations` */
      readonly uri?: string | undefined
      readonly timeoutMs?: number | undefined
    }

/**
 * The options of `createGateway`.
 *
 * Unknown options are rejected, so that a typing error is never taken for a default.
 */
export interface GatewayOptions<Products extends ProductSource = ProductSource> {
  /** {auth_url}: address of the authorization service, exactly as it is configured there. */
  readonly issuer: string
  /** {base_url}: address of this API, exactly as the authorization service has it; `aud` of the tokens. */
  readonly audience: string
  /**
   * The products, or a function that loads them. Products without operations of this process may be left out. KYC
   * levels have no effect here.
   */
  readonly products: Products
  /** Maximum seconds between two loads of the products, where a function loads them. @default 60 */
  readonly productsRefreshSeconds?: number | undefined
  /** Milliseconds after which loading the products counts as failed. @default 30000 */
  readonly productsTimeoutMs?: number | undefined
  /**
   * Address of the public keys. `https:`, or `http:` on loopback: an attacker who can change them in transit can sign
   * tokens. @default `${issuer}/oauth2/jwks`
   */
  readonly jwksUri?: string | undefined
  /** Seconds of use after which the keys are fetched again in the background. @default 600 (10 minutes) */
  readonly jwksCacheSeconds?: number | undefined
  /**
   * Seconds after a fetch in which unknown key ids cause no further fetch, so that invented ids cause no load. @default
   * 30
   */
  readonly jwksCooldownSeconds?: number | undefined
  /** Milliseconds after which fetching the keys counts as failed. @default 2000 */
  readonly jwksTimeoutMs?: number | undefined
  /**
   * The source of revocations, and how to follow it. Without it this process receives no revocations, and a revoked
   * token is valid here until it expires.
   */
  readonly revocations?: (RevocationOptions & RevocationFeed) | undefined
  /** Milliseconds that a request waits for products, keys and revocations at the start, before it gets 503. @default 1500 */
  readonly startTimeoutMs?: number | undefined
  /**
   * Bytes of verified access tokens in the cache, so that only the first call with a token costs a signature check; 0
   * disables the cache. @default 8388608 (8 MiB)
   */
  readonly tokenCacheBytes?: number | undefined
  /** Where operators' messages go. @default nowhere */
  readonly logger?: Logger | undefined
}
