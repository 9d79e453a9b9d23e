import type { JWTVerifyGetKey } from 'jose'
import { changeFields, type ChangeOptions } from '../host/change-options.ts'
import { checkInput } from '../validation/rules.ts'
import type { SigningAlgorithm } from './generate-key.ts'
import type { KeyRing } from './key-ring.ts'
import type { ExportableKeys } from './key-ring-import.ts'
import type { KeyState, RingKey } from './rotation-policy.ts'
import type { RingLoss } from './key-ring-record.ts'

/** A signing key without its private part. Times are in epoch seconds. */
export interface SigningKeyInfo {
  readonly kid: string
  /** ES256 signs access tokens; RS256 signs ID tokens. */
  readonly alg: SigningAlgorithm
  /**
   * A `next` key is published, and signs later. A `current` key signs. A `previous` key stays published,
   * because tokens that it signed may still be valid. A `retired` key is no longer published. A `revoked` key
   * is no longer published, and its tokens are rejected.
   */
  readonly state: KeyState
  /** When the key was generated and published; undefined if the host manages the keys. */
  readonly createdAt?: number | undefined
  /** When the key entered its state; undefined if the host manages the keys. */
  readonly since?: number | undefined
  /** When the key will leave its state by itself; undefined if this time is not known. */
  readonly until?: number | undefined
}

/** The keys that sign tokens. */
export interface SigningKeys {
  /** All keys. The keys that sign come first in the list. */
  list(): Promise<readonly SigningKeyInfo[]>
  /**
   * Activates the next keys in every process, and generates new next keys. Tokens of the replaced keys stay
   * valid. Rotating twice within `publishAheadSeconds` can activate a key that remote gateways have not
   * fetched yet.
   *
   * @throws {GatehouseError} `ERR_SIGNING_KEYS_READ_ONLY` if the host manages the keys;
   *   `ERR_STORE_UNAVAILABLE`: the keys may have rotated, so read `list()` before another call
   */
  rotate(options?: ChangeOptions): Promise<void>
  /**
   * Takes a leaked key out of service. The key leaves the JWKS, and another key signs. Every gateway that receives
   * revocations rejects the tokens of the leaked key at once. If a call fails, repeat it to complete the revocation.
   *
   * @throws {GatehouseError} `ERR_NOT_FOUND`; `ERR_SIGNING_KEYS_READ_ONLY` for the signing key if the host
   *   manages the keys; `ERR_STORE_UNAVAILABLE`: the tokens may stay valid in every process, so repeat
   *   the call until it resolves
   */
  revoke(kid: string, options?: ChangeOptions): Promise<void>
}

/** The methods of hosts for signing keys. The validated options of a change; `ERR_INVALID_ARGUMENT` otherwise. */
export function checkedOptions(options: ChangeOptions = {}): ChangeOptions {
  checkInput('the signing keys cannot be changed', options, changeFields)
  return options
}

export interface KeyCondition {
  readonly managedByHost: boolean
  /** The current and next keys; empty until they are loaded. */
  readonly keys: readonly Pick<RingKey, 'alg' | 'state' | 'since'>[]
  /** Whether a signing key was revoked. Gateways then reject even the new tokens that this key signs. */
  readonly isSigningRevoked: boolean
  /** When these keys were last found in the store, in milliseconds since the epoch. */
  readonly confirmedAt?: number | undefined
  /** Whether `confirmedAt` is so long ago that the keys must be polled before anything is signed. */
  readonly stale: boolean
  /** Why the last poll failed; undefined if it succeeded. */
  readonly failure?: unknown
  /** When the next keys become current, in epoch seconds; undefined if that is not known. */
  readonly rotationDue?: number | undefined
  /** Why and when these keys replaced older ones; undefined if the store lost no data. */
  readonly replaced?: RingLoss | undefined
}

export interface KeySource extends SigningKeys {
  /** Exports and imports the keys; undefined if the host manages the keys. */
  readonly exportable?: ExportableKeys | undefined
  /**
   * Loads the keys, and applies changes until the returned function is called. May be called again after it
   * rejected: `ERR_SECRET_MISMATCH`, `ERR_STORE_CORRUPT`, `ERR_STORE_UNAVAILABLE`.
   */
  follow(): Promise<() => Promise<void>>
  /** The current keys. Available after `follow()`. */
  readonly ring: KeyRing
  /** The condition of the keys. Reading it does no I/O. */
  readonly condition: KeyCondition
  readonly getKey: JWTVerifyGetKey
  /** Call this before anything is signed: if it rejects, the keys are stale, and must not sign. Undefined if they are fresh. */
  ensureFresh(): Promise<void> | undefined
  /** Calls `listener` when the signing keys have changed. @returns a function that removes the listener */
  onChanged(listener: () => void): () => void
}
