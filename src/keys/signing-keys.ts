import type { JWTVerifyGetKey } from 'jose'
import { GatehouseError } from '../errors.ts'
import type { SigningAlgorithm } from './generate-key.ts'
import type { KeyRing } from './key-ring.ts'
import type { KeyState, RingKey } from './key-states.ts'
import type { RingLoss } from './key-ring-record.ts'

/** A signing key without its private part. Times are in epoch seconds. */
export interface SigningKeyInfo {
  readonly kid: string
  /** ES256 signs access tokens, RS256 ID tokens. */
  readonly alg: SigningAlgorithm
  /**
   * `next`: published, and signs later. `current`: signs. `previous`: has signed what may still be good, and is
   * published. `retired`: not published any more. `revoked`: taken out of service before its time.
   */
  readonly state: KeyState
  /** When it was made, and published; undefined for keys that the host keeps. */
  readonly createdAt?: number | undefined
  /** Since when it has been in its state; undefined for keys that the host keeps. */
  readonly since?: number | undefined
  /** When it leaves its state by itself, as far as that is known. */
  readonly until?: number | undefined
}

/** Who asks for a change. */
interface KeyChangeOptions {
  /** Who does it, in the host's own terms; handed on in events, for an audit trail. */
  readonly actor?: string | undefined
}

/** The keys that sign tokens. */
export interface SigningKeys {
  /** All keys, those that sign first. */
  list(): Promise<readonly SigningKeyInfo[]>
  /**
   * Has the next keys sign now, in every process, and makes new next ones. What the keys before have signed stays
   * good. To do it twice within `publishAheadSeconds` makes a key sign that not everybody may know yet.
   *
   * @throws {GatehouseError} `ERR_SIGNING_KEYS_READ_ONLY` if the host keeps the keys; `ERR_STORE_UNAVAILABLE`
   */
  rotate(options?: KeyChangeOptions): Promise<void>
  /**
   * Takes a key out of service that somebody else may know: it is published no more, another one signs, and every
   * gateway that hears of revocations rejects its tokens at once. To do it again does no harm, and finishes what a
   * failure has left unfinished.
   *
   * @throws {GatehouseError} `ERR_NOT_FOUND`; `ERR_SIGNING_KEYS_READ_ONLY` for the key that signs if the host keeps
   *   the keys; `ERR_STORE_UNAVAILABLE`: it may not be known everywhere, so do it again
   */
  revoke(kid: string, options?: KeyChangeOptions): Promise<void>
}

/**
 * Who asks for a change, from options as the caller handed them over.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, also for an option that does not exist
 */
export function actorOf(options: KeyChangeOptions = {}): string | undefined {
  if (typeof options !== 'object' || options === null) throw refused('options must be an object')
  const unknown = Object.keys(options).find((name) => name !== 'actor')
  if (unknown !== undefined) throw refused(`there is no option "${unknown}"; expected actor`)
  const { actor } = options
  if (actor === undefined || (typeof actor === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(actor)))
    return actor
  throw refused('`actor` must be a text of 1 to 255 characters without control characters')
}

function refused(message: string): GatehouseError {
  return new GatehouseError('ERR_INVALID_ARGUMENT', message)
}

/** Keys in the store that can be carried to another one. */
export interface ExportableKeys {
  /** The ring in force, sealed as it stands in the store. The same ring is the same text. */
  toText(): Promise<string>
  /**
   * Opens a ring that comes from another store; nothing is changed by this.
   *
   * @returns makes one ring of both: its current keys sign from then on, in every process, and what ours have signed
   *   stays good. To do it again changes nothing. Answers how many keys are new here
   * @throws {GatehouseError} `ERR_SECRET_MISMATCH` if none of the secrets opens it, `ERR_STORE_CORRUPT` if it is no ring
   */
  open(text: string): Promise<() => Promise<number>>
}

/** How the keys are, as this process knows it. */
export interface KeyCondition {
  /** Whether the host keeps them itself. */
  readonly managedByHost: boolean
  /** Those that sign, or will; none while they have not been loaded. */
  readonly keys: readonly Pick<RingKey, 'alg' | 'state' | 'since'>[]
  /** Whether one that signs was revoked: what it signs is dead on arrival. */
  readonly isSigningRevoked: boolean
  /** Milliseconds since the epoch at which it was certain that these are in force; undefined where that never was. */
  readonly confirmedAt?: number | undefined
  /** Whether that is so long ago that nothing is signed before they have been looked at again. */
  readonly isStale: boolean
  /** Why they could not be looked at the last time; undefined where they could. */
  readonly failure?: unknown
  /** When others are to sign: epoch seconds; undefined where that is not known. */
  readonly rotationDue?: number | undefined
  /** Why and when they took the place of other keys, because the store had lost data; undefined if it has not. */
  readonly replaced?: RingLoss | undefined
}

/** Where the keys come from: the store, or the host. */
export interface KeySource extends SigningKeys {
  /** Undefined where the host keeps the keys. */
  readonly exportable?: ExportableKeys | undefined
  /**
   * Loads the keys, and follows their changes from then on. May be called again after it has rejected.
   *
   * @returns a function that ends it
   * @throws {GatehouseError} `ERR_SECRET_MISMATCH`, `ERR_STORE_CORRUPT`, `ERR_STORE_UNAVAILABLE`
   */
  follow(): Promise<() => Promise<void>>
  /** The keys now. Not before `follow()`. */
  readonly ring: KeyRing
  /** How they are. No I/O. */
  readonly condition: KeyCondition
  /** Finds the public key of a token. */
  readonly getKey: JWTVerifyGetKey
  /**
   * To be awaited before anything is signed: settles at once unless the keys have not been heard of for so long that
   * others may not count on this process any more; then it looks first.
   *
   * @throws {GatehouseError} what keeps it from looking
   */
  ensureFresh(): Promise<void>
  /** Calls `listener` whenever other keys sign. @returns a function that ends it */
  onChanged(listener: () => void): () => void
}
