/**
 * The storage that koa-gatehouse stands on: text in, text out, nothing about OAuth. An adapter for another
 * database implements these methods, and proves itself with `storeContract` from `koa-gatehouse/testing`.
 *
 * - Keys, members and values are non-empty strings of any Unicode text; keys are at most 512 characters.
 * - Keys of values and names of indexes never coincide.
 * - `ttl` is in whole seconds, at least 1; `undefined` means: kept until deleted. A value whose `ttl` has
 *   elapsed is absent for every method.
 * - A method that cannot reach the database rejects; it never answers "absent" instead. Whether a write that
 *   rejected was applied is not known, and callers read before they conclude anything.
 */
export interface Store {
  /** True if everything is gone when the process ends; such a store needs no `secret`. */
  readonly volatile?: boolean | undefined

  /**
   * The same data through methods whose writes settle only once they are as safe from the loss of a server as the
   * adapter was told to make them, for what must not be lost: that something was used up or taken back, keys, clients.
   * A write that is not that safe in time rejects like any other that failed, and may have been applied. Left out
   * where all writes are alike.
   */
  readonly durable?: Store | undefined

  /** The text stored under `key`, or undefined. */
  get(key: string): Promise<string | undefined>

  /** The texts stored under `keys`, in their order, undefined where absent. `keys` may be empty. */
  getMany(keys: readonly string[]): Promise<(string | undefined)[]>

  /** Stores `value` under `key`, whatever was there, and sets its time to live anew. */
  set(key: string, value: string, ttl?: number): Promise<void>

  /**
   * Stores `value` only if `key` is absent. Atomic across all processes: of any number of concurrent calls
   * exactly one answers true.
   *
   * @returns whether it was stored
   */
  create(key: string, value: string, ttl?: number): Promise<boolean>

  /**
   * Stores `value` only if the text under `key` is exactly `expected`, and sets its time to live anew.
   * Atomic across all processes. Never brings an absent key back.
   *
   * @returns whether it was stored
   */
  replace(key: string, expected: string, value: string, ttl?: number): Promise<boolean>

  /**
   * Deletes what is under `key`.
   *
   * @returns whether something was there; of concurrent calls exactly one answers true
   */
  delete(key: string): Promise<boolean>

  /**
   * Puts `member` into the sorted index `index`; a member that is there already stays once. An index lives
   * at least `ttl` seconds longer: adding never shortens its life, and adding without `ttl` makes it
   * permanent.
   */
  add(index: string, member: string, ttl?: number): Promise<void>

  /** Takes `member` out of `index`; nothing happens if it is not there. */
  remove(index: string, member: string): Promise<void>

  /**
   * Members of `index` in ascending order of their UTF-8 bytes.
   *
   * @param options.after exclusive lower bound: the last member of the page before
   * @param options.limit members at most, 1 to 1000
   */
  range(index: string, options: { after?: string | undefined; limit: number }): Promise<string[]>

  /** Sends `message` to all who listen to `channel` now, in every process. At most once; may be lost. */
  publish(channel: string, message: string): Promise<void>

  /**
   * Calls `listener` for each message on `channel` from now on, after a lost connection too. The promise
   * settles once listening is certain.
   *
   * @param missed called when messages may have been lost because the connection was, once listening is certain
   *   again; an adapter that cannot know never calls it
   * @returns a function that ends the subscription
   */
  subscribe(
    channel: string,
    listener: (message: string) => void,
    missed?: () => void,
  ): Promise<() => Promise<void>>

  /** Settles if the database answers. */
  ping(): Promise<void>

  /** What the database says about itself, for `gatehouse.health()`. Left out where there is nothing to say. */
  inspect?(): Promise<StoreInspection>

  /**
   * Ends what the adapter itself opened: never a client that was handed to it. Idempotent; afterwards every
   * other method rejects.
   */
  close(): Promise<void>
}

/** What a database says about itself. */
export interface StoreInspection {
  /** Its clock in milliseconds since the epoch, read while `inspect` ran; undefined if it has none to compare with. */
  readonly time?: number | undefined
  /** How fit it is for what is stored, setting by setting. */
  readonly checks: readonly StoreCheck[]
}

/** One thing that was looked at. */
export interface StoreCheck {
  /** Such as `eviction`, `persistence`, `replicas`. */
  readonly name: string
  /** `unknown` where it could not be looked at. */
  readonly verdict: 'good' | 'warning' | 'bad' | 'unknown'
  /** What was found, for a person. Neither keys nor values of the store, nor credentials. */
  readonly message: string
  /** What to do about it, where it is not good. */
  readonly fix?: string | undefined
}
