import type { ProductSource } from '../catalog/definition.ts'
import type { Accounts } from '../host/accounts.ts'
import type { Logger } from '../host/logger.ts'
import type { Texts } from '../authorization-server/interaction/texts.ts'
import type { Registry } from '../clients/client.ts'
import type { Store } from '../store/contract.ts'

/** How long things live, all in whole seconds. */
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
   * How long a person may take to sign in, from the authorization request on; never longer than `interaction`. After
   * that the page says to start again at the application. @default 1200 (20 minutes)
   */
  readonly signIn?: number | undefined
  /** How long a person who is signed in may take to decide. @default 3600 (1 hour) */
  readonly interaction?: number | undefined
  /** Our own session in the browser. @default 1209600 (14 days) */
  readonly session?: number | undefined
  /** How long a decision of a user about an application is remembered. @default 31536000 (365 days) */
  readonly storedConsent?: number | undefined
}

/** How often the built-in sign-in page lets somebody guess, counted in each process. */
export interface SignInAttempts {
  /**
   * Attempts for one authorization request, and for one identifier from one address (of IPv6 from one /64); at most 100.
   *
   * @default 10
   */
  readonly max?: number | undefined
  /** Seconds, counted from the first of them, after which they are forgotten; at least 60. @default 900 (15 minutes) */
  readonly windowSeconds?: number | undefined
}

/** How a gateway keeps up with tokens that were taken back. */
export interface RevocationOptions {
  /** Seconds by which a message that was lost is late at most; up to 60. @default 5 */
  readonly pollIntervalSeconds?: number | undefined
  /**
   * What to do while revocations cannot be heard of: `keep-serving` by those that are known, and say so (event
   * `revocations.stale`, `health()`), or `refuse` every token with 503 once `maxStalenessSeconds` have passed.
   * @default 'keep-serving'
   */
  readonly whenStale?: 'serve' | 'refuse' | undefined
  /** Seconds without contact after which `refuse` refuses. @default 60 */
  readonly maxStalenessSeconds?: number | undefined
}

/** How the keys that sign tokens change by themselves. */
export interface RotationSchedule {
  /** Seconds for which a key signs before the next one does. @default 7776000 (90 days) */
  readonly rotateAfterSeconds?: number | undefined
  /**
   * Seconds for which a key is published before it signs, so that everybody who verifies tokens has it by then; less
   * than `rotateAfterSeconds`. @default 86400 (1 day)
   */
  readonly publishAheadSeconds?: number | undefined
}

