import type { Client } from './client.ts'
import type { ListOptions } from '../store/time-index.ts'
import type { ClientPage } from './client-index.ts'
import type { SecretAge } from './secret-rotation.ts'

/** Options of every change. */
export interface ChangeOptions {
  /** The host's name for the person or program that makes the change; included in events, for an audit trail. */
  readonly actor?: string | undefined
}

/** Input for a new API key, and the common part of the input for a new application. */
export interface NewClient<
  Scope extends string = string,
  Product extends string = string,
> extends ChangeOptions {
  /** The account that owns the client. */
  readonly accountId: string
  /** The user of that account who creates the client. */
  readonly userId?: string | undefined
  /** Display name; at most 120 characters. */
  readonly name: string
  /** Ids of the first products. @default none: the client cannot be used until a product is added */
  readonly products?: readonly Product[] | undefined
  /** Operations of those products that the client must not have. @default none */
  readonly removedOperations?: readonly Scope[] | undefined
  /**
   * An existing `client_id` to import: letters, digits and `._~@=-`, at most 200; not the id of a deleted client.
   * @default a new id
   */
  readonly clientId?: string | undefined
}

/** Lets the service generate a new secret. */
export interface WithNewSecret {
  readonly secretHash?: undefined
}

/** Imports an existing secret by its hash. */
export interface WithExistingSecret {
  /** What `hashSecret` returned for the existing secret. */
  readonly secretHash: string
}

/** A client secret without the secret. */
export interface SecretInfo {
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds from which on the secret is rejected; undefined for the current secret. */
  readonly expiresAt?: number | undefined
}

/** Options of a secret rotation. */
export interface RotationOptions extends ChangeOptions {
  /** Seconds for which the old secret stays valid, 0 to 7776000 (90 days). @default 86400 (1 day) */
  readonly overlapSeconds?: number | undefined
}

/** A secret that replaces another. */
export interface RotatedSecret {
  /** The new secret. It is returned only once, because only its hash is stored. */
  readonly clientSecret: string
  /** Epoch seconds until which the old secret is valid; undefined if it was revoked at once. */
  readonly oldSecretExpiresAt?: number | undefined
}

/**
 * The methods that API keys and applications have in common. Changes may run at the same time, in any number of
 * processes, and no change is lost. A change that is already in force does nothing and emits no event.
 *
 * A change applies in this process when the method settles. Other processes apply it within moments, when they receive
 * its message, or after at most ten seconds. A change that removes access also revokes older tokens.
 * If a change rejects because the store is unavailable, make it again.
 *
 * Every method rejects with a GatehouseError: `ERR_NOT_FOUND` if there is no such client of this kind,
 * `ERR_INVALID_ARGUMENT` with all `problems` for invalid input, `ERR_STORE_UNAVAILABLE` if the store is unavailable,
 * and `ERR_REGISTRY_READ_ONLY` if the host manages the clients. Further codes are listed at each method.
 */
export interface ClientService<C extends Client, Scope extends string, Product extends string> {
  /** The client, or undefined. */
  find(clientId: string): Promise<C | undefined>
  /**
   * The clients of one account in order of creation, page by page. A client whose record is corrupt is omitted and
   * logged.
   */
  listByOwner(accountId: string, options?: ListOptions): Promise<ClientPage<C>>
  /** All clients in order of creation, page by page. */
  list(options?: ListOptions): Promise<ClientPage<C>>

  rename(clientId: string, name: string, options?: ChangeOptions): Promise<C>

  /**
   * Adds a product with all its operations.
   *
   * @throws {GatehouseError} `ERR_SCOPE_TOO_LARGE` if tokens would no longer fit a request
   */
  addProduct(clientId: string, product: Product, options?: ChangeOptions): Promise<C>
  /** Removes a product. Tokens issued before are rejected from now on; clients obtain new ones. */
  removeProduct(clientId: string, product: Product, options?: ChangeOptions): Promise<C>
  /**
   * Removes one operation; the products stay. New tokens do not carry the operation, and tokens issued before are
   * rejected from now on.
   */
  removeOperation(clientId: string, scope: Scope, options?: ChangeOptions): Promise<C>
  /**
   * Restores an operation that was removed.
   *
   * @throws {GatehouseError} `ERR_SCOPE_TOO_LARGE` if tokens would no longer fit a request
   */
  restoreOperation(clientId: string, scope: Scope, options?: ChangeOptions): Promise<C>

  /**
   * Makes a new secret. The old secret stays valid for the overlap, so that servers can switch one by one; with
   * `overlapSeconds: 0` every other secret is revoked at once. Tokens obtained with the old secret stay valid. If the old
   * secret leaked, call `reportCompromised` first.
   *
   * @throws {GatehouseError} `ERR_CONFLICT` if there are already two live secrets
   */
  rotateSecret(clientId: string, options?: RotationOptions): Promise<RotatedSecret>
  /**
   * Revokes one of two live secrets at once: the old secret, or the new secret, which undoes the rotation. Tokens obtained
   * with the revoked secret stay valid.
   *
   * @throws {GatehouseError} `ERR_CONFLICT` if there is only one secret
   */
  revokeSecret(clientId: string, which: SecretAge, options?: ChangeOptions): Promise<C>
  /**
   * For a client secret that leaked: revokes all secrets and all access tokens of the client at once, and makes no new
   * secret. Until `rotateSecret` is called, the token endpoint answers `invalid_client`, and `listSecrets` returns an
   * empty list. Emits one `client.compromised`; a second call changes nothing.
   *
   * The grants of an application remain, but their refresh tokens cannot be used without a secret. They work again
   * with the next secret, so users need not authorize the application again. If refresh tokens leaked too, revoke the
   * grants.
   *
   * With the option `registry` the host keeps the secrets: this method revokes the access tokens, and **the host must
   * revoke the secret itself, before the call**. With this option, each call revokes the tokens issued until then.
   */
  reportCompromised(clientId: string, options?: ChangeOptions): Promise<void>
  /** The live secrets, newest first, without the secrets; empty after `reportCompromised`. */
  listSecrets(clientId: string): Promise<SecretInfo[]>

  /** Disables the client. It gets no tokens until it is enabled. Its existing tokens stay rejected after it is enabled. */
  disable(clientId: string, options?: ChangeOptions): Promise<C>
  enable(clientId: string, options?: ChangeOptions): Promise<C>
  /**
   * Deletes the client permanently: it gets no tokens, and all its existing tokens are rejected. Its client id stays
   * reserved, so that no later client inherits what users granted to this one.
   */
  delete(clientId: string, options?: ChangeOptions): Promise<void>
}
