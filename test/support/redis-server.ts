import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe } from 'vitest'
import { findProgram } from './required-programs.ts'

/** A Redis of the test's own on 127.0.0.1. */
export interface RedisServer {
  readonly port: number
  /** `redis://127.0.0.1:port` */
  readonly url: string
  /** Process id of the server that runs now. */
  readonly pid: number
  /** Ends it and removes its files. Idempotent. */
  stop(): Promise<void>
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>
  /** Freezes it: connections stay open and nothing answers. */
  pause(): void
  /** Lets it go on after `pause()`. */
  resume(): void
  /** Ends it if it runs and starts it again on the same port, empty unless its arguments say otherwise. */
  restart(): Promise<void>
}

/** A `describe` that is skipped where redis-server is missing; the end of the run says so. */
export function describeWithRedis(name: string, suite: () => void): void {
  describe.skipIf(findProgram('redis-server') === undefined)(name, suite)
}

/**
 * Starts a Redis that keeps nothing on disk, and waits until it answers. It ends with this process, however
 * that ends.
 *
 * @param options.args further arguments of redis-server: `['--appendonly', 'yes']`
 */
export async function startRedis({ args = [] }: { args?: readonly string[] } = {}): Promise<RedisServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-redis-'))
  let port = await freePort()
  let server = await launch(port, folder, args)
  // Somebody else may have taken the port in the meantime.
  for (let attempt = 0; server === undefined && attempt < 5; attempt += 1) {
    port = await freePort()
    server = await launch(port, folder, args)
  }
  if (!server) throw new Error('redis-server does not start')
  let running = server

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return running.pid
    },
    async stop() {
      await running.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
    kill: () => running.end('SIGKILL'),
    pause: () => void process.kill(running.pid, 'SIGSTOP'),
    resume: () => void process.kill(running.pid, 'SIGCONT'),
    async restart() {
      await running.end('SIGKILL')
      const next = await launch(port, folder, args)
      if (!next) throw new Error(`redis-server does not start again on port ${port}`)
      running = next
    },
  }
}

/** A TCP port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts one process; undefined if it ended instead of answering. */
async function launch(port: number, folder: string, args: readonly string[]) {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  const server = spawn('redis-server', [...settings, ...args], { stdio: 'ignore' })
  const exited = new Promise<void>((resolve, reject) => {
    server.once('exit', () => resolve())
    server.once('error', reject)
  })
  if (!(await Promise.race([answers(server, port), exited.then(() => false)]))) return undefined

  const pid = server.pid ?? 0
  const guard = spawnGuard(pid, folder)
  server.unref()
  return {
    pid,
    async end(signal: 'SIGTERM' | 'SIGKILL') {
      if (server.exitCode === null && server.signalCode === null) {
        server.ref()
        server.kill(signal)
        // A frozen process does not hear SIGTERM.
        server.kill('SIGCONT')
        await exited
      }
      guard.kill('SIGKILL')
    },
  }
}

/**
 * A shell that waits until this process is gone, however it ended, and then ends the server: an exit hook
 * would not run if a test runner kills its worker.
 */
function spawnGuard(pid: number, folder: string): ChildProcess {
  const guard = spawn('sh', ['-c', 'cat >/dev/null; kill -9 "$0"; rm -rf "$1"', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Not in the terminal's process group: Ctrl-C must not end it before its work.
    detached: true,
  })
  guard.unref()
  const pipe: unknown = guard.stdin
  ;(pipe as { unref(): void }).unref()
  return guard
}

/** Whether the server itself, and nobody else on its port, answers within ten seconds. */
async function answers(server: ChildProcess, port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 500 && server.exitCode === null; attempt += 1) {
    const reply = await askForInfo(port)
    if (reply.includes(`process_id:${server.pid}\r\n`) && reply.includes('loading:0')) return true
    await delay(20)
  }
  return false
}

/** What Redis says about itself; empty if nobody listens. */
function askForInfo(port: number): Promise<string> {
  return new Promise((resolve) => {
    let reply = ''
    const socket = connect(port, '127.0.0.1', () => socket.end('INFO\r\nQUIT\r\n'))
    socket.setTimeout(500, () => socket.destroy())
    socket.on('data', (chunk) => (reply += chunk.toString()))
    socket.once('error', () => {})
    socket.once('close', () => resolve(reply))
  })
}