/** Signing keys that the host keeps itself. */
export interface HostKeys {
  /**
   * A JWK Set (RFC 7517 5) with private keys for ES256 and RS256: the first of each signs, the others are published
   * so that what they have signed is still good.
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
 * What `createGatehouse` takes.
 *
 * Anything that is not in here is refused, so that a typing error never passes for a default.
 */
export interface GatehouseOptions<
  Level extends string = string,
  Products extends ProductSource = ProductSource,
> {
  /**
   * {auth_url}: address of the authorization service, where browsers and clients reach it, without a
   * trailing slash, query or fragment. `https:`, or `http:` on loopback. All addresses in documents, tokens
   * and redirects come from it.
   */
  readonly issuer: string
  /**
   * {base_url}: address of the API behind the gateway, written as `issuer` is; `aud` of access tokens. Not
   * the same as `issuer` nor above it, because the gateway guards everything below.
   */
  readonly audience: string
  /**
   * At least 32 bytes that nobody can guess, from which all keys are derived that protect what is stored; a
   * list rotates it, newest first. `openssl rand -base64 48` makes one. May be left out only with a store
   * that forgets everything when the process ends.
   */
  readonly secret?: string | readonly string[] | undefined
  /** Where everything is kept: `redisStore(client)` or `memoryStore()`. */
  readonly store: Store
  /**
   * The products, or a function that loads them from the host's database. Products that stand in a file of
   * their own keep their types with `as const satisfies ProductDefinitions`.
   */
  readonly products: Products
  /** The names of the host's KYC levels, lowest first. @default [] */
  readonly kycLevels?: readonly Level[] | undefined
  /**
   * The host's accounts. Delegated access needs a way to know who is signed in: `current` with `signInUrl`, or
   * `authenticate`. With neither, direct access works, and authorization requests end in an error page.
   */
  readonly accounts: Accounts<NoInfer<Level>>
  /** For a host that keeps its own API keys and applications. @default kept in the store */
  readonly registry?: Registry | undefined
  /**
   * Path at which the host's app sees the authorization service, where a proxy in front of it changes paths;
   * `''` is the root. @default the path of `issuer`
   */
  readonly mountPath?: string | undefined
  /** Lifetimes in seconds. */
  readonly lifetimes?: Lifetimes | undefined
  /** Refuse authorization requests without PKCE (RFC 7636). @default false */
  readonly requirePkce?: boolean | undefined
  /**
   * Seconds in which a client that has lost the answer to a refresh may send the same refresh token once more, and
   * gets the same new refresh token again with a fresh access token; at most 60. 0 takes every second use for theft.
   * @default 0
   */
  readonly refreshTokenGraceSeconds?: number | undefined
  /** How the gateway keeps up with tokens that were taken back. */
  readonly revocations?: RevocationOptions | undefined
  /** When the keys that sign tokens change, or the host's own keys. */
  readonly signingKeys?: RotationSchedule | HostKeys | undefined
  /** Bytes of `scope` that a token may carry at most; a product that would exceed them cannot be added. @default 4096 */
  readonly maxScopeBytes?: number | undefined
  /**
   * Milliseconds after which a call to the store counts as failed, and its request gets 503. `durability.timeoutMs` of
   * a store that waits for replicas must be below it. @default 1000
   */
  readonly storeTimeoutMs?: number | undefined
  /** Milliseconds after which loading the products counts as failed, where a function loads them. @default 30000 */
  readonly productsTimeoutMs?: number | undefined
  /** Milliseconds that a request waits for store, products and keys at the start, before it gets 503. @default 1500 */
  readonly startTimeoutMs?: number | undefined
  /**
   * Bytes of access tokens that the gateway remembers as verified, so that only the first call with one costs a
   * signature check; 0 remembers none. @default 8388608 (8 MiB)
   */
  readonly tokenCacheBytes?: number | undefined
  /** How often the built-in sign-in page lets somebody guess. */
  readonly signInAttempts?: SignInAttempts | undefined
  /**
   * How many authorization requests of one address may wait for a person at once, counted in each process; further
   * ones get 429 until one is answered or `lifetimes.signIn` has passed. 0 is no limit. An address is `ctx.ip`, of IPv6
   * its first 64 bits: behind a proxy set `app.proxy = true`, else all people share the address of the proxy.
   * @default 1000
   */
  readonly maxPendingInteractions?: number | undefined
  /**
   * OpenID Connect scopes and the claims that each gives at the user info endpoint; replaces the default.
   *
   * @default profile and email with their standard claims (OpenID Connect Core 5.4)
   */
  readonly claims?: { readonly [scope: string]: readonly string[] } | undefined
  /** How the pages look. */
  readonly branding?: Branding | undefined
  /** Texts of the pages by locale; what is left out is English, sentence by sentence, and reported to `logger` once. */
  readonly texts?: { readonly [locale: string]: Partial<Texts> } | undefined
  /** Locale of a person who asks for none of ours. @default 'en' */
  readonly defaultLocale?: string | undefined
  /** Where operators' messages go. @default nowhere */
  readonly logger?: Logger | undefined
}

/** Where a gateway in another process hears of revocations. */
export type RevocationFeed =
  | {
      /** The store of the authorization service: the quickest way, for processes that may reach it. */
      readonly store: Store
      /** Milliseconds after which a call to the store, or a request for revocations, counts as failed. @default 2000 */
      readonly timeoutMs?: number | undefined
    }
  | {
      /** An API key that is marked as a resource server (`apiKeys.setResourceServer`). */
      readonly clientId: string
      readonly clientSecret: string
      /** Where revocations are. @default `${issuer}/oauth2/revocations` */
      readonly uri?: string | undefined
      readonly timeoutMs?: number | undefined
    }

/**
 * What `createGateway` takes.
 *
 * Anything that is not in here is refused, so that a typing error never passes for a default.
 */
export interface GatewayOptions<Products extends ProductSource = ProductSource> {
  /** {auth_url}: address of the authorization service, exactly as it is configured there. */
  readonly issuer: string
  /** {base_url}: address of this API, exactly as the authorization service has it; `aud` of the tokens. */
  readonly audience: string
  /**
   * The products, or a function that loads them. Those whose operations this process serves are enough; KYC
   * levels play no part here.
   */
  readonly products: Products
  /** Seconds after which the products are loaded anew at the latest, where a function loads them. @default 60 */
  readonly productsRefreshSeconds?: number | undefined
  /** Milliseconds after which loading the products counts as failed. @default 30000 */
  readonly productsTimeoutMs?: number | undefined
  /**
   * Where the public keys are. `https:`, or `http:` on loopback: whoever can change them on the way can sign
   * tokens. @default `${issuer}/oauth2/jwks`
   */
  readonly jwksUri?: string | undefined
  /** Seconds of use after which the keys are fetched anew behind the scenes. @default 600 (10 minutes) */
  readonly jwksCacheSeconds?: number | undefined
  /**
   * Seconds for which an unknown key is believed to be unknown, so that tokens with made-up ones cause no
   * load. @default 30
   */
  readonly jwksCooldownSeconds?: number | undefined
  /** Milliseconds after which fetching the keys counts as failed. @default 2000 */
  readonly jwksTimeoutMs?: number | undefined
  /**
   * Where to hear of tokens that were taken back, and how to keep up. Without it nobody tells this process, and
   * a token that was taken back is good here until it expires.
   */
  readonly revocations?: (RevocationOptions & RevocationFeed) | undefined
  /** Milliseconds that a request waits for products, keys and revocations at the start, before it gets 503. @default 1500 */
  readonly startTimeoutMs?: number | undefined
  /**
   * Bytes of access tokens that are remembered as verified, so that only the first call with one costs a
   * signature check; 0 remembers none. @default 8388608 (8 MiB)
   */
  readonly tokenCacheBytes?: number | undefined
  /** Where operators' messages go. @default nowhere */
  readonly logger?: Logger | undefined
}
