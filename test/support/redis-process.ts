import { spawn, type ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A running redis-server. */
export interface RedisProcess {
  readonly pid: number
  /** Ends the server, even if it is frozen. Idempotent. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/**
 * Runs redis-server and waits until it answers on `port`. When this process ends in any way, the server also
 * ends, and `folder` is deleted.
 *
 * @returns undefined if the server exited because another process has the port
 */
export async function launchRedis(
  port: number,
  folder: string,
  args: readonly string[],
): Promise<RedisProcess | undefined> {
  const server = spawn('redis-server', args, { stdio: 'ignore' })
  const exited = new Promise<void>((resolve, reject) => {
    server.once('exit', () => resolve())
    server.once('error', reject)
  })
  if (server.pid === undefined) await exited
  const pid = server.pid ?? 0
  const guard = spawnGuard(pid, folder)
  // The guard kills the server by its process id. It must not outlive the server, because another process may
  // get this id later.
  void exited.then(() => guard.kill('SIGKILL'))
  if (!(await Promise.race([answers(server, port), exited.then(() => false)]))) {
    server.kill('SIGKILL')
    return undefined
  }

  server.unref()
  return {
    pid,
    async end(signal) {
      if (server.exitCode !== null || server.signalCode !== null) return
      server.ref()
      server.kill(signal)
      // A frozen process does not handle SIGTERM.
      server.kill('SIGCONT')
      await exited
    },
  }
}

/**
 * Starts a shell that waits until this process has ended in any way, and then kills the server. An exit hook
 * of this process is not enough, because it does not run if the test runner kills the process.
 */
export function spawnGuard(pid: number, folder: string): ChildProcess {
  const guard = spawn('sh', ['-c', 'cat >/dev/null; kill -9 "$0"; rm -rf "$1"', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Keeps the guard out of the terminal's process group, so that Ctrl-C does not end it before its work.
    detached: true,
  })
  guard.unref()
  const pipe: unknown = guard.stdin
  ;(pipe as { unref(): void }).unref()
  return guard
}

/** Whether `server`, and no other server on `port`, answers within ten seconds. */
async function answers(server: ChildProcess, port: number): Promise<boolean> {
  for (let attempt = 0; attempt < 500 && server.exitCode === null; attempt += 1) {
    const reply = await askForInfo(port)
    if (reply.includes(`process_id:${server.pid}\r\n`) && !reply.includes('loading:1')) return true
    await delay(20)
  }
  return false
}

/** The answer of Redis to INFO; empty if no process listens on the port. */
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
