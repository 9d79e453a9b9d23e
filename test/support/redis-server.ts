import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePorts } from './free-port.ts'
import { launchRedis } from './redis-process.ts'

/** A Redis on 127.0.0.1 that only one test file uses. */
export interface RedisServer {
  readonly port: number
  /** `redis://127.0.0.1:port` */
  readonly url: string
  /** A second free port, for the bus of a cluster node. */
  readonly busPort: number
  /** Process id of the running server, or of the server that ran last. */
  readonly pid: number
  /** Stops the server and removes its files. Idempotent. */
  stop(): Promise<void>
  /** Kills the server, as a crash does. */
  kill(): Promise<void>
  /** Freezes the server: connections stay open, and no command is answered. */
  pause(): void
  /** Lets the server continue after `pause()`. */
  resume(): void
  /**
   * Kills the server if it runs, and starts it on the same port. The server is then empty, unless its
   * arguments make it keep data on disk.
   */
  restart(): Promise<void>
}

/** How a Redis is started. */
export interface RedisSettings {
  /**
   * Further arguments of redis-server, such as `['--appendonly', 'yes']`, or a function that makes them from
   * the ports.
   */
  readonly args?: readonly string[] | ((ports: { port: number; busPort: number }) => readonly string[])
  /** Lines of a configuration file that the server may change. A Sentinel needs such a file. */
  readonly config?: readonly string[]
}

/**
 * Starts a Redis that keeps nothing on disk, and waits until it answers. The server ends when this process
 * ends in any way.
 */
export async function startRedis({ args = [], config }: RedisSettings = {}): Promise<RedisServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-redis-'))
  const file = path.join(folder, 'redis.conf')
  if (config) writeFileSync(file, config.map((line) => `${line}\n`).join(''))

  const start = async (port: number, busPort: number) => {
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
    const further = typeof args === 'function' ? args({ port, busPort }) : args
    return launchRedis(port, folder, [...(config ? [file] : []), ...own, ...further])
  }
  const startOnFreePort = async () => {
    // If another process takes a port before the server does, the next attempt uses other ports.
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const [port = 0, busPort = 0] = await freePorts(2)
      const running = await start(port, busPort)
      if (running) return { port, busPort, running }
    }
    rmSync(folder, { recursive: true, force: true })
    throw new Error('redis-server does not start')
  }
  const { port, busPort, running: first } = await startOnFreePort()
  let running = first

  return {
    port,
    busPort,
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
      const next = await start(port, busPort)
      if (!next) throw new Error(`redis-server does not start again on port ${port}`)
      running = next
    },
  }
}
