/**
 * The storage that koa-gatehouse uses. It stores texts and knows nothing about OAuth. An adapter for another
 * database implements these methods, and is tested with `storeContract` from `koa-gatehouse/testing`. That
 * suite has a case for each promise that a caller can observe.
 *
 * **Texts.** Keys, names of indexes, members, values, channels and messages are non-empty strings of
 * well-formed Unicode. They may contain U+0000 and characters of every plane, but no lone surrogates, because
 * UTF-8 cannot encode a lone surrogate. Texts are stored unchanged and compared character by character.
 * Letter case, Unicode normal forms and trailing spaces all make a difference. Characters are counted as
 * `length` counts them, in UTF-16 units:
 *
 * | what                          | usual                | at most   |
 * | ----------------------------- | -------------------- | --------- |
 * | key, name of index or channel | 60                   | 512       |
 * | value                         | 200 to 4,000         | 1,000,000 |
 * | member, message               | 60                   | 100,000   |
 * | members of an index           | up to some thousands | unlimited |
 *
 * A key of a value never equals the name of an index. The largest indexes list all API keys, all
 * applications, and the revocations of an hour. Every index may be read in pages of 1000 members.
 *
 * **Consistency.** Each key, and each index, is linearizable: once a write has resolved, every read that
 * begins later, in any process, sees that write. Reads from lagging replicas break this promise. There are no
 * promises across keys: `getMany` is not a snapshot, and there are no transactions. Methods may be called at
 * any time and concurrently.
 *
 * **Time.** `ttl` is in whole seconds, 1 to a century; `undefined` means: kept until deleted. A value whose
 * `ttl` has elapsed is absent for every method from that moment on. One clock decides whether a `ttl` has
 * elapsed, preferably the clock of the database. The adapter chooses when it frees the space of expired
 * values, but it must free that space, because most values expire.
 *
 * **Failures.** A method that cannot reach the database rejects with an Error. It never throws synchronously. It also
 * never resolves with a substitute, such as undefined, `false` or an empty list. Once the database is available again,
 * the same store works again. A rejected write may have been applied, so callers read before they draw a conclusion.
 * If a driver resends a command, the first attempt may have been applied. If the second attempt finds nothing to do,
 * the adapter rejects instead of answering `false`. gatehouse stops waiting for a call after `storeTimeoutMs`. An
 * adapter needs no timeout of its own, but a write should not be applied long after `storeTimeoutMs`.
 *
 * **Load.** An API call does not use the store. A token request makes a handful of calls. Nearly all are `add`, or
 * `get`, `getMany`, `create` and `replace` of single keys, so these methods should be fast. `range`, `remove` and
 * `delete` serve lists, revocation and cleanup. Each process has a few subscriptions from its start on. Each
 * revocation and each change of keys or products publishes a message.
 *
 * Methods are always called as `store.method()`, so a store may be an instance of a class.
 */
export interface Store {
  /**
   * True if the data is lost when the process ends, and no other process sees the data. Such a store needs no
   * `secret`.
   */
  readonly volatile?: boolean | undefined

  /**
   * A view of the same data. A write of this view resolves only when the written data survives the loss of a
   * server, as configured in the adapter. The view serves writes that must not be lost: uses of one-time
   * values, revocations, keys, clients.
   *
   * A write that is not confirmed in time rejects like any other failed write, and may have been applied. A `delete`,
   * `add` or `remove` that finds nothing to do needs to be confirmed too, because an earlier write that made the
   * change may be unconfirmed. A `create` or `replace` that answers `false` needs no confirmation. An adapter leaves
   * `durable` out if all its writes are equally safe. The view keeps every promise of this interface. The store and
   * the view see each other's writes. Closing the store also ends the view; the view's own `close` is never called.
   *
   * A write that does not use this view may be lost when a server is lost. A user may then have to sign in once more.
   * In a SQL database all writes are equally safe if each commit is on disk, and on a standby, before the database
   * confirms it. If the usual commits do not wait for the disk (`synchronous_commit = off`), the adapter needs a
   * `durable` view whose commits wait.
   */
  readonly durable?: Store | undefined

  /** The text stored under `key`, or undefined. */
  get(key: string): Promise<string | undefined>

  /**
   * The texts stored under `keys`, in the order of the keys, with undefined for each absent key. Accepts 0 to
   * 1000 keys, which may repeat. Takes one round trip if the database allows it.
   */
  getMany(keys: readonly string[]): Promise<(string | undefined)[]>

  /** Stores `value` under `key`, overwrites an existing value, and resets its time to live. */
  set(key: string, value: string, ttl?: number): Promise<void>

  /**
   * Stores `value` only if `key` is absent. Atomic across all processes: of any number of concurrent calls
   * for an absent key, exactly one answers true. A call that answers false changes nothing, not even the time to
   * live.
   *
   * @returns whether it was stored
   */
  create(key: string, value: string, ttl?: number): Promise<boolean>

  /**
   * Stores `value` only if the text under `key` is exactly `expected`, and resets its time to live.
   * Atomic across all processes: of any number of concurrent calls that expect the same text, exactly one answers
   * true, unless `expected` equals `value`. Never creates an absent key. A call that answers false changes nothing.
   *
   * @returns whether it was stored
   */
  replace(key: string, expected: string, value: string, ttl?: number): Promise<boolean>

