import { announceServers, areServersAnnounced } from './deployments.ts'
import { Pool } from 'pg'
import { migratePostgres } from 'koa-gatehouse/adapters/postgres'
import { startPostgres } from './postgres-server.ts'
import { startRedisCluster } from './redis-cluster.ts'
import { startRedisSentinel } from './redis-sentinel.ts'
import { startRedis } from './redis-server.ts'
import { findProgram } from './required-programs.ts'
import { storesOfRun } from './stores-of-run.ts'

/** Runs before all tests. Starts the servers that the tests share, and stops them after the last test. */
export default async function startDeployments(): Promise<(() => Promise<void>) | undefined> {
  // Each Vitest project calls this function, but only the first call starts servers.
  if (areServersAnnounced()) return undefined
  const stores = storesOfRun()
  const need = (kind: string, program = 'redis-server') =>
    findProgram(program) !== undefined && stores.some((name) => name.split('-')[0] === kind)
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
  })
  return async () => {
    await Promise.all([redis?.stop(), cluster?.stop(), sentinel?.stop(), postgres?.stop()])
  }
}

async function startMigratedPostgres() {
  const server = await startPostgres()
  const pool = new Pool({ connectionString: server.url })
  await migratePostgres({ pool })
  await pool.end()
  return server
}
