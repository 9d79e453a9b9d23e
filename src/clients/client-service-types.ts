import type { CallLimits } from './call-limits.ts'
import type { Client, ClientChanges } from './client.ts'
import type { PublicJwk, PublicKeyInput } from './jwk-set.ts'
import type { ChangeOptions, LeakOptions } from '../host/change-options.ts'
import type { ListOptions } from '../store/time-index.ts'
import type { ClientPage } from './client-index.ts'
import type { SecretAge } from './secret-rotation.ts'
import type { SecretInfo } from './stored-secrets.ts'
import type { LISTED_STATES, NoTokenReason } from './why-no-token.ts'

/** Information about a public key of a client. */
export interface KeyInfo extends Pick<PublicJwk, 'kid' | 'kty' | 'alg'> {
  /** When the key was added, in epoch seconds. */
  readonly createdAt: number
  /**
   * When a program last authenticated with the key, in epoch seconds, rounded down to the hour. Undefined if no program
   * did so in the last 365 days.
   */
  readonly lastUsedAt?: number | undefined
}

/** Options of `addProduct`. */
export interface AddProductOptions<Scope extends string = string> extends ChangeOptions {
  /**
   * Operations of the product that the client does not get. An operation that another product gives to the client
   * stays. @default none
   */
  readonly removedOperations?: readonly Scope[] | undefined
}

/** Who disables or enables a client. */
export type DisabledBy = 'owner' | 'operator'

/** Options of `disable` and `enable`. */
export interface DisableOptions extends ChangeOptions {
  /**
   * Who disables or enables the client. If an operator disabled it, only an operator may enable it.
   * @default 'owner'
   */
  readonly by?: DisabledBy | undefined
}

/** Options of a hand-over. */
export interface HandOverOptions extends ChangeOptions {
  /**
   * Whether a hand-over of an API key to a user removes all its public keys and revokes all its secrets. The secrets
   * stay if each valid secret was shown to this user only. If the account gets the key, secrets and public keys stay,
   * and a secret without a recorded user counts as shown to the former owner. @default false
   */
  readonly protectNewOwner?: boolean | undefined
}

/** Options of a secret rotation. */
export interface RotationOptions extends ChangeOptions {
  /**
   * Makes the rotation repeatable for 24 hours: a repeat with the same key, `actor` and overlap returns the same
   * secret, and rotates nothing. The key has 1 to 255 visible ASCII characters, for example a UUID.
   * @default every call rotates
   */
  readonly idempotencyKey?: string | undefined
  /** Seconds for which the old secret stays valid: from 0 to 7776000 (90 days). @default 86400 (1 day) */
  readonly overlapSeconds?: number | undefined
  /** The user of the account to whom the new secret is shown. @default no user is known */
  readonly shownTo?: string | undefined
}

/** The order of an owner's list. */
export type ListOrder = 'newest' | 'name' | 'expiry' | 'last-used'

/** Which clients of an account a list has, and their order. */
export interface OwnerListOptions extends ListOptions {
  /** Only clients with this text in their name, in upper or lower case. */
  readonly name?: string | undefined
  /** Only clients with this product. */
  readonly product?: string | undefined
  /**
   * Only clients in this state: `active` if they get tokens, `no-token` if they get none, or the reason why they get
   * none.
   */
  readonly state?: (typeof LISTED_STATES)[number] | undefined
  /**
   * Only clients that got no token since this time, in epoch seconds. The time of a use is rounded down to the hour.
   */
  readonly unusedSince?: number | undefined
  /** `last-used` begins with the latest use, and `expiry` with the client that expires first. @default 'newest' */
  readonly sort?: ListOrder | undefined
}

/** The result of a secret rotation. */
export interface RotatedSecret {
  /** The new secret. It is returned only once, because only its hash is stored. */
  readonly clientSecret: string
  /** Epoch seconds at which the old secret expires; undefined if no old secret is valid any more. */
  readonly oldSecretExpiresAt?: number | undefined
}