  /**
   * Deletes the value under `key`.
   *
   * @returns whether there was a value. Of any number of concurrent calls for a stored key, exactly one answers true
   */
  delete(key: string): Promise<boolean>

  /**
   * Adds `member` to the sorted index `index`; adding an existing member does not add it twice. The index lives at
   * least `ttl` seconds from now on: adding never shortens its life, and adding without `ttl` makes it permanent. The
   * whole index is deleted when its time has elapsed or its last member was removed. The next `add` creates a new index
   * with its own time to live. Every concurrent `add` takes effect, even while another call removes the last member.
   */
  add(index: string, member: string, ttl?: number): Promise<void>

  /** Removes `member` from `index`; does nothing if the member is absent. */
  remove(index: string, member: string): Promise<void>

  /**
   * Members of `index` in ascending order of their UTF-8 bytes. This order differs from the order of a
   * collation and of UTF-16 units: here U+FFFF comes before U+1F600. The list is empty if there is no such
   * index.
   *
   * @param options.after exclusive lower bound: any text, usually the last member of the previous page. That
   *   member may have been removed meanwhile
   * @param options.limit maximum number of members, 1 to 1000
   */
  range(index: string, options: { after?: string | undefined; limit: number }): Promise<string[]>

  /**
   * Sends `message` to all present subscribers of `channel` in every process, including the subscribers of
   * this store. Messages arrive at most once, in any order, and within milliseconds if the database allows
   * it. A lost connection may lose messages, so subscribers also poll the store. The promise settles without
   * waiting for the subscribers.
   */
  publish(channel: string, message: string): Promise<void>

  /**
   * Calls `listener` for each message on `channel` from now on, and continues after a lost connection. The
   * promise resolves once the subscription is active. A listener that throws or rejects affects nothing else.
   * A listener that was subscribed twice is called twice. The channel is an exact name, not a pattern.
   *
   * @param missed called after a lost connection, once the subscription is active again, because messages may have
   *   been lost. An adapter that does not notice lost connections never calls `missed`
   * @returns a function that ends only this subscription: once the function has settled, `listener` is not called any
   *   more. The function may be called repeatedly, after `close`, and within a listener
   */
  subscribe(
    channel: string,
    listener: (message: string) => void,
    missed?: () => void,
  ): Promise<() => Promise<void>>

  /**
   * Adds `amount` to the counter of `key`, and answers what all processes have counted. Optional: limits of calls,
   * and limits for one person, use it. Without it each process counts alone. Atomic across all processes. Time is
   * divided into slots of `slotSeconds`, which begin at multiples of `slotSeconds` since the epoch, by one clock for
   * all processes. `amount` is added to the present slot. The counter is absent once no slot of the last `slots`
   * slots has a count. A counter is lost with a server of the database, or may be counted once more than asked for if
   * an answer was lost, and no other data depends on it. The key of a counter never equals the key of a value or the
   * name of an index. `delete` of the key also deletes the counter, whatever it answers.
   *
   * @param amount a whole number from 0
   * @param options.slots the number of slots that are kept, 1 to 100
   * @param options.claim a whole number from 0: so much more is added, but only as much as the sum of all slots does
   *   not exceed `max`
   */
  count?(key: string, amount: number, options: CountOptions): Promise<SlotCounts>

  /** Resolves if the database answers. */
  ping(): Promise<void>

  /**
   * The state of the database, for `gatehouse.health()`. Optional. The status of a check is `unknown` if the check
   * could not be made, for example because a permission is missing. Rejects if the database cannot be reached.
   */
  inspect?(): Promise<StoreInspection>

  /**
   * Closes only what the adapter itself opened. It never closes a client that the host passed, or a
   * connection that other stores use. Idempotent; it settles even while the database is unavailable. Pending
   * calls resolve or reject. After `close`, every other method rejects, and no listener is called.
   */
  close(): Promise<void>
}

/** How a counter is divided into slots, and what is claimed. */
export interface CountOptions {
  readonly slotSeconds: number
  readonly slots: number
  readonly claim: number
  readonly max: number
}

/** What all processes have counted. */
export interface SlotCounts {
  /** The clock that decides about slots, in milliseconds since the epoch. */
  readonly time: number
  /** The counts of the present slot and of the slots before it, the newest first. */
  readonly counts: readonly number[]
  /** How much of `claim` was added. */
  readonly claimed: number
}

/** The state of a database. */
export interface StoreInspection {
  /**
   * The clock of the database in milliseconds since the epoch, read while `inspect` ran; undefined if the database has
   * no clock to compare.
   */
  readonly time?: number | undefined
  /**
   * The used share of the database's memory, from 0 to 1; with several servers, the share of the fullest server.
   * Undefined if the memory has no limit, or the database does not report the share. From 0.9 on, new sign-ins are
   * rejected, so that revocations can be written for as long as possible.
   */
  readonly usedShare?: number | undefined
  /** One check for each setting that matters. */
  readonly checks: readonly StoreCheck[]
}

/** The result of one check. */
export interface StoreCheck {
  /** The subject of the check, such as `eviction`, `persistence` or `replicas`. */
  readonly name: string
  /** `unknown` if the check could not be made. */
  readonly status: 'pass' | 'warn' | 'fail' | 'unknown'
  /** The finding, for an operator. Never contains keys or values of the store, or credentials. */
  readonly message: string
  /** What the operator should do; undefined if the check passes. */
  readonly remedy?: string | undefined
}
