/** The databases of `stores.ts`. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { memoryStore } from '../adapters/memory.ts'
import { migratePostgres, postgresStore } from '../adapters/postgres.ts'
import { redisStore } from '../adapters/redis.ts'
import { sqliteStore } from '../adapters/sqlite.ts'
import type { Store } from '../src/store/contract.ts'
import { temporaryFolder } from '../test/support/package-copy.ts'
import { startPostgres } from '../test/support/postgres-server.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { sqliteDrivers, type OpenSqlite } from '../test/support/sqlite.ts'

/** How a process connects. JSON can write it. */
export interface StoreAddress {
  readonly kind: StoreKind
  /** Empty for the memory of the process. */
  readonly url: string
}

export interface StoreServer {
  readonly address: StoreAddress
  /** Whether several processes can use it. */
  readonly isShared: boolean
  /** The CPU time that the server has used, in milliseconds; 0 if there is no server. */
  cpuMs(): number
  /** The bytes of the stored data, without free space; undefined if it cannot be told. */
  bytes(): Promise<number | undefined>
  stop(): Promise<void>
}

/** Each writes a change to its disk before it confirms the change. */
export const SERVERS = {
  memory: startMemory,
  sqlite: startSqlite,
  postgres: startPostgresServer,
  redis: startRedisServer,
}

export type StoreKind = keyof typeof SERVERS

const OPEN: Readonly<Record<StoreKind, (url: string) => Store>> = {
  memory: () => memoryStore(),
  sqlite: (file) => sqliteStore(openFile(file)),
  postgres: (connectionString) =>
    postgresStore({ pool: new Pool({ connectionString, connectionTimeoutMillis: 1000 }) }),
  redis: (url) => redisStore(new Redis(url)),
}

export const openStore = ({ kind, url }: StoreAddress): Store => OPEN[kind](url)

async function startMemory(): Promise<StoreServer> {
  return {
    address: { kind: 'memory', url: '' },
    isShared: false,
    cpuMs: () => 0,
    bytes: async () => undefined,
    stop: async () => {},
  }
}

async function startSqlite(): Promise<StoreServer> {
  const { folder, remove } = await temporaryFolder('koa-gatehouse-bench')
  const file = path.join(folder, 'gatehouse.db')
  return {
    address: { kind: 'sqlite', url: file },
    isShared: true,
    // SQLite works in the process.
    cpuMs: () => 0,
    async bytes() {
      const database = openFile(file)
      database.exec('vacuum')
      const [row] = database
        .prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size')
        .all() as { bytes: number }[]
      database.close()
      return row?.bytes
    },
    stop: remove,
  }
}

/** @throws {Error} if this Node.js has no SQLite, and `test/foreign` no better-sqlite3 */
function openFile(file: string): OpenSqlite {
  const [driver] = sqliteDrivers(path.resolve('test/foreign/package.json'))
  if (driver === undefined) throw new Error('run: npm ci --prefix test/foreign')
  return driver.open(file)
}

async function startPostgresServer(): Promise<StoreServer> {
  const server = await startPostgres({ settings: { fsync: 'on', full_page_writes: 'on' } })
  const pool = new Pool({ connectionString: server.url })
  await migratePostgres({ pool })
  await pool.end()
  return {
    address: { kind: 'postgres', url: server.url },
    isShared: true,
    cpuMs: () => cpuMsOf(server.pid),
    async bytes() {
      for (const table of ['value', 'index', 'member']) await server.ask(`vacuum full gatehouse.${table}`)
      const [row] = await server.ask(`select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
        where relnamespace = 'gatehouse'::regnamespace and relkind = 'r'`)
      return Number(row?.['bytes'])
    },
    stop: () => server.stop(),
  }
}

async function startRedisServer(): Promise<StoreServer> {
  const server = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] })
  const redis = new Redis(server.url)
  return {
    address: { kind: 'redis', url: server.url },
    isShared: true,
    cpuMs: () => cpuMsOf(server.pid),
    async bytes() {
      const keys = await redis.keys('*')
      const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key)))
      return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
    },
    async stop() {
      redis.disconnect()
      await server.stop()
    },
  }
}

/** Of a process and of its children, those that have ended included. `/proc` counts in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return (
    own + (children === '' ? [] : children.split(' ')).reduce((sum, child) => sum + cpuMsOf(Number(child)), 0)
  )
}
