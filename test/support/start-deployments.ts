import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { announceServers, areServersAnnounced } from './deployments.ts'
import { Pool } from 'pg'
import { migratePostgres } from 'koa-gatehouse/adapters/postgres'
import { startPostgres } from './postgres-server.ts'
import { startRedisCluster } from './redis-cluster.ts'
import { startRedisSentinel } from './redis-sentinel.ts'
import { startRedis } from './redis-server.ts'
import { findProgram } from './required-programs.ts'
import { FOREIGN } from './sqlite.ts'
import { storesOfRun } from './stores-of-run.ts'

/** Runs before all tests. Starts the servers that the tests share, and stops them after the last test. */
export default async function startDeployments(): Promise<(() => Promise<void>) | undefined> {
  // Each Vitest project calls this function, but only the first call starts servers.
  if (areServersAnnounced()) return undefined
  const stores = storesOfRun()
  const need = (kind: string, program = 'redis-server') =>
    findProgram(program) !== undefined && stores.some((name) => name.split('-')[0] === kind)
  // A file system in memory, because no test of a flow cuts the power.
  const files = await mkdtemp(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'koa-gatehouse-'))
  const [redis, cluster, sentinel, postgres] = await Promise.all([
    need('redis') ? startRedis() : undefined,
    need('cluster') ? startRedisCluster() : undefined,
    need('sentinel') ? startRedisSentinel() : undefined,
    need('postgres', 'postgres') ? startMigratedPostgres() : undefined,
  ])
  announceServers({
    ...(redis && { redis: redis.url }),
    ...(postgres && { postgres: postgres.url }),
    ...(cluster && { cluster: cluster.addresses }),
    ...(sentinel && { sentinel: { sentinels: sentinel.addresses, name: sentinel.name } }),
    sqlite: { folder: files, foreign: FOREIGN },
  })
  return async () => {
    await Promise.all([redis?.stop(), cluster?.stop(), sentinel?.stop(), postgres?.stop()])
    await rm(files, { recursive: true })
  }
}

async function startMigratedPostgres() {
  const server = await startPostgres()
  const pool = new Pool({ connectionString: server.url })
  await migratePostgres({ pool })
  await pool.end()
  return server
}
