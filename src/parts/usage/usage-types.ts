import type { Middleware } from 'koa'
import type { LastAddress } from './last-addresses.ts'
import type { Dimension, UsageRow } from './list-usage.ts'
import type { ReceiverOptions } from './receive-usage.ts'

/** Options of `createUsage()`. */
export interface UsageOptions {
  /**
   * Seconds between two writes of what this process has counted, 1 to 3600. A process that is killed loses the counts
   * of one interval at most. @default 10
   */
  readonly intervalSeconds?: number | undefined
  /** Days before today for which usage is kept by the hour, 1 to 31. @default 7 */
  readonly hourDays?: number | undefined
  /** Days for which usage is kept, 31 to 3660. @default 400 */
  readonly days?: number | undefined
  /**
   * Whether to keep the address from which each client last called the API, for 90 days. Addresses are personal data.
   * @default false
   */
  readonly keepAddresses?: boolean | undefined
}

/** Which usage is listed. */
export interface UsageQuery {
  /** Only calls of this API key or application. @default the calls of all clients */
  readonly clientId?: string | undefined
  /**
   * Only calls of the API keys and applications of this account, from its own record, which names its 100 busiest
   * clients, and deleted ones too. By `client` with `hour`, `day` or `operation`: of its present clients, from their records.
   */
  readonly accountId?: string | undefined
  /** At most 50. Only calls of these clients of the account `accountId`. @default its clients */
  readonly clientIds?: readonly string[] | undefined
  /** Epoch seconds. The list begins with the hour or the day of this time. @default 30 days before `to` */
  readonly from?: number | undefined
  /**
   * Epoch seconds. The list ends with the hour or the day of this time. Without `hour` and `day` in `by`, it begins and
   * ends with hours, where they are kept; with `client` of an account and without `operation`, with days. @default now
   */
  readonly to?: number | undefined
  /** What the rows are separated by. `client` needs `clientId` or `accountId`. @default ['day', 'outcome'] */
  readonly by?: readonly Dimension[] | undefined
}

/** A client and the number of its calls. */
export interface ClientCalls {
  readonly clientId: string
  readonly calls: number
}

/** Calls or token requests of a client that were rejected or failed for one reason. */
export interface ClientProblem extends Required<
  Pick<UsageRow, 'clientId' | 'kind' | 'result' | 'outcome' | 'count'>
> {
  /** The start of the hour of the last one (UTC), in epoch seconds. */
  readonly lastAt: number
}

/** Usage that was read once. Its lists read nothing. */
export interface ReadUsage {
  /**
   * As `list()` of `createUsage()`, for the time that was read. Of an account, `client` cannot be with `hour`, `day` or
   * `operation`.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`
   */
  list(query?: Pick<UsageQuery, 'by'>): readonly UsageRow[]
}

/** Lists which client called which operation, how often, and what became of the calls. Times are in UTC. */
export interface Usage {
  /** For how many days usage is kept, and for how many days before today by the hour. */
  readonly keeps: { readonly days: number; readonly hourDays: number }
  /**
   * Lists the calls and token requests that were stored, in the order of time, client, operation and outcome.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, also for hours that are not kept any more, and for a list of
   *   more than 10,000 rows; `ERR_STORE_UNAVAILABLE`
   */
  list(query?: UsageQuery): Promise<readonly UsageRow[]>
  /**
   * Reads the usage of all, of a client, or of an account from its own record, for several lists.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_STORE_UNAVAILABLE`
   */
  read(query?: Omit<UsageQuery, 'by' | 'clientIds'>): Promise<ReadUsage>
  /**
   * What was rejected or failed in the last 24 hours, by client, kind and outcome, the most first: of the clients of an
   * account that had the most of it since yesterday.
   *
   * @param options.limit the most rows, and the most clients: 1 to 50. @default 10
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_STORE_UNAVAILABLE`
   */
  problemsOf(
    accountId: string,
    options?: { readonly limit?: number | undefined },
  ): Promise<readonly ClientProblem[]>
  /**
   * The clients with the most calls and token requests, the most first. Each process keeps its 100 busiest clients of a
   * day, so a client that is just below them in every process is missing.
   *
   * @param options.limit 1 to 100. @default 20
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_STORE_UNAVAILABLE`
   */
  topClients(options?: {
    readonly from?: number | undefined
    readonly to?: number | undefined
    readonly limit?: number | undefined
  }): Promise<readonly ClientCalls[]>
  /**
   * The operations of the catalog that were not called for some days: by anyone, or by one client.
   *
   * @param options.days 1 to 3660. @default 90
   * @returns undefined if usage has been counted or is kept for fewer days, or if the bounds of what is counted were
   * reached
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_STORE_UNAVAILABLE`
   */
  uncalledOperations(options?: {
    readonly clientId?: string | undefined
    readonly days?: number | undefined
  }): Promise<readonly string[] | undefined>
  /** The address from which a client last called. Undefined if there is none, or without `keepAddresses`. */
  lastAddress(clientId: string): Promise<LastAddress | undefined>
  /**
   * Receives what gateways without the store have counted (`reportUsage`), at `{auth_url}/oauth2/usage`. Mount it
   * before body parsers.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options
   */
  middleware(options?: ReceiverOptions): Middleware
  /** Stores what this process has counted, without waiting for the interval. Never rejects. */
  flush(): Promise<void>
}
