/** A PostgreSQL of a run: a primary whose commits wait for a standby, behind an address that moves to the standby. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'pg'
import { migratePostgres } from '../../adapters/postgres.ts'
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import type { ProofStore } from './stores.ts'

/** Large enough for a standby and its WAL. */
const DISK_BYTES = 400_000_000
const ON_DISK = { fsync: 'on', full_page_writes: 'on', max_wal_size: '64MB' }

export async function startPostgresStore(): Promise<ProofStore> {
  const disk = mountDisk()
  let primary = await startPostgres({ settings: ON_DISK, below: disk?.folder })
  const migrating = new Pool({ connectionString: primary.url })
  await migratePostgres({ pool: migrating })
  await migrating.end()
  let standby = await follow(primary)
  const proxies: TcpProxy[] = []

  async function failOver(): Promise<void> {
    const old = primary
    await old.kill()
    await standby.ask('select pg_promote()')
    primary = standby
    for (const proxy of proxies) proxy.retarget(primary.port)
    await old.stop()
    standby = await follow(primary)
  }

  return {
    isReplicated: true,
    beyond: [],
    async link() {
      const proxy = await startTcpProxy(primary.port)
      proxies.push(proxy)
      const postgresUrl = primary.url.replace(String(primary.port), String(proxy.port))
      return { address: { addresses: [], postgresUrl }, proxies: [proxy] }
    },
    faults: {
      'primary-replaced': failOver,
      'primary-restarted': async (random) => {
        await primary.kill()
        await delay(random.below(1500))
        await primary.restart()
        await confirmed(primary)
      },
      'primary-frozen': (random) => frozen(primary, 500 + random.below(2500)),
      'standby-frozen': (random) => frozen(standby, 500 + random.below(2500)),
      'connections-ended': async () => {
        await primary.ask(`select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()`)
      },
      ...(disk && {
        'disk-full': async (random) => {
          const full = disk.fill()
          await delay(500 + random.below(2500))
          full.end()
          // Without space for its WAL, PostgreSQL ends, and its postmaster may not start it again.
          await Promise.all([primary, standby].map(answering))
          await confirmed(primary)
        },
      }),
    },
    async stop() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
      await Promise.all([primary.stop(), standby.stop()])
      disk?.unmount()
    },
  }
}

/** Starts a standby, and lets commits wait for it from then on. */
async function follow(primary: PostgresServer): Promise<PostgresServer> {
  const standby = await primary.startStandby()
  await primary.ask(`alter system set synchronous_standby_names = 'standby'`)
  await primary.ask('select pg_reload_conf()')
  await confirmed(primary)
  return standby
}

function confirmed(primary: PostgresServer): Promise<void> {
  return until(
    async () => {
      const [row] = await primary.ask('select sync_state from pg_stat_replication')
      if (row?.['sync_state'] !== 'sync') throw new Error('the standby does not follow')
    },
    { timeoutMs: 60_000 },
  )
}

function answering(server: PostgresServer): Promise<unknown> {
  return until(() => server.ask('select 1'), { timeoutMs: 3000 }).catch(() => server.restart())
}

async function frozen(server: PostgresServer, milliseconds: number): Promise<void> {
  server.pause()
  await delay(milliseconds)
  server.resume()
}

/** A small disk for all servers. Undefined without the right to mount one. */
function mountDisk() {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=777`, 'tmpfs', folder], {
      stdio: 'pipe',
    })
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
  return {
    folder,
    fill() {
      const file = path.join(folder, 'full')
      try {
        writeFileSync(file, Buffer.alloc(DISK_BYTES))
      } catch {
        // The disk is full.
      }
      return { end: () => rmSync(file, { force: true }) }
    },
    unmount() {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    },
  }
}
