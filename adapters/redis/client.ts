/** A command of Redis as it is sent: its name, and then its arguments. */
export type RedisCommand = [name: string, ...args: (string | number)[]]

/** What `exec()` of ioredis answers for each command of a pipeline. */
export type PipelineReply = [error: Error | null, reply: unknown]

/**
 * What the adapter asks of a client: a `Redis` or a `Cluster` of ioredis 5 or 6 fits, and so does anything
 * else of this shape.
 */
export interface RedisClient extends RedisServerClient {
  /** Whether this is a client of a Redis Cluster. */
  readonly isCluster?: boolean | undefined
  readonly options?: RedisClientOptions | undefined
  /** `end` when it has been closed. */
  readonly status?: string | undefined
  /** Sends commands together; a pipeline of one follows the redirections of a cluster. */
  pipeline(commands: RedisCommand[]): { exec(): Promise<PipelineReply[] | null> }
  /** Opens a connection with the same settings. */
  duplicate(override?: object): RedisConnection
  /**
   * Told of connections that are lost: `close` of a single one, `-node` of one within a cluster; and when it has been
   * closed: `end`.
   */
  on(event: 'close' | 'end', listener: () => void): unknown
  on(event: '+node' | '-node', listener: (node: RedisNode) => void): unknown
  off(event: 'close' | 'end', listener: () => void): unknown
  off(event: '+node' | '-node', listener: (node: RedisNode) => void): unknown
  /** The nodes of a cluster that are known, replicas among them unless `master` is asked for. */
  nodes?(role?: 'master'): RedisNode[]
  /** Who serves the slots of a cluster, as `host:port`: the master first. */
  readonly slots?: readonly (readonly string[] | undefined)[] | undefined
}

/** What takes commands: a client, or the connection of a cluster's client to one node. */
export interface RedisServerClient {
  readonly options?: { readonly host?: string | undefined; readonly port?: number | undefined } | undefined
  call(command: string, ...args: (string | number)[]): Promise<unknown>
}

/** The settings of a client that mean something to the adapter. */
export interface RedisClientOptions {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly db?: number | undefined
  readonly keyPrefix?: string | undefined
  readonly commandTimeout?: number | undefined
  /** Of a Sentinel client: which servers it connects to. */
  readonly role?: unknown
  /** Of a cluster: which nodes it reads from. */
  readonly scaleReads?: unknown
  /** Of a cluster: where nodes are that call themselves something else. */
  readonly natMap?: unknown
}

/** One node of a cluster, as the client knows it. */
export interface RedisNode extends RedisServerClient {
  duplicate(override?: object): RedisConnection
  on(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

/** What the adapter asks of the connections that it opens itself. */
export interface RedisConnection {
  /** `ready` when commands are answered, `end` when it is over for good. */
  readonly status: string
  readonly options?: RedisClientOptions | undefined
  pipeline(commands: RedisCommand[]): { exec(): Promise<PipelineReply[] | null> }
  subscribe(...channels: string[]): Promise<unknown>
  unsubscribe(...channels: string[]): Promise<unknown>
  on(event: 'message', listener: (channel: string, message: string) => void): unknown
  on(event: 'ready' | 'end', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  disconnect(): void
}
