/**
 * The storage that koa-gatehouse stands on: text in, text out, nothing about OAuth. An adapter for another
 * database implements these methods, and proves itself with `storeContract` from `koa-gatehouse/testing`, which has a
 * case for each promise that can be seen from outside.
 *
 * **Texts.** Keys, names of indexes, members, values, channels and messages are non-empty strings of well-formed
 * Unicode: U+0000 and every plane, no lone surrogates, which UTF-8 cannot hold. They are stored as they are and
 * compared character by character: neither letter case nor normal forms nor spaces at the end are alike. Characters
 * are counted as `length` counts them, in UTF-16 units:
 *
 * | what                          | usual                | at most   |
 * | ----------------------------- | -------------------- | --------- |
 * | key, name of index or channel | 60                   | 512       |
 * | value                         | 200 to 4,000         | 1,000,000 |
 * | member, message               | 60                   | 100,000   |
 * | members of an index           | up to some thousands | unlimited |
 *
 * Keys of values and names of indexes never coincide. The largest indexes list all API keys, all applications, and
 * the revocations of an hour; any may be asked for by pages of 1000.
 *
 * **Consistency.** Each key, and each index, is linearizable: once a write has settled, every read that begins later,
 * in any process, sees it. Reads of replicas that lag break this. Nothing is promised across keys: `getMany` is no
 * snapshot, and there are no transactions. All methods may be called at any time, any number of them at once.
 *
 * **Time.** `ttl` is in whole seconds, 1 to a century; `undefined` means: kept until deleted. A value whose `ttl`
 * has elapsed is absent for every method from that moment on, by one clock, best that of the database; when its room
 * is freed is the adapter's affair, but it must be: most of what is written expires.
 *
 * **Failures.** A method that cannot reach the database rejects with an Error, it neither throws nor answers "absent",
 * `false` or nothing instead; and once the database is there again, the same store goes on. Whether a write that
 * rejected was applied is not known, and callers read before they conclude anything. So a driver that sends a
 * command again by itself must not answer `false` for what its first attempt did: then it rejects. Each call is given
 * up after `storeTimeoutMs`; an adapter needs no deadline of its own, but should not write long after.
 *
 * **What it costs.** An API call asks nothing of the store. A token request makes a handful of calls, nearly all `get`,
 * `getMany`, `create` and `replace` of single keys, and `add`; these are the ones to make fast. `range`, `remove` and
 * `delete` belong to lists, withdrawal and tidying up. Each process has a few subscriptions, begun at its start, and
 * a message goes out with each revocation and change of keys or products.
 *
 * Methods are called on the store, so that it may be an object of a class.
 */
export interface Store {
  /** True if everything is gone when the process ends, and no other process sees it; it needs no `secret`. */
  readonly volatile?: boolean | undefined

  /**
   * The same data through methods whose writes settle only once they are as safe from the loss of a server as the
   * adapter was told to make them, for what must not be lost: that something was used up or taken back, keys, clients.
   * A write that is not that safe in time rejects like any other that failed, and may have been applied; so does a
   * `delete` of what is gone already, which may be so by one that was not that safe. Left out where all writes are alike. It keeps every promise of this interface, and what one of the two has written the
   * other one sees; it ends when the store itself is closed, and its own `close` is never called.
   *
   * What is written through the store itself may be lost with a server: then somebody signs in once more.
   * For a SQL database all writes are alike if each commit is on disk, and on a standby, before it is answered. Only
   * where the adapter is told to commit without waiting for that (`synchronous_commit = off`), `durable` is what
   * waits.
   */
  readonly durable?: Store | undefined

  /** The text stored under `key`, or undefined. */
  get(key: string): Promise<string | undefined>

  /**
   * The texts stored under `keys`, in their order, undefined where absent. Up to 1000 keys, which may repeat, or none;
   * one round trip if the database can.
   */
  getMany(keys: readonly string[]): Promise<(string | undefined)[]>

  /** Stores `value` under `key`, whatever was there, and sets its time to live anew. */
  set(key: string, value: string, ttl?: number): Promise<void>

