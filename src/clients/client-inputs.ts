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
