import type { ChangeOptions } from '../host/change-options.ts'

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

/** The fields of an API key that can be changed. An application has these fields, and more. */
export interface ClientChanges {
  /** Display name; at most 120 characters. */
  readonly name?: string | undefined
  /**
   * When the client expires, in epoch seconds, as in `NewClient`; null for never. If the new time is earlier than the
   * previous time, all access tokens of the client are revoked.
   */
  readonly expiresAt?: number | null | undefined
  /** As in `NewClient`; empty for any address. Each change revokes all access tokens of the client. */
  readonly allowedAddresses?: readonly string[] | undefined
}

/** Input without a secret: the service generates a new secret. */
export interface WithNewSecret {
  readonly secretHash?: undefined
  readonly jwks?: undefined
}

/** Input with the hash of an existing secret, which the service imports. */
export interface WithExistingSecret {
  /** The result of `hashSecret` for the existing secret. */
  readonly secretHash: string
  readonly jwks?: undefined
}

/** Input with public keys in place of a secret: the client authenticates with `private_key_jwt`. */
export interface WithKeys {
  /**
   * The public keys: JWKs (RFC 7517) or texts in PEM format, at most 10. EC keys with the curve P-256 (ES256) and RSA
   * keys of 2048 to 4096 bits (RS256, PS256). A key without `kid` gets its thumbprint (RFC 7638). The option
   * `privateKeyJwt` is needed.
   */
  readonly jwks: { readonly keys: readonly PublicKeyInput[] }
  readonly secretHash?: undefined
}

/** A public key: a JWK (RFC 7517), or a text in PEM format. */
export type PublicKeyInput = string | object

/** Options of a creation. */
export interface CreationOptions {
  /**
   * Makes the creation repeatable for 24 hours: a repeat with the same key, `actor` and input returns the same client
   * and secret, and creates nothing. The key has 1 to 255 visible ASCII characters, for example a UUID. Do not use a
   * key for imports.
   * @default every call creates a client
   */
  readonly idempotencyKey?: string | undefined
}
