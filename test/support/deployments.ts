import path from 'node:path'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis-6'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { postgresStore } from 'koa-gatehouse/adapters/postgres'
import { redisStore, type RedisClient } from 'koa-gatehouse/adapters/redis'
import { sqliteStore } from 'koa-gatehouse/adapters/sqlite'
import type { Store } from 'koa-gatehouse'
import { Pool } from 'pg'
import { prefixedStore } from './prefixed-store.ts'
import { sqliteDrivers } from './sqlite.ts'
import type { Deployment, RedisDeployment } from './stores-of-run.ts'

/**
 * The addresses of the servers that a test run starts. A test run starts only the servers of the deployments
 * that TEST_STORES names.
 */
export interface Servers {
  readonly redis?: string
  readonly postgres?: string
  readonly cluster?: readonly Address[]
  readonly sentinel?: { readonly sentinels: readonly Address[]; readonly name: string }
  /** The folder of the files, and where better-sqlite3 is installed. */
  readonly sqlite?: { readonly folder: string; readonly foreign: string }
}

interface Address {
  readonly host: string
  readonly port: number
}

/** A store on a deployment (memory, Redis, cluster, Sentinel, PostgreSQL or SQLite), with its own connection. */
export interface DeployedStore {
  readonly store: Store
  /** Ends the connection. */
  disconnect(): void
}

/** The common part of the clients of ioredis 5 and 6. */
type Client = RedisClient & {
  on(event: 'error', listener: () => void): unknown
  disconnect(): void
}

const VARIABLE = 'KOA_GATEHOUSE_TEST_SERVERS'

/** Puts the servers' addresses into the environment. The workers start later and inherit the environment. */
export function announceServers(servers: Servers): void {
  process.env[VARIABLE] = JSON.stringify(servers)
}

/** Whether the servers of this test run have been started. */
export function areServersAnnounced(): boolean {
  return process.env[VARIABLE] !== undefined
}

function servers(): Required<Servers> {
  const announced = process.env[VARIABLE]
  if (announced === undefined) throw new Error('the global set-up of the tests has not run')
  return JSON.parse(announced) as Required<Servers>
}

/**
 * Creates a store whose keys and channels begin with `keyPrefix`. Stores with the same prefix share their
 * data, like the stores of several processes. A store in memory shares its data with no other store.
 */
export function deployStore(deployment: Deployment, keyPrefix: string): DeployedStore {
  if (deployment === 'memory') return { store: memoryStore(), disconnect() {} }
  if (deployment === 'postgres') {
    const pool = new Pool({
      connectionString: servers().postgres,
      max: 10,
      idleTimeoutMillis: 500,
      connectionTimeoutMillis: 20_000,
    })
    const store = postgresStore({ pool, timeoutMs: 20_000 })
    const disconnect = () => void store.close().then(() => pool.end())
    return { store: prefixedStore(store, keyPrefix), disconnect }
  }
  if (deployment === 'sqlite') return openSqlite(keyPrefix)
  const client = connectTo(deployment)
  return { store: redisStore(client, { keyPrefix }), disconnect: () => client.disconnect() }
}

/** Opens the file of a prefix. */
function openSqlite(prefix: string): DeployedStore {
  const { folder, foreign } = servers().sqlite
  const database = sqliteDrivers(foreign)[0]?.open(path.join(folder, prefix.replaceAll(/[^\w-]/g, '')))
  if (database === undefined) throw new Error('no driver of SQLite is installed')
  return { store: sqliteStore(database), disconnect: () => database.close() }
}

/**
 * Connects to a deployment of this test run.
 *
 * @param options settings of the connection to each server
 */
export function connectTo(deployment: RedisDeployment, options: RedisOptions = {}): Client {
  const client = CONNECT[deployment](servers(), options)
  // The listener ignores errors, because each call on a broken connection reports the error.
  client.on('error', () => {})
  return client
}

const CONNECT: Readonly<
  Record<RedisDeployment, (servers: Required<Servers>, options: RedisOptions) => Client>
> = {
  redis: ({ redis }, options) => new Redis(redis, options),
  'redis-6': ({ redis }, options) => new Redis6(redis, options as object),
  cluster: ({ cluster }, { enableOfflineQueue = true, ...redisOptions }) =>
    new Cluster([...cluster], { enableOfflineQueue, redisOptions }),
  'cluster-6': ({ cluster }, { enableOfflineQueue = true, ...redisOptions }) =>
    new Cluster6([...cluster], { enableOfflineQueue, redisOptions: redisOptions as object }),
  sentinel: ({ sentinel: { sentinels, name } }, options) =>
    new Redis({ ...options, sentinels: [...sentinels], name }),
  'sentinel-6': ({ sentinel: { sentinels, name } }, options) =>
    new Redis6({ ...(options as object), sentinels: [...sentinels], name }),
}
