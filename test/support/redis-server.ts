import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePorts } from './free-port.ts'
import { launchRedis } from './redis-process.ts'

/** A Redis of one's own on 127.0.0.1. */
export interface RedisServer {
  readonly port: number
  /** `redis://127.0.0.1:port` */
  readonly url: string
  /** A second port that nobody else uses: that of the bus, for a node of a cluster. */
  readonly busPort: number
  /** Process id of the server that runs now, or ran last. */
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

/** How a Redis is started. */
export interface RedisSettings {
  /** Further arguments of redis-server: `['--appendonly', 'yes']`; or what makes them, told its ports. */
  readonly args?: readonly string[] | ((ports: { port: number; busPort: number }) => readonly string[])
  /** Lines of its configuration file, which it may write to; a Sentinel needs one. */
  readonly config?: readonly string[]
}

/**
 * Starts a Redis that keeps nothing on disk, and waits until it answers. It ends with this process, however
 * that ends.
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
  const startSomewhere = async () => {
    // Somebody else may take a port in the meantime.
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const [port = 0, busPort = 0] = await freePorts(2)
      const running = await start(port, busPort)
      if (running) return { port, busPort, running }
    }
    rmSync(folder, { recursive: true, force: true })
    throw new Error('redis-server does not start')
  }
  const { port, busPort, running: first } = await startSomewhere()
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
