/**
 * What the adapter asks of a client: a `Redis` or a `Cluster` of ioredis 5 or 6 fits, and so does anything
 * else of this shape.
 */
export interface RedisClient {
  /** Whether this is a client of a Redis Cluster. */
  readonly isCluster?: boolean | undefined
  readonly options?: { readonly db?: number | undefined; readonly keyPrefix?: string | undefined } | undefined
  get(key: string): Promise<string | null>
  set(key: string, value: string): Promise<unknown>
  set(key: string, value: string, ex: 'EX', seconds: number): Promise<unknown>
  set(key: string, value: string, nx: 'NX'): Promise<unknown>
  set(key: string, value: string, ex: 'EX', seconds: number, nx: 'NX'): Promise<unknown>
  del(key: string): Promise<unknown>
  zrem(key: string, member: string): Promise<unknown>
  zrangebylex(
    key: string,
    min: string,
    max: string,
    limit: 'LIMIT',
    offset: number,
    count: number,
  ): Promise<string[]>
  evalsha(sha1: string, keys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>
  eval(script: string, keys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>
  publish(channel: string, message: string): Promise<unknown>
  ping(): Promise<unknown>
  /** Told of connections that are lost: `close` of a single one, `-node` of one within a cluster. */
  on(event: 'close' | '-node', listener: () => void): unknown
  off(event: 'close' | '-node', listener: () => void): unknown
  /** Opens a connection with the same settings; a cluster takes its options second. */
  duplicate(first?: object, second?: object): RedisSubscriber
}

/** What the adapter asks of the connection that listens. */
export interface RedisSubscriber {
  subscribe(...channels: string[]): Promise<unknown>
  unsubscribe(...channels: string[]): Promise<unknown>
  on(event: 'message', listener: (channel: string, message: string) => void): unknown
  on(event: 'ready', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  disconnect(): void
}
