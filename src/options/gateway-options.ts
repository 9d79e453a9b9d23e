import type { ProductSource } from '../catalog/definition.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import type { RevocationOptions } from './options.ts'

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
 * Unknown options are rejected, so that a misspelled option is noticed and does not get its default.
 */
export interface GatewayOptions<Products extends ProductSource = ProductSource> {
  /** The address of the authorization service ({auth_url}), exactly as it is configured there. */
  readonly issuer: string
  /**
   * The address of this API ({base_url}), exactly as the authorization service has it in `audience` or `resources`.
   * Tokens carry it as `aud`.
   */
  readonly audience: string
  /**
   * The products, or a function that loads them. You may leave out products whose operations this process does not
   * serve. KYC levels have no effect in this gateway.
   */
  readonly products: Products
  /**
   * The scopes that the metadata of the API names (RFC 9728 2). Some clients request all scopes of the metadata. Names
   * that no operation has are left out. @default all scopes of the products
   */
  readonly metadataScopes?: readonly string[] | undefined
  /** Maximum seconds between two loads of the products, if a function loads them. @default 60 */
  readonly productsRefreshSeconds?: number | undefined
  /**
   * Address of the public keys. It must be `https:`, or `http:` on loopback, because an attacker who can
   * change the keys in transit can sign tokens. @default `${issuer}/oauth2/jwks`
   */
  readonly jwksUri?: string | undefined
  /**
   * Maximum age of the fetched keys in seconds; the minimum is 30. If a token is verified with older keys, the gateway
   * also fetches the keys again in the background.
   * @default 600 (10 minutes)
   */
  readonly jwksCacheSeconds?: number | undefined
  /**
   * The source of revocations, and how the gateway receives them. Without this option the gateway receives no
   * revocations, and accepts a revoked token until the token expires.
   */
  readonly revocations?: (RevocationOptions & RevocationFeed) | undefined
  /**
   * Milliseconds that a request waits for products, keys and revocations at the start, before it gets 503.
   * @default 1500
   */
  readonly startTimeoutMs?: number | undefined
  /**
   * Maximum number of verified access tokens in the cache. With the cache, only the first call with a token
   * costs a signature check. 100,000 tokens take at most 60 MB. 0 disables the cache. @default 100000
   */
  readonly maxCachedTokens?: number | undefined
  /** Receives the messages for operators. @default the messages are discarded */
  readonly logger?: Logger | undefined
}
