import { spawn, type ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** A redis-server that runs. */
export interface RedisProcess {
  readonly pid: number
  /** Ends it; a frozen one too. Idempotent. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/**
 * Runs redis-server and waits until it answers on `port`. It ends with this process, however that ends, and
 * `folder` goes with it.
 *
 * @returns undefined if it ended instead of answering: somebody else has the port
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
  // Who has ended has no use for a guard, whose number may be that of another process by then.
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
      // A frozen process does not hear SIGTERM.
      server.kill('SIGCONT')
      await exited
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
    if (reply.includes(`process_id:${server.pid}\r\n`) && !reply.includes('loading:1')) return true
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