  /**
   * Stores `value` only if `key` is absent. Atomic across all processes: of any number of concurrent calls
   * exactly one answers true. Where it answers false, nothing has changed, the time to live neither.
   *
   * @returns whether it was stored
   */
  create(key: string, value: string, ttl?: number): Promise<boolean>

  /**
   * Stores `value` only if the text under `key` is exactly `expected`, and sets its time to live anew.
   * Atomic across all processes: of any number of concurrent calls that expect the same text exactly one answers
   * true, unless it is its own `value`. Never brings an absent key back. Where it answers false, nothing has changed.
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
   * permanent. It goes as a whole, when its time has elapsed or its last member was removed; the next `add` begins
   * another one, with a life of its own. Of concurrent calls each counts, also beside one that removes what was the
   * last member.
   */
  add(index: string, member: string, ttl?: number): Promise<void>

  /** Takes `member` out of `index`; nothing happens if it is not there. */
  remove(index: string, member: string): Promise<void>

  /**
   * Members of `index` in ascending order of their UTF-8 bytes, which is neither that of a collation nor that of
   * UTF-16: U+FFFF comes before U+1F600. None if there is no such index.
   *
   * @param options.after exclusive lower bound: the last member of the page before, which may have been removed
   *   since, or any other text
   * @param options.limit members at most, 1 to 1000
   */
  range(index: string, options: { after?: string | undefined; limit: number }): Promise<string[]>

  /**
   * Sends `message` to all who listen to `channel` now, in every process, this store included: at most once, in any
   * order. While all connections last it arrives, within milliseconds if the database can; where one is lost it may be
   * lost, and whoever listens looks into the store from time to time. Settles without waiting for who listens.
   */
  publish(channel: string, message: string): Promise<void>

  /**
   * Calls `listener` for each message on `channel` from now on, after a lost connection too. The promise
   * settles once listening is certain. One that throws or rejects disturbs nobody, and one that is given twice
   * is called twice. A channel is a name like any other, no pattern.
   *
   * @param missed called when messages may have been lost because the connection was, once listening is certain
   *   again; an adapter that cannot know never calls it
   * @returns a function that ends the subscription, and no other: once it has settled `listener` is not called any
   *   more. It may be called again and after `close`, and within a listener
   */
  subscribe(
    channel: string,
    listener: (message: string) => void,
    missed?: () => void,
  ): Promise<() => Promise<void>>

  /** Settles if the database answers. */
  ping(): Promise<void>

  /**
   * What the database says about itself, for `gatehouse.health()`. Left out where there is nothing to say; what could
   * not be looked at, for want of a permission perhaps, is `unknown`. Rejects where the database cannot be reached.
   */
  inspect?(): Promise<StoreInspection>

  /**
   * Ends what the adapter itself opened: never a client that was handed to it, nor what other stores on the database
   * use. Idempotent, and settles while the database is away, too. Calls that are under way settle one way or the
   * other; afterwards every other method rejects, and no listener is called.
   */
  close(): Promise<void>
}

/** What a database says about itself. */
export interface StoreInspection {
  /** Its clock in milliseconds since the epoch, read while `inspect` ran; undefined if it has none to compare with. */
  readonly time?: number | undefined
  /**
   * The share of its memory that is used, from 0 to 1; of several servers, that of the fullest one. Undefined where
   * there is no limit, or it does not tell. From 0.9 on strangers begin nothing new, so that the last write that fails
   * is that of a revocation.
   */
  readonly usedShare?: number | undefined
  /** How fit it is for what is stored, setting by setting. */
  readonly checks: readonly StoreCheck[]
}

/** One thing that was looked at. */
export interface StoreCheck {
  /** Such as `eviction`, `persistence`, `replicas`. */
  readonly name: string
  /** `unknown` where it could not be looked at. */
  readonly status: 'good' | 'warning' | 'bad' | 'unknown'
  /** What was found, for a person. Neither keys nor values of the store, nor credentials. */
  readonly message: string
  /** What to do about it, where it is not good. */
  readonly fix?: string | undefined
}
