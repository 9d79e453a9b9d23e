import type { AuditOptions } from '../audit/retention.ts'
import type { DocumentPolicy } from '../clients/documents/document-policy.ts'
import type { KeyPolicy } from '../clients/expiry-policy.ts'
import type { ProductSource } from '../catalog/definition.ts'
import type { ResourceOptions } from '../catalog/resources.ts'
import type { Accounts } from '../host/accounts.ts'
import type { Logger } from '../host/logger.ts'
import type { Texts } from '../authorization-server/interaction/texts.ts'
import type { Store } from '../store/contract.ts'

/** Lifetimes, all in whole seconds. */
export interface Lifetimes {
  /** Access token of an API key, at most 366 days. @default 864000 (10 days) */
  readonly directAccessToken?: number | undefined
  /** Access token of an application, at most 31 days. @default 3600 (1 hour) */
  readonly delegatedAccessToken?: number | undefined
  /** Refresh token, counted from its last use, at most 3660 days. @default 2592000 (30 days) */
  readonly refreshToken?: number | undefined
  /** Refresh token of a public application, counted from its last use, at most 3660 days. @default `refreshToken` */
  readonly publicRefreshToken?: number | undefined
  /** Authorization code, at most 600 seconds (RFC 6749 4.1.2). @default 60 */
  readonly authorizationCode?: number | undefined
  /** ID token, at most 31 days. @default 3600 (1 hour) */
  readonly idToken?: number | undefined
  /**
   * Time from the authorization request until the person must have signed in, at most one hour. After that time the
   * page asks the person to start again at the application. @default 1200 (20 minutes)
   */
  readonly signIn?: number | undefined
  /**
   * Session of the authorization service in the browser, counted from its last use, at most 366 days.
   * @default 1209600 (14 days)
   */
  readonly session?: number | undefined
}

/** How a gateway receives revocations. */
export interface RevocationOptions {
  /**
   * Seconds between two polls for revocations, at most 60. If the message about a revocation is lost, the next poll
   * reads the revocation.
   * @default 5
   */
  readonly pollIntervalSeconds?: number | undefined
  /**
   * What the gateway does while its revocations are stale. `serve` keeps using the known revocations, and
   * reports the state (event `revocations.stale`, `health()`). `reject` rejects every token with 503 once
   * `maxStalenessSeconds` have passed without fresh revocations. If the authorization service rejects the key of a
   * gateway in another process, both values reject every token with 503. This begins three poll intervals after the
   * last successful poll.
   * @default 'serve'
   */
  readonly whenStale?: 'serve' | 'reject' | undefined
  /** Seconds without fresh revocations after which `reject` rejects tokens. @default 60 */
  readonly maxStalenessSeconds?: number | undefined
}

/** Schedule of the rotation of signing keys. */
export interface RotationSchedule {
  /** Seconds for which a key signs before the next key is activated, at most 3660 days. @default 7776000 (90 days) */
  readonly rotateAfterSeconds?: number | undefined
  /**
   * Seconds for which a key is published before it signs. In this time, every verifier fetches the key. The value
   * must be less than `rotateAfterSeconds`, and at most 366 days. @default 86400 (1 day)
   */
  readonly publishAheadSeconds?: number | undefined
}

/** Signing keys that the host keeps itself. */
export interface HostKeys {
  /**
   * A JWK Set (RFC 7517 5) with private keys for ES256 and RS256. The first key of each algorithm signs. The
   * other keys are only published, so that tokens signed with these keys stay valid.
   */
  readonly jwks: { readonly keys: readonly object[] }
}

/**
 * The options of `createGatehouse`.
 *
 * Unknown options are rejected, so that a misspelled option is noticed and does not get its default.
 */
export interface GatehouseOptions<
  Level extends string = string,
  Products extends ProductSource = ProductSource,
