import type { Client } from './client.ts'
import type { ListOptions } from '../store/time-index.ts'
import type { ClientPage } from './client-index.ts'
import type { SecretAge } from './secret-rotation.ts'

/** What every change takes. */
export interface ChangeOptions {
  /** Who does it, in the host's own terms; handed on in events, for an audit trail. */
  readonly actor?: string | undefined
}

/** What is needed to create an API key, and what an application has in common with it. */
export interface NewClient<
  Scope extends string = string,
  Product extends string = string,
> extends ChangeOptions {
  /** The account that owns it. */
  readonly accountId: string
  /** The member of that account who creates it. */
  readonly userId?: string | undefined
  /** For people; at most 120 characters. */
  readonly name: string
  /** Ids of products to begin with. @default none: it cannot be used until one is added */
  readonly products?: readonly Product[] | undefined
  /** Operations of those products that it must not have. @default none */
  readonly removedOperations?: readonly Scope[] | undefined
  /**
   * An existing `client_id` to take over: letters, digits and `._~@=-`, at most 200; not one of a client that
   * was deleted. @default a new one
   */
  readonly clientId?: string | undefined
}

/** Lets the service draw a new secret. */
export interface WithNewSecret {
  readonly secretHash?: undefined
}

/** Takes an existing secret over, without knowing it. */
export interface WithExistingSecret {
  /** What `hashSecret` returned for the existing secret. */
  readonly secretHash: string
}

/** A client secret without the secret. */
export interface SecretInfo {
  /** Epoch seconds. */
  readonly createdAt: number
  /** Epoch seconds from which on it is refused; undefined for the current one. */
  readonly expiresAt?: number | undefined
}

/** How a secret is replaced. */
export interface RotationOptions extends ChangeOptions {
  /** Seconds for which the old secret stays good, 0 to 7776000 (90 days). @default 86400 (1 day) */
  readonly overlapSeconds?: number | undefined
}

/** A secret that replaces another. */
export interface RotatedSecret {
  /** Shown this once; only its hash is kept. */
  readonly clientSecret: string
  /** Epoch seconds until which the old one is good; undefined if it ended at once. */
  readonly oldSecretExpiresAt?: number | undefined
}

/**
 * What API keys and applications can be asked in the same way. Changes may run at the same time, in any
 * number of processes: none is lost. A change that is in force already does nothing and reports no event.
 *
 * A change counts in this process when it settles, in the others within moments: when its message comes, or at most ten
 * seconds later. One that takes something away takes the tokens from before back as well, in the same way. If it
 * rejects because the store is away, make it again.
 *
 * Every method rejects with a GatehouseError: `ERR_NOT_FOUND` where there is no such client of this kind,
 * `ERR_INVALID_ARGUMENT` with all `problems` for bad input, `ERR_STORE_UNAVAILABLE` if the store is away, and
 * `ERR_REGISTRY_READ_ONLY` if the host keeps the clients itself. Further codes stand at the method.
 */
export interface ClientService<C extends Client, Scope extends string, Product extends string> {
  /** The client, or undefined. */
  find(clientId: string): Promise<C | undefined>
  /**
   * The clients of one account in order of creation, page by page. One whose record cannot be read is left out, and the
   * log tells of it.
   */
  listByOwner(accountId: string, options?: ListOptions): Promise<ClientPage<C>>
  /** The same of all clients. */
  list(options?: ListOptions): Promise<ClientPage<C>>

  rename(clientId: string, name: string, options?: ChangeOptions): Promise<C>

  /**
   * Adds a product with all its operations.
   *
   * @throws {GatehouseError} `ERR_SCOPE_TOO_LARGE` if tokens would not fit a request any more
   */
  addProduct(clientId: string, product: Product, options?: ChangeOptions): Promise<C>
  /** Takes a product off. Tokens that were issued before are refused from now on; clients get new ones. */
  removeProduct(clientId: string, product: Product, options?: ChangeOptions): Promise<C>
  /**
   * Takes one operation off while its products stay, so that new tokens do not carry it. Tokens that were issued
   * before are refused from now on.
   */
  removeOperation(clientId: string, scope: Scope, options?: ChangeOptions): Promise<C>
  /**
   * Gives an operation back that was taken off.
   *
   * @throws {GatehouseError} `ERR_SCOPE_TOO_LARGE` if tokens would not fit a request any more
   */
  restoreOperation(clientId: string, scope: Scope, options?: ChangeOptions): Promise<C>

  /**
   * Makes a new secret. The old one stays good for the overlap, so that servers change over one by one; with
   * `overlapSeconds: 0` every other secret ends at once. Tokens that were got with the old one stay good; if it
   * leaked, call `reportCompromised` first.
   *
   * @throws {GatehouseError} `ERR_CONFLICT` if two secrets are live already
   */
  rotateSecret(clientId: string, options?: RotationOptions): Promise<RotatedSecret>
  /**
   * Ends one of two live secrets at once: the old one, or the new one, which undoes the rotation. Tokens that were
   * got with it stay good, as with `rotateSecret`.
   *
   * @throws {GatehouseError} `ERR_CONFLICT` if it is the only one
   */
  revokeSecret(clientId: string, which: SecretAge, options?: ChangeOptions): Promise<C>
  /**
   * For a client secret that leaked: revokes all secrets and all access tokens of the client at once, and makes no new
   * secret. Until its owner calls `rotateSecret`, the token endpoint answers `invalid_client`, and `listSecrets` is
   * empty. Emits one `client.compromised`; a second call changes nothing.
   *
   * The grants of an application remain, and their refresh tokens are of no use without a secret. They work again with
   * the next one, so users need not authorize the application again. If refresh tokens leaked too, revoke the grants.
   *
   * With the option `registry` the secrets are the host's: this revokes the access tokens, and **the host must revoke
   * the secret itself, before the call**. There each call revokes the tokens that were issued until then.
   */
  reportCompromised(clientId: string, options?: ChangeOptions): Promise<void>
  /** The live secrets, newest first, without the secrets; empty after `reportCompromised`. */
  listSecrets(clientId: string): Promise<SecretInfo[]>

  /** Gets no tokens any more until it is enabled, and those that it has are refused, then too. */
  disable(clientId: string, options?: ChangeOptions): Promise<C>
  enable(clientId: string, options?: ChangeOptions): Promise<C>
  /**
   * Deletes it for good: it gets no tokens any more, and all that it has are refused. What stays is that the client
   * id is taken, so that nobody who creates another client inherits what users granted to this one.
   */
  delete(clientId: string, options?: ChangeOptions): Promise<void>
}