/**
 * The methods that API keys and applications have in common. Methods may be called at the same time, in any
 * number of processes, and no change is lost. If a client already has the requested state, it stays as it is,
 * and no event is emitted.
 *
 * When a method resolves, its change applies in this process. Other processes apply the change when they are
 * notified of it, usually within moments, and after ten seconds at the latest. A change that removes access
 * also revokes the tokens that the client has obtained so far. If a method rejects because the store is
 * unavailable, call it again.
 *
 * Every method rejects with a GatehouseError: `ERR_NOT_FOUND` if no client of this kind has the id,
 * `ERR_INVALID_ARGUMENT` with all `problems` for invalid input, and `ERR_STORE_UNAVAILABLE` if the store is
 * unavailable. Further codes are listed at each method.
 */
export interface ClientService<
  C extends Client,
  Scope extends string,
  Product extends string,
  Changes extends ClientChanges = ClientChanges,
> {
  /** The client, or undefined. */
  find(clientId: string): Promise<C | undefined>
  /**
   * The client, if the account owns it.
   *
   * @throws {GatehouseError} `ERR_NOT_FOUND`, also for the client of another account
   */
  findOwn(accountId: string, clientId: string): Promise<C>
  /**
   * The clients of one account, newest first, page by page. A call with a filter, or with another
   * `sort`, reads all clients of the account. A client whose record is corrupt is omitted and logged.
   *
   * @throws {GatehouseError} the errors of `accounts.find`, if `state` is given
   */
  listByOwner(accountId: string, options?: OwnerListOptions): Promise<ClientPage<C>>
  /** All clients in order of creation, page by page. */
  list(options?: ListOptions): Promise<ClientPage<C>>

  /**
   * Sets several fields in one change. A field that is undefined stays as it is, and null removes an optional
   * field. The event `client.changed` names all given fields, separated by commas.
   */
  update(clientId: string, fields: Changes, options?: ChangeOptions): Promise<C>

  /**
   * Replaces the whole list of products. If a product is removed, all earlier access tokens of the client are rejected.
   *
   * @throws {GatehouseError} `ERR_SCOPE_TOO_LARGE` if tokens of the client would no longer fit the header of
   *   a request
   */
  setProducts(clientId: string, products: readonly Product[], options?: ChangeOptions): Promise<C>
  /**
   * Adds a product with its operations.
   *
   * @throws {GatehouseError} `ERR_SCOPE_TOO_LARGE` if tokens of the client would no longer fit the header of
   *   a request
   */
  addProduct(clientId: string, product: Product, options?: AddProductOptions<Scope>): Promise<C>
  /** Removes a product. All earlier access tokens of the client are rejected, so it must obtain new ones. */
  removeProduct(clientId: string, product: Product, options?: ChangeOptions): Promise<C>
  /**
   * Removes one operation. The client keeps the product that has the operation. All earlier access tokens of the client
   * are rejected.
   */
  removeOperation(clientId: string, scope: Scope, options?: ChangeOptions): Promise<C>
  /**
   * Restores an operation that was removed.
   *
   * @throws {GatehouseError} `ERR_SCOPE_TOO_LARGE` if tokens of the client would no longer fit the header of
   *   a request
   */
  restoreOperation(clientId: string, scope: Scope, options?: ChangeOptions): Promise<C>

  /**
   * Creates a new secret. The old secret stays valid for `overlapSeconds`, so that the client's servers can
   * switch to the new secret one by one. With `overlapSeconds: 0`, all older secrets are revoked at once.
   * Tokens obtained with an old secret stay valid. If the old secret leaked, call `reportCompromised` first.
   *
   * @throws {GatehouseError} `ERR_TWO_SECRETS` if two secrets are valid already, except with `overlapSeconds: 0`; with
   *   `idempotencyKey`, `ERR_IDEMPOTENCY_KEY`, `ERR_IN_PROGRESS` and `ERR_SECRETS_CHANGED`
   */
  rotateSecret(clientId: string, options?: RotationOptions): Promise<RotatedSecret>
  /**
   * Replaces all secrets by an existing secret, for hosts that keep the hashes of secrets in their own table. All other
   * secrets are revoked at once. Tokens that were obtained with a revoked secret stay valid.
   *
   * @param secretHash the result of `hashSecret` for the existing secret
   */
  setSecretHash(clientId: string, secretHash: string, options?: ChangeOptions): Promise<C>
  /**
   * Revokes one of two valid secrets at once: the old secret or the new secret. Revoking the new secret
   * undoes the rotation. The only secret can be revoked if the client has a key. Tokens obtained with the revoked
   * secret stay valid.
   *
   * @throws {GatehouseError} `ERR_ONE_SECRET` if `which` is `new`, and there is no old secret and no key
   */
  revokeSecret(clientId: string, which: SecretAge, options?: ChangeOptions): Promise<C>
  /**
   * Adds a public key with which the client can authenticate (`private_key_jwt`). Its secrets and other keys stay
   * valid. To replace a key, add the new one, change the programs, and remove the old one.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if the text is not a public key, if the client has ten keys, for
   *   a public application, and without the option `privateKeyJwt`; `ERR_CONFLICT` if another key of the client has
   *   the id
   */
  addKey(clientId: string, key: PublicKeyInput, options?: ChangeOptions): Promise<C>
  /**
   * Removes a public key. Tokens that were obtained with the key stay valid. If its private key leaked, call
   * `secrets.reportLeaked` with the private key instead.
   *
   * @param kid the id of the key
   * @throws {GatehouseError} `ERR_ONE_SECRET` if the client has no other key and no valid secret. If there is no such
   *   key, nothing changes
   */
  removeKey(clientId: string, kid: string, options?: ChangeOptions): Promise<C>
  /** Information about the public keys, the newest first. */
  listKeys(clientId: string): Promise<KeyInfo[]>
  /**
   * Call this method if a client secret leaked. It revokes all secrets, keys and access tokens of the client at
   * once, and creates no new secret. Until `rotateSecret` is called, the token endpoint answers
   * `invalid_client`, and `listSecrets` returns an empty list. The first call emits `client.compromised`. A
   * repeated call changes nothing until a new secret exists.
   *
   * The grants of an application remain, but their refresh tokens cannot be used without a secret. The
   * refresh tokens work again with the next secret, so users need not authorize the application again. If
   * refresh tokens leaked too, revoke the grants.
   *
   * @param options.secretHash the result of `hashSecret` for the leaked secret. Then only this secret is revoked,
   *   together with all access tokens. `secrets.reportLeaked` finds the client of a secret or private key by itself. If
   *   the secret is not valid any more, nothing changes
   * @param options.isLost true if the secret was no longer valid when its leak was found. The access tokens are then
   *   revoked once, because a thief may have obtained them with the secret
   */
  reportCompromised(
    clientId: string,
    options?: LeakOptions & {
      readonly secretHash?: string | undefined
      readonly isLost?: boolean | undefined
    },
  ): Promise<void>
  /** Information about the valid secrets, newest first. The list is empty after `reportCompromised`. */
  listSecrets(clientId: string): Promise<SecretInfo[]>

  /**
   * Disables the client: it gets no tokens until `enable` is called. Its existing tokens are rejected, and stay
   * rejected after `enable`.
   */
  disable(clientId: string, options?: DisableOptions): Promise<C>
  /**
   * @throws {GatehouseError} `ERR_DISABLED_BY_OPERATOR` if an operator disabled the client, and `by` is not `operator`
   */
  enable(clientId: string, options?: DisableOptions): Promise<C>
  /**
   * Why the client gets no token now; undefined if it gets tokens. Asks `accounts.find` for the owner of the client.
   *
   * @throws {GatehouseError} the errors of `accounts.find`
   */
  whyNoToken(clientId: string): Promise<NoTokenReason | undefined>
  /**
   * Sets limits of the client's own, instead of those of `createLimits()`; null removes them. Call this from code or
   * for operators, never from a form of the owner.
   */
  setLimits(clientId: string, limits: CallLimits | null, options?: ChangeOptions): Promise<C>
  /**
   * Gives the client to another user of its account, or to the account itself. An access token of an API key acts as
   * the user who owned the key when the token was issued. So the hand-over of an API key revokes its access tokens. The
   * secrets of the client stay valid without `protectNewOwner`: rotate them if the former user must not know them.
   *
   * @param userId null for the account
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if the host does not find the user in the account; the errors of
   *   `accounts.find`
   */
  handOver(clientId: string, userId: string | null, options?: HandOverOptions): Promise<C>
  /**
   * Deletes the client permanently: it gets no tokens, and all its existing tokens are rejected. Its client
   * id stays reserved, so that no later client gets the grants that users gave to this client.
   */
  delete(clientId: string, options?: ChangeOptions): Promise<void>
}
