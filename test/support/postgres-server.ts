import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from './free-port.ts'
import { spawnGuard } from './redis-process.ts'
import { findProgram } from './required-programs.ts'

/** A PostgreSQL on 127.0.0.1 that only one test file uses. */
export interface PostgresServer {
  readonly port: number
  /** Process id of the running server, or of the server that ran last. */
  readonly pid: number
  /** The address for the user who owns the server: `postgres://postgres@127.0.0.1:port/postgres`. */
  readonly url: string
  /** Runs an SQL text as this user, and returns the rows of its last statement. */
  ask(sql: string): Promise<Record<string, unknown>[]>
  /** Stops the server and removes its files. Idempotent. */
  stop(): Promise<void>
  /** Ends the server as a crash does. */
  kill(): Promise<void>
  /** Freezes all processes of the server: connections stay open, and no statement is answered. */
  pause(): void
  /** Lets the server continue after `pause()`. */
  resume(): void
  /** Ends the server as a crash does, and starts it again on the same port and the same data. */
  restart(): Promise<void>
  /** Starts a standby of this server, whose name for `synchronous_standby_names` is `standby`. */
  startStandby(): Promise<PostgresServer>
}

/** How a PostgreSQL is started. */
export interface PostgresSettings {
  /** Settings of postgresql.conf. By default nothing waits for the disk, because a test seldom needs that. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  /** The folder in which the data is stored, also that of standbys. @default a new folder of the system's folder for temporary files */
  readonly below?: string | undefined
}

const FAST = { fsync: 'off', full_page_writes: 'off' }

/** Starts a new PostgreSQL, and waits until it answers. The server ends when this process ends in any way. */
export async function startPostgres({ settings, below }: PostgresSettings = {}): Promise<PostgresServer> {
  const folder = newFolder(below)
  run('initdb', ['-D', path.join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8'])
  return serve(folder, { settings, below })
}

async function serve(folder: string, { settings = {}, below }: PostgresSettings): Promise<PostgresServer> {
  let port = 0
  let running: ChildProcess | undefined
  // If another process takes the port before the server does, the next attempt uses another port.
  for (let attempt = 0; attempt < 6 && !running; attempt += 1) {
    port = await freePort()
    running = await launch(folder, port, settings)
  }
  if (!running) throw new Error('postgres does not start')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`

  async function end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const ending = running
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const exited = new Promise((resolve) => ending.once('exit', resolve))
    ending.ref()
    ending.kill(signal)
    signalAll(ending.pid, 'SIGCONT')
    await exited
  }

  return {
    port,
    url,
    get pid() {
      return running?.pid ?? 0
    },
    async ask(sql) {
      const client = new Client(url)
      await client.connect()
      try {
        const result: unknown = await client.query(sql)
        return (Array.isArray(result) ? result.at(-1) : result).rows as Record<string, unknown>[]
      } finally {
        await client.end()
      }
    },
    async stop() {
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
    kill: () => end('SIGQUIT'),
    pause: () => signalAll(running?.pid, 'SIGSTOP'),
    resume: () => signalAll(running?.pid, 'SIGCONT'),
    async restart() {
      await end('SIGQUIT')
      running = await launch(folder, port, settings)
      if (!running) throw new Error(`postgres does not start again on port ${port}`)
    },
    async startStandby() {
      const standby = newFolder(below)
      run('pg_basebackup', [
        '-d',
        url,
        '-D',
        path.join(standby, 'data'),
        '-R',
        '--checkpoint=fast',
        '--no-sync',
      ])
      return serve(standby, { settings: { ...settings, cluster_name: 'standby' }, below })
    },
  }
}

/** PostgreSQL does not run as root. Debian's package has a user for it. */
function serverUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function newFolder(below = tmpdir()): string {
  const folder = mkdtempSync(path.join(below, 'gatehouse-postgres-'))
  const { uid, gid } = serverUser()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  return folder
}

function run(program: string, args: readonly string[]): void {
  execFileSync(findProgram(program) ?? program, args, { ...serverUser(), cwd: '/', stdio: 'pipe' })
}

/** @returns undefined if the server exited, because another process has the port */
async function launch(
  folder: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<ChildProcess | undefined> {
  const all = { ...FAST, max_connections: '1000', unix_socket_directories: '', ...settings }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const args = ['-D', path.join(folder, 'data'), '-p', String(port), '-h', '127.0.0.1', ...options]
  const server = spawn(findProgram('postgres') ?? 'postgres', args, {
    ...serverUser(),
    cwd: '/',
    stdio: 'ignore',
  })
  const guard = spawnGuard(server.pid ?? 0, folder)
  server.once('exit', () => guard.kill('SIGKILL'))
  for (let attempt = 0; attempt < 1500 && server.exitCode === null; attempt += 1) {
    if (await answers(port, server.pid)) {
      server.unref()
      return server
    }
    await delay(20)
  }
  server.kill('SIGQUIT')
  return undefined
}

/** Whether this server, and no other server on the port, answers. */
async function answers(port: number, pid: number | undefined): Promise<boolean> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ text: string }>(`select pg_read_file('postmaster.pid') as text`)
    return Number.parseInt(rows[0]?.text ?? '', 10) === pid
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** Each connection has a process of its own. A frozen server makes no new ones. */
function signalAll(pid: number | undefined, signal: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid === undefined) return
  process.kill(pid, signal)
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  for (const child of children === '' ? [] : children.split(' ')) {
    try {
      process.kill(Number(child), signal)
    } catch {
      // The connection has ended meanwhile.
    }
  }
}