> {
  /**
   * The address of the authorization service for browsers and clients ({auth_url}), without a trailing slash,
   * query or fragment. `https:`, or `http:` on loopback. The addresses of the authorization service in
   * documents, tokens and redirects all begin with this address.
   */
  readonly issuer: string
  /**
   * The address of the API behind the gateway ({base_url}), in the same form as `issuer`. Access tokens carry it as
   * `aud`. It must not equal `issuer`, and `issuer` must not be below `audience`, because the gateway guards all paths
   * below `audience`.
   */
  readonly audience: string
  /**
   * Further resources with tokens of their own, such as an MCP server beside the API, by address (RFC 8707). An address
   * has the form of `audience`. Clients send it as `resource`, and tokens carry it as `aud`. On the same
   * host, no resource may be above or below `audience` or another resource. The entry of `audience` itself limits the
   * API to some products. @default {} (the API with all products is the only resource)
   */
  readonly resources?: { readonly [address: string]: ResourceOptions } | undefined
  /**
   * The scopes that the metadata of the API names (RFC 9728 2). Some clients request all scopes of the metadata. Names
   * that no operation has are left out. @default all scopes of the API
   */
  readonly metadataScopes?: readonly string[] | undefined
  /**
   * At least 32 random bytes as text. All keys that protect stored data are derived from the secret.
   * `openssl rand -base64 48` creates a secret. To rotate the secret, pass a list with the newest secret
   * first. The secret may be omitted only with a store that loses all data when the process ends.
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
   * The host's accounts. Delegated access needs to know which person is signed in. The host reports the
   * person with `current` and `signInUrl`, or with `authenticate`. If the host has none of these methods, direct access
   * works, but authorization requests end with an error page.
   */
  readonly accounts: Accounts<NoInfer<Level>>
  /**
   * Path at which the host's app receives requests for the authorization service, if a proxy changes paths; `''` is
   * the root. @default the path of `issuer`
   */
  readonly mountPath?: string | undefined
  /**
   * Whether a proxy or code of the host checks the tokens of the API, although this process answers its calls. If
   * false, an answered call that no gateway of this process has checked is an error in the log, once for each
   * operation. The check `gateway` of `health()` then fails. @default false
   */
  readonly checkedElsewhere?: boolean | undefined
  /** Lifetimes in seconds. */
  readonly lifetimes?: Lifetimes | undefined
  /** Reject authorization requests without PKCE (RFC 7636). @default false */
  readonly requirePkce?: boolean | undefined
  /**
   * Seconds after a refresh in which a client that lost the response may send the old refresh token again, at most 60.
   * The client gets the same new refresh token, and a new access token. With 0, any second use of a refresh token
   * counts as theft.
   * @default 0; 30 for public applications
   */
  readonly refreshTokenGraceSeconds?: number | undefined
  /**
   * Whether there may be public applications: applications that cannot keep a secret, in browsers, on phones, and on
   * the computers of users (`isPublic` of `NewApplication`). Without this option, they get no tokens. @default false
   */
  readonly publicApplications?: boolean | undefined
  /**
   * Whether API keys and applications may authenticate with their own keys in place of a secret (`private_key_jwt`,
   * OpenID Connect Core 9): see `addKey`. @default false
   */
  readonly privateKeyJwt?: boolean | undefined
  /**
   * Which clients may identify themselves by a client metadata document
   * (draft-ietf-oauth-client-id-metadata-document-02): their `client_id` is an https address, and no developer
   * registers them. AI agents that speak MCP do so. The first entry whose `match` covers the address applies, and all
   * other documents are rejected. Such a client may be a public application or authenticate with its own keys, whatever
   * `publicApplications` and `privateKeyJwt` say. @default [] (none)
   */
  readonly clientDocuments?: readonly DocumentPolicy[] | undefined
  /** How the gateway receives revocations. */
  readonly revocations?: RevocationOptions | undefined
  /** The rotation schedule of the signing keys, or the host's own keys. */
  readonly signingKeys?: RotationSchedule | HostKeys | undefined
  /**
   * Maximum number of API keys and applications of one account, counted together. Each further creation rejects with
   * `ERR_TOO_MANY_CLIENTS`, in your code, the console and the management API. An account that exceeds the limit keeps
   * its clients, and an import ignores the limit. Each creation reads the account's list of clients. A list with a
   * filter, or in another order than `newest`, reads all clients of the account. So both take longer with thousands of
   * clients.
   * @default 500
   */
  readonly maxClientsPerAccount?: number | undefined
  /**
   * What the secrets of API keys and applications begin with: 3 to 33 letters, digits and `_`, beginning with a letter
   * and ending with `_`. With a prefix of your own, such as `acme_`, secret scanners name your service. A change
   * applies to new secrets; the secrets that exist stay valid. @default 'gatehouse_'
   */
  readonly secretPrefix?: string | undefined
  /**
   * When API keys and applications expire. The policy applies when a client is created, and when its expiry is
   * changed. Existing clients that break the policy keep working. @default no policy: a client expires only if its
   * creator says so
   */
  readonly keyPolicy?: KeyPolicy | undefined
  /**
   * Milliseconds after which a call to the store counts as failed, and the request that made the call gets
   * 503. `durability.timeoutMs` of a store that waits for replicas must be lower. @default 1000
   */
  readonly storeTimeoutMs?: number | undefined
  /** Milliseconds that a request waits for store, products and keys at the start, before it gets 503. @default 1500 */
  readonly startTimeoutMs?: number | undefined
  /**
   * Maximum number of verified access tokens in the gateway's cache. With the cache, only the first call with
   * a token costs a signature check. 100,000 tokens take at most 60 MB. 0 disables the cache. @default 100000
   */
  readonly maxCachedTokens?: number | undefined
  /**
   * Maximum number of attempts in 15 minutes at the built-in sign-in page, up to 100. This number applies to one
   * authorization request, and to one identifier from one IP address. One address may make ten times this number of
   * failed attempts. All IPv6 addresses of one /64 network count as one address. All processes count together.
   * @default 10
   */
  readonly maxSignInAttempts?: number | undefined
  /** The bounds of the audit trail. */
  readonly audit?: AuditOptions | undefined
  /**
   * Maximum number of requests that this process answers at the same time at the endpoints for tokens, revocation and
   * introspection. At most a quarter of them may come from one address, and at most a quarter from one client. Each
   * further request gets 503 with `Retry-After` at once, so that API calls in the same process stay fast. The address
   * is `ctx.ip`, or the first 64 bits of an IPv6 address. Behind a proxy, set `app.proxy = true`: otherwise all clients
   * have the proxy's address. @default 1000
   */
  readonly maxTokenRequests?: number | undefined
  /**
   * Maximum number of pending authorization requests from one address, counted in each process. Each further request
   * gets 429 until a pending request is completed, or is older than `lifetimes.signIn`. 0 means no limit. The address
   * is `ctx.ip`, or the first 64 bits of an IPv6 address. Behind a proxy, set `app.proxy = true`: otherwise all people
   * have the proxy's address.
   * @default 1000
   */
  readonly maxPendingInteractions?: number | undefined
  /**
   * Maximum number of unexpired access tokens that one API key may revoke one by one (RFC 7009), 1 to 1,000,000. After
   * that many, its next revocation request revokes all access tokens that it has obtained so far. The count then begins
   * again at 0. For each grant of a user, the maximum is a hundredth, rounded up. After that many, the next revocation
   * request revokes the grant. Revocations by the host do not count.
   * @default 1000
   */
  readonly maxRevocationsPerClient?: number | undefined
  /**
   * OpenID Connect scopes, and for each scope the claims that the user info endpoint returns. This option replaces the
   * default. Discovery names these claims (`claims_supported`), so list the claims that your accounts have.
   *
   * @default profile and email with their standard claims (OpenID Connect Core 5.4)
   */
  readonly claims?: { readonly [scope: string]: readonly string[] } | undefined
  /**
   * Whether ID tokens also have the claims of the scopes that the user approved, such as `name` and `email`. By OpenID
   * Connect Core 5.4, only user info returns these claims, but some sign-in libraries read only the ID token.
   * @default false
   */
  readonly claimsInIdToken?: boolean | undefined
  /** How the pages look. */
  readonly branding?: Branding | undefined
  /**
   * Address of the host's page on which users disconnect applications, `https:` or a path on the issuer's own origin.
   * The consent page then says that users can disconnect the application there. @default the consent page does not say
   * it
   */
  readonly connectedApplicationsUri?: string | undefined
  /**
   * Texts of the pages by locale. English and German are built in, and each text here replaces a built-in text. Texts
   * that a further locale lacks are shown in English, and are reported to `logger` once.
   */
  readonly texts?: { readonly [locale: string]: Partial<Texts> } | undefined
  /** Locale of the pages for a person who accepts none of the available locales. @default 'en' */
  readonly defaultLocale?: string | undefined
  /** Receives the messages for operators. @default the messages are discarded */
  readonly logger?: Logger | undefined
}

/** How the pages look. */
export interface Branding {
  /** Name of the host's service. @default the host name of `issuer` */
  readonly name?: string | undefined
  /** Address of a logo, `https:` or a path on the issuer's own origin. */
  readonly logo?: string | undefined
  /**
   * Accent colour of buttons and links as `#rrggbb`. Text on this colour is black or white, whichever is
   * easier to read.
   * @default '#1a56db'
   */
  readonly accentColor?: string | undefined
}
