/** What the store needs of a Pool of `pg`. */
export interface PostgresPool {
  readonly options?: { readonly max?: number | undefined } | undefined
  connect(): Promise<PostgresConnection>
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'acquire', listener: (connection: PostgresConnection) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'acquire', listener: (connection: PostgresConnection) => void): unknown
}

/** What the store needs of a client that a pool of `pg` lends. */
export interface PostgresConnection {
  query(statement: PostgresStatement): Promise<{ readonly rows: readonly PostgresRow[] }>
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
  on(event: 'notice', listener: (notice: { readonly routine?: string | undefined }) => void): unknown
  on(event: 'error' | 'end', listener: () => void): unknown
  release(destroy?: boolean): void
}

/** One statement of `pg`. */
export interface PostgresStatement {
  readonly text: string
  readonly values?: unknown[]
  readonly name?: string
  /** Milliseconds after which the promise rejects. The statement may be applied all the same. */
  readonly query_timeout?: number
}

/** A row, by the names of its columns. A `bytea` is a Buffer or a Uint8Array. */
export type PostgresRow = Readonly<Record<string, unknown>>

/** Another driver than `pg`, such as PGlite. */
export interface PostgresClient {
  /** Runs one statement, with the values of `$1`, `$2` and so on. A Buffer is a `bytea`. */
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly PostgresRow[] }>
  /**
   * Calls `receive` with the payload of each notification on a channel, and `resumed` when it listens again after a
   * lost connection.
   *
   * @returns a function that ends this
   */
  listen(
    channel: string,
    receive: (payload: string) => void,
    resumed: () => void,
  ): Promise<() => Promise<void>>
}

/** How the store runs its statements. Only a pool prepares statements that have a name. */
export interface StatementRunner extends PostgresClient {
  query(text: string, values: unknown[], name?: string): Promise<{ readonly rows: readonly PostgresRow[] }>
}
