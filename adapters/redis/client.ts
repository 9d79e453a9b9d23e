/** A Redis command: its name, then its arguments. */
export type RedisCommand = [name: string, ...args: (string | number)[]]

/** The result of one command in `exec()` of an ioredis pipeline. */
export type PipelineReply = [error: Error | null, reply: unknown]

/** The part of a client that the adapter uses. A `Redis` or a `Cluster` of ioredis 5 or 6 has it. */
export interface RedisClient extends RedisServerClient {
  /** Whether this is a client of a Redis Cluster. */
  readonly isCluster?: boolean | undefined
  readonly options?: RedisClientOptions | undefined
  /** `connecting` and then `connect` until the first command can be sent; `end` after the client was closed. */
  readonly status?: string | undefined
  /** Connects a client that has ended. */
  connect?(): Promise<unknown>
  /** Sends commands together; a pipeline of one command follows the redirections of a cluster. */
  pipeline(commands: RedisCommand[]): { exec(): Promise<PipelineReply[] | null> }
  /** Opens a connection with the settings of this client. */
  duplicate(override?: object): RedisConnection
  /**
   * `connecting`: an attempt to connect begins. `ready`: commands can be sent. `close`: the connection was lost, or the
   * attempt failed. `-node`: the client has lost a node of its cluster. `end`: the client is closed.
   */
  on(event: 'connecting' | 'ready' | 'close' | 'end', listener: () => void): unknown
  on(event: '+node' | '-node', listener: (node: RedisNode) => void): unknown
  on(event: 'node error' | symbol, listener: (error: unknown) => void): unknown
  off(event: 'node error' | symbol, listener: (error: unknown) => void): unknown
  off(event: 'connecting' | 'ready' | 'close' | 'end', listener: () => void): unknown
  off(event: '+node' | '-node', listener: (node: RedisNode) => void): unknown
  /** The known nodes of a cluster, with replicas unless `role` is `master`. */
  nodes?(role?: 'master'): RedisNode[]
  /** The nodes that serve each slot of a cluster, as `host:port`: the master first. */
  readonly slots?: readonly (readonly string[] | undefined)[] | undefined
}

/** A receiver of commands: a client, or the connection of a cluster's client to one node. */
export interface RedisServerClient {
  readonly options?: { readonly host?: string | undefined; readonly port?: number | undefined } | undefined
  call(command: string, ...args: (string | number)[]): Promise<unknown>
}

/** The settings of a client that the adapter reads. */
export interface RedisClientOptions {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly db?: number | undefined
  readonly keyPrefix?: string | undefined
  readonly commandTimeout?: number | undefined
  /** The role of the servers to which a Sentinel client connects. */
  readonly role?: unknown
  /** The nodes from which the client of a cluster reads. */
  readonly scaleReads?: unknown
  /** Maps the announced addresses of a cluster's nodes to reachable addresses. */
  readonly natMap?: unknown
}

/** One node of a cluster, as the client knows it. */
export interface RedisNode extends RedisServerClient {
  duplicate(override?: object): RedisConnection
  on(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

/** The part of a connection that the adapter uses. The type describes the connections that the adapter opens itself. */
export interface RedisConnection {
  /** `ready` when commands are answered, `end` when the connection is closed for good. */
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
