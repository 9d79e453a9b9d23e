import {
  checkInput,
  functionRule,
  must,
  optional,
  wholeNumber,
  type Fields,
  type Rule,
} from '../../src/validation/rules.ts'
import type { PostgresClient, PostgresPool } from './client.ts'

/** The options of `postgresStore` with a Pool of `pg`. */
export interface PostgresPoolOptions extends PostgresSettings {
  /** One of its connections listens to messages, so it needs two at least. */
  readonly pool: PostgresPool
  /**
   * Milliseconds that a call waits for a free connection of the pool and for its answer. Use the same value as for
   * `storeTimeoutMs`. @default 1000
   */
  readonly timeoutMs?: number | undefined
}

/** The options of `postgresStore` with another driver, such as PGlite. */
export interface PostgresClientOptions extends PostgresSettings, PostgresClient {}

interface PostgresSettings {
  /**
   * The schema of the tables: small letters, digits and `_`. Services with different schemas share no data.
   * @default 'gatehouse'
   */
  readonly schema?: string | undefined
}

const isName = (value: unknown) => typeof value === 'string' && /^[a-z][a-z\d_]{0,39}$/.test(value)
const schema = optional(must('a name of 1 to 40 small letters, digits and _, with a letter first', isName))

const pool: Rule = (value) => {
  const { connect, options } = Object(value) as Partial<PostgresPool>
  if (typeof connect !== 'function') return 'must be a Pool of pg: new Pool({ connectionString })'
  const isTooSmall = options?.max !== undefined && options.max < 2
  return isTooSmall ? 'must have two connections at least: one listens. Set its option `max`' : undefined
}

/** Checks the options of a function. @throws {GatehouseError} `ERR_OPTIONS` */
export function requireOptions(name: 'postgresStore' | 'migratePostgres', options: object): void {
  const listen = name === 'postgresStore' ? functionRule : optional(functionRule)
  const fields: Fields =
    'query' in Object(options) && !('pool' in options)
      ? { schema, query: functionRule, listen }
      : { schema, pool, timeoutMs: optional(wholeNumber(1, 60_000)) }
  checkInput(`the options of ${name} are not valid`, options, fields, 'ERR_OPTIONS')
}
