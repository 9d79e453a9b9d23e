import { GatehouseError, storeUnavailable } from '../../src/errors.ts'

/** An open database: `Database` of better-sqlite3, or `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  exec(sql: string): unknown
  prepare(sql: string): {
    run(...values: (Uint8Array | number | null)[]): { readonly changes: number | bigint }
    all(...values: (Uint8Array | number | null)[]): unknown[]
  }
}

const VERSION = 1

/** Milliseconds since the epoch. All processes of a machine have the same clock. */
export const NOW = `cast(round(unixepoch('subsec') * 1000) as integer)`
/** When a row expires; its parameter has the seconds, or null. */
export const UNTIL = `coalesce(${NOW} + 1000 * ?, 9e15)`
export const LIVE = `expires_at > ${NOW}`
export const EXPIRED = `expires_at <= ${NOW}`

/** A commit waits for the disk. A driver that waited for a busy file would hold the event loop. */
const SETTINGS = 'pragma busy_timeout = 0; pragma synchronous = full; pragma fullfsync = on'

/** All texts are BLOBs, which SQLite compares byte by byte. */
const TABLES = `
create table if not exists gatehouse_schema (version integer not null);
insert into gatehouse_schema select ${VERSION} where not exists (select 1 from gatehouse_schema);
create table if not exists gatehouse_value (key blob primary key, value blob not null, expires_at integer not null);
create index if not exists gatehouse_value_expires_at on gatehouse_value (expires_at);
create table if not exists gatehouse_index (id integer primary key, name blob unique, expires_at integer not null);
create index if not exists gatehouse_index_expires_at on gatehouse_index (expires_at);
create table if not exists gatehouse_member (
  index_id integer not null, member blob not null, primary key (index_id, member)) without rowid;
create table if not exists gatehouse_message (
  id integer primary key autoincrement, channel blob not null, message blob not null, expires_at integer not null);`

/** @throws {GatehouseError} `ERR_OPTIONS` if the argument is no open database, or its data is in memory */
export function fileOf(database: SqliteDatabase): string {
  const { exec, prepare } = Object(database) as Partial<SqliteDatabase>
  if (!exec || !prepare) {
    const message = 'sqliteStore takes an open database of better-sqlite3 or node:sqlite, not its path'
    throw new GatehouseError('ERR_OPTIONS', message)
  }
  const file = createQueries(database).rows('pragma database_list')[0]?.['file']
  if (typeof file === 'string' && file !== '') return file
  throw new GatehouseError('ERR_OPTIONS', 'sqliteStore needs a file; for data in memory, use memoryStore()')
}

/** Prepares the connection and the file. Idempotent. @throws an error of the driver, also if the file is busy */
export function setUp(database: SqliteDatabase, { rows }: Queries, transaction: (work: () => void) => void) {
  database.exec(SETTINGS)
  if (rows('pragma journal_mode = wal')[0]?.['journal_mode'] !== 'wal') {
    throw storeUnavailable('SQLite cannot keep a write-ahead log (WAL) for this file: put it on a local disk')
  }
  transaction(() => {
    database.exec(TABLES)
    if (Number(rows('select version from gatehouse_schema')[0]?.['version']) === VERSION) return
    throw storeUnavailable('a later version of koa-gatehouse has changed the SQLite file: use that version')
  })
}

/** Compiles each statement once. Texts become BLOBs, and undefined becomes null. */
export function createQueries(database: SqliteDatabase) {
  const statements = new Map<string, ReturnType<SqliteDatabase['prepare']>>()

  function prepared(sql: string) {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  type Values = readonly (string | number | undefined)[]
  const bind = (values: Values) =>
    values.map((value) => (typeof value === 'string' ? Buffer.from(value) : (value ?? null)))
  return {
    /** @returns how many rows were changed */
    change: (sql: string, ...values: Values) => Number(prepared(sql).run(...bind(values)).changes),
    rows: (sql: string, ...values: Values) =>
      prepared(sql).all(...bind(values)) as Readonly<Record<string, unknown>>[],
  }
}

export type Queries = ReturnType<typeof createQueries>
